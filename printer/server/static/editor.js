// The editor of a print: which blocks are printed, the options, and the number of pages.
import { followPrint } from "./events.js";

// The server could not lay out the change; the PDF is the one before.
class LayoutError extends Error {}

const form = document.getElementById("edit");
const preview = document.getElementById("preview");
const count = document.getElementById("count");
const undoButton = document.getElementById("undo");
const redoButton = document.getElementById("redo");
const showExcluded = document.getElementById("show-excluded");
const url = form.dataset.api;
const fields = ["title", ...form.dataset.options.split(" ")];
const themeFields = JSON.parse(form.dataset.themeFields); // The options of the theme, by field.
const checkboxes = new Map([...form.querySelectorAll("input[name=include]")].map((box) => [box.value, box]));
const undoStack = [];
const redoStack = [];
const storageKey = `webprint ${url}`;
let revision = Number(form.dataset.revision);
let saved = readForm();
let current = saved;
let timer = 0;
let busy = false;
let reloadPreview = false; // A picture is restored that the preview does not have yet.

function readForm() {
  const include = {};
  for (const [id, box] of checkboxes) include[id] = box.checked;
  const state = { include };
  for (const name of fields) state[name] = form.elements[name].value;
  return state;
}

function editableBlocks() {
  const page = preview.contentDocument;
  return page ? [...page.querySelectorAll("[data-block]")] : [];
}

// Show a state in the fields, the list and the preview.
function show(state) {
  current = state;
  for (const name of fields) form.elements[name].value = state[name];
  for (const [id, box] of checkboxes) box.checked = state.include[id];
  for (const block of editableBlocks()) {
    const included = state.include[block.dataset.block];
    block.classList.toggle("excluded", !included);
    block.querySelector("button").setAttribute("aria-pressed", String(included));
  }
  const title = preview.contentDocument && preview.contentDocument.getElementById("title");
  if (title) title.textContent = state.title;
  undoButton.disabled = undoStack.length === 0;
  redoButton.disabled = redoStack.length === 0;
}

const isEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// The undo history survives a reload, as long as the tab is open.
function storeHistory() {
  try {
    const history = { revision, current, undo: undoStack.slice(-100), redo: redoStack.slice(-100) };
    sessionStorage.setItem(storageKey, JSON.stringify(history));
  } catch { dropHistory(); } // There is no room for it.
}

function dropHistory() {
  try { sessionStorage.removeItem(storageKey); } catch { /* Storage is switched off. */ }
}

// Resume after a reload, unless the print was edited elsewhere in the meantime.
function restoreHistory() {
  let history = null;
  try { history = JSON.parse(sessionStorage.getItem(storageKey)); } catch { /* Unreadable. */ }
  if (!history || !(history.revision === revision || isEqual(history.current, saved))) {
    dropHistory();
    return;
  }
  undoStack.push(...history.undo);
  redoStack.push(...history.redo);
  current = history.current;
  if (!isEqual(current, saved)) scheduleSave();
}

function change(state) {
  if (isEqual(state, current)) return;
  undoStack.push(current);
  redoStack.length = 0;
  show(state);
  storeHistory();
  scheduleSave();
}

function step(from, to) {
  if (!from.length) return;
  to.push(current);
  show(from.pop());
  storeHistory();
  scheduleSave();
}

function scheduleSave() {
  clearTimeout(timer);
  setReady(false);
  timer = setTimeout(save, 500);
}

function setReady(ready) {
  for (const element of document.querySelectorAll("[data-result]")) {
    if (element.tagName === "BUTTON") element.disabled = !ready;
    else if (ready) element.removeAttribute("aria-disabled");
    else element.setAttribute("aria-disabled", "true");
  }
  form.setAttribute("aria-busy", String(!ready));
}

// The options of the theme: those that the form does not have, and its own.
function themeAssignments(state) {
  const chosen = Object.entries(themeFields).filter(([name]) => state[name]);
  return [...JSON.parse(form.dataset.assignments), ...chosen.map(([name, key]) => `${key}=${state[name]}`)];
}

// Return what the server is told of a state: its differences from the one that was saved.
function differences(state) {
  const include = {};
  for (const [id, included] of Object.entries(state.include)) {
    if (included !== saved.include[id]) include[id] = included;
  }
  const options = {};
  for (const name of fields.slice(1)) {
    if (state[name] === saved[name]) continue;
    if (name in themeFields) options.set = themeAssignments(state);
    else options[name] = state[name];
  }
  const body = { include, options };
  if (state.title !== saved.title) body.title = state.title;
  return body;
}

async function save() {
  if (busy) return;
  if (isEqual(current, saved)) { setReady(true); return; }
  busy = true;
  const state = current;
  const body = differences(state);
  count.classList.remove("bad");
  count.textContent = count.dataset.working;
  reloadPreview = reloadPreview || editableBlocks().some(
    (block) => body.include[block.dataset.block] && block.querySelector(".missing"));
  try {
    const response = await fetch(`${url}/edit`, {
      method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    if (response.status === 409) { location.reload(); return; } // It was edited elsewhere.
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail);
    saved = state;
    revision = answer.attempt + 1; // The attempt that makes this print.
    storeHistory();
    const print = await finishedPrint();
    revision = print.attempt;
    storeHistory();
    showResult(print);
  } catch (error) {
    showFailure(error);
  }
  busy = false;
  const hasFailed = count.classList.contains("bad");
  if (hasFailed || isEqual(current, saved)) setReady(true); // The last PDF can still be had.
  else save();
}

function showFailure(error) {
  const isOld = error instanceof LayoutError;
  const isUnreachable = !error.message || error instanceof TypeError || error instanceof SyntaxError;
  if (isOld) count.textContent = `${count.dataset.failed} ${error.message}`;
  else count.textContent = isUnreachable ? count.dataset.unreachable : error.message;
  count.classList.add("bad");
}

// Wait until the print is finished, and return it.
function finishedPrint() {
  return new Promise((resolve, reject) => {
    followPrint(`${url}/events`, {
      onPrint(print) {
        if (print.state === "done") resolve(print);
        else if (print.state === "failed" || print.state === "cancelled") {
          reject(new LayoutError(print.error ? print.error.message : "it was stopped"));
        }
      },
      onGone: () => reject(new Error(count.dataset.gone)),
      onLost: () => reject(new Error("")),
    });
  });
}

function showResult(print) {
  const { pages, pictures, bytes } = print.result;
  const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  count.classList.remove("bad");
  count.textContent = `${plural(pages, "page")}, ${plural(pictures, "picture")}, ${Math.round(bytes / 1000)} kB`;
  document.querySelector("h1").textContent = print.title;
  for (const image of document.querySelectorAll("img[data-first-page]")) {
    image.src = `${image.dataset.firstPage}?r=${print.attempt}`;
  }
  showPages(print);
  if (reloadPreview) {
    reloadPreview = false;
    preview.contentWindow.location.reload();
  }
}

// Show all pages, which the browser loads as they come into view.
function showPages(print) {
  const list = document.getElementById("sheets");
  if (!list) return;
  list.replaceChildren(...Array.from({ length: print.result.pages }, (_, n) => {
    const image = document.createElement("img");
    image.className = "sheet";
    image.loading = "lazy";
    image.alt = `Page ${n + 1}`;
    image.src = `${list.dataset.pages}${n + 1}?r=${print.attempt}`;
    return image;
  }));
}

function removePictures() {
  const include = { ...current.include };
  for (const [id, box] of checkboxes) if ("picture" in box.dataset) include[id] = false;
  change({ ...current, include });
}

function toggle(block) {
  const id = block.dataset.block;
  change({ ...current, include: { ...current.include, [id]: !current.include[id] } });
}

// The preview runs no script: this page listens to its events.
function listen() {
  const page = preview.contentDocument;
  if (!page || !page.body || page.body.dataset.listening) return;
  page.body.dataset.listening = "yes";
  page.documentElement.classList.add("live");
  page.addEventListener("click", (event) => {
    const block = event.target.closest("[data-block]");
    if (!block || String(page.getSelection())) return;
    event.preventDefault();
    toggle(block);
  });
  page.addEventListener("keydown", onKey);
  hideOrShowExcluded();
  show(current);
}

function hideOrShowExcluded() {
  const page = preview.contentDocument;
  if (page) page.documentElement.classList.toggle("hide-excluded", !showExcluded.checked);
}

function onKey(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.tagName === "INPUT") return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) step(redoStack, undoStack);
  else step(undoStack, redoStack);
}

restoreHistory();
for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;
for (const element of document.querySelectorAll("[data-no-script]")) element.hidden = true;
document.getElementById("list").open = false;
preview.addEventListener("load", listen);
listen();
form.addEventListener("change", (event) => { if (event.target !== showExcluded) change(readForm()); });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter?.name === "pictures") removePictures();
  else change(readForm());
});
showExcluded.addEventListener("change", hideOrShowExcluded);
undoButton.addEventListener("click", () => step(undoStack, redoStack));
redoButton.addEventListener("click", () => step(redoStack, undoStack));
document.addEventListener("keydown", onKey);
for (const link of document.querySelectorAll("a[data-result]")) {
  link.addEventListener("click", (event) => {
    if (link.getAttribute("aria-disabled")) event.preventDefault();
  });
}
show(current);
if (!timer) setReady(true);
