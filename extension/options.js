// Save the server's address, and a key derived from its token.
const form = document.getElementById("options");
const server = document.getElementById("server");
const token = document.getElementById("token");
const status = document.getElementById("status");

const deriveKey = async (secret) => {
  const bytes = (text) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes("order")));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

const stored = await chrome.storage.local.get(["server", "key"]);
server.value = stored.server || "http://127.0.0.1:8631";
if (stored.key) {
  token.placeholder = "saved";
  token.required = false;
}

server.addEventListener("change", () => {
  try {
    const url = new URL(server.value);
    const secret = url.searchParams.get("token");
    if (secret) {
      token.value = secret;
      server.value = url.origin;
    }
  } catch { /* The browser reports an invalid address. */ }
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const origin = new URL(server.value).origin;
  if (origin === "null") {
    status.textContent = "That is not the address of a server.";
    return;
  }
  const secret = token.value.trim();
  await chrome.storage.local.set({ server: origin, ...(secret && { key: await deriveKey(secret) }) });
  token.value = "";
  token.placeholder = "saved";
  token.required = false;
  status.textContent = `Saved. Pages are sent to ${origin}.`;
});
