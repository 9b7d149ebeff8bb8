// The print button is of use in the bookmarks bar, and nowhere on this page.
for (const link of document.querySelectorAll("a[data-drag]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("drag").textContent = "Drag the button to your bookmarks bar instead of clicking it here.";
  });
}
// Copy the text of a field; a page that is not from a secure origin has no clipboard.
for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    let copied = true;
    try { await navigator.clipboard.writeText(field.value); } catch { copied = document.execCommand("copy"); }
    document.getElementById("copied").textContent = copied ? "Copied." : "Press Ctrl+C to copy it.";
  });
}
