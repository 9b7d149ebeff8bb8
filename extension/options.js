// Keep the server's address, and the key that is made of its token.
const form = document.getElementById("options");
const server = document.getElementById("server");
const token = document.getElementById("token");
const told = document.getElementById("told");

const made = async (secret) => {
  const bytes = (text) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(secret), algorithm, false, ["sign"]);
  const sum = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes("order")));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

const kept = await chrome.storage.local.get(["server", "key"]);
server.value = kept.server || "http://localhost:8631";
if (kept.key) token.placeholder = "kept";

server.addEventListener("change", () => {
  try {
    const whole = new URL(server.value);
    const secret = whole.searchParams.get("token");
    if (secret) {
      token.value = secret;
      server.value = whole.origin;
    }
  } catch { /* The browser says itself what is wrong with an address. */ }
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const origin = new URL(server.value).origin;
  if (origin === "null") {
    told.textContent = "That is not the address of a server.";
    return;
  }
  await chrome.storage.local.set({ server: origin, key: await made(token.value.trim()) });
  token.value = "";
  token.placeholder = "kept";
  token.required = false;
  told.textContent = `Kept. Pages are sent to ${origin}.`;
});
