// The editor: what is left out, how it is set, and how many pages that makes.
const form = document.getElementById("edit");
const preview = document.getElementById("preview");
const count = document.getElementById("count");
const undo = document.getElementById("undo");
const redo = document.getElementById("redo");
const show = document.getElementById("show");
const url = form.dataset.api;
const fields = ["title", "theme", "paper", "links", "font_size"];
const boxes = new Map([...form.querySelectorAll("input[name=keep]")].map((box) => [box.value, box]));
const done = [];
const undone = [];
const memory = `webprint ${url}`;
let revision = Number(form.dataset.revision);
let saved = read();
let now = saved;
let timer = 0;
let busy = false;
let fresh = false; // Whether a picture comes back that the preview does not have yet.

function read() {
  const keep = {};
  for (const [id, box] of boxes) keep[id] = box.checked;
  const said = { keep };
  for (const name of fields) said[name] = form.elements[name].value;
  return said;
}

function pieces() {
  const inside = preview.contentDocument;
  return inside ? [...inside.querySelectorAll("[data-piece]")] : [];
}

// Put a state on the page: the fields, the list and the preview.
function put(state) {
  now = state;
  for (const name of fields) form.elements[name].value = state[name];
  for (const [id, box] of boxes) box.checked = state.keep[id];
  for (const piece of pieces()) {
    const keep = state.keep[piece.dataset.piece];
    piece.classList.toggle("out", !keep);
    piece.querySelector("button").setAttribute("aria-pressed", String(keep));
  }
  const title = preview.contentDocument && preview.contentDocument.getElementById("title");
  if (title) title.textContent = state.title;
  undo.disabled = done.length === 0;
  redo.disabled = undone.length === 0;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// What can be undone outlives the page, as long as its tab is open.
function remember() {
  try {
    const kept = { revision, now, done: done.slice(-100), undone: undone.slice(-100) };
    sessionStorage.setItem(memory, JSON.stringify(kept));
  } catch { forget(); } // There is no room for it.
}

function forget() {
  try { sessionStorage.removeItem(memory); } catch { /* The browser keeps nothing. */ }
}

// Take up what a reload broke off, unless the print was edited elsewhere in the meantime.
function recall() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(memory)); } catch { /* Nothing can be read. */ }
  if (!kept || !(kept.revision === revision || same(kept.now, saved))) { forget(); return; }
  done.push(...kept.done);
  undone.push(...kept.undone);
  now = kept.now;
  if (!same(now, saved)) later();
}

function change(state) {
  if (same(state, now)) return;
  done.push(now);
  undone.length = 0;
  put(state);
  remember();
  later();
}

function step(from, to) {
  if (!from.length) return;
  to.push(now);
  put(from.pop());
  remember();
  later();
}

function later() {
  clearTimeout(timer);
  ready(false);
  timer = setTimeout(save, 500);
}

function ready(is) {
  for (const each of document.querySelectorAll("[data-result]")) {
    if (each.tagName === "BUTTON") each.disabled = !is;
    else if (is) each.removeAttribute("aria-disabled");
    else each.setAttribute("aria-disabled", "true");
  }
  form.setAttribute("aria-busy", String(!is));
}

async function save() {
  if (busy) return;
  if (same(now, saved)) { ready(true); return; }
  busy = true;
  const sent = now;
  const keep = {};
  for (const id of Object.keys(sent.keep)) if (sent.keep[id] !== saved.keep[id]) keep[id] = sent.keep[id];
  const options = {};
  for (const name of fields.slice(1)) if (sent[name] !== saved[name]) options[name] = sent[name];
  const body = { keep, options };
  if (sent.title !== saved.title) body.title = sent.title;
  count.textContent = count.dataset.wait;
  fresh = fresh || pieces().some((each) => keep[each.dataset.piece] && each.querySelector(".missing"));
  try {
    const answer = await fetch(`${url}/edit`, {
      method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const told = await answer.json();
    if (answer.status === 409) { location.reload(); return; } // It was edited elsewhere.
    if (!answer.ok) throw new Error(told.detail);
    saved = sent;
    revision = told.attempt + 1; // That of the print which is made now.
    remember();
    const print = await over();
    revision = print.attempt;
    remember();
    say(print);
  } catch (error) {
    count.textContent = error.message || count.dataset.lost;
    count.classList.add("bad");
  }
  busy = false;
  if (same(now, saved)) ready(true);
  else if (!count.classList.contains("bad")) save();
}

// Wait until the print is over; return what it is then.
function over() {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`${url}/events`);
    const end = (how, value) => { events.close(); how(value); };
    events.addEventListener("print", (event) => {
      const print = JSON.parse(event.data);
      if (print.state === "done") end(resolve, print);
      else if (["failed", "cancelled"].includes(print.state)) {
        end(reject, new Error((print.error && print.error.message) || print.state));
      }
    });
    events.addEventListener("gone", () => end(reject, new Error("")));
  });
}

function say(print) {
  const { pages, pictures, bytes } = print.result;
  const words = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
  count.classList.remove("bad");
  count.textContent = `${words(pages, "page")}, ${words(pictures, "picture")}, ${Math.round(bytes / 1000)} kB`;
  document.querySelector("h1").textContent = print.title;
  for (const image of document.querySelectorAll("img[data-sheet]")) {
    image.src = `${image.dataset.sheet}?r=${print.attempt}`;
  }
  if (fresh) {
    fresh = false;
    preview.contentWindow.location.reload();
  }
}

function toggle(piece) {
  const id = piece.dataset.piece;
  change({ ...now, keep: { ...now.keep, [id]: !now.keep[id] } });
}

// The preview runs no script: what happens in it is listened to from here.
function listen() {
  const inside = preview.contentDocument;
  if (!inside || !inside.body || inside.body.dataset.heard) return;
  inside.body.dataset.heard = "yes";
  inside.documentElement.classList.add("live");
  inside.addEventListener("click", (event) => {
    const piece = event.target.closest("[data-piece]");
    if (!piece || String(inside.getSelection())) return;
    event.preventDefault();
    toggle(piece);
  });
  inside.addEventListener("keydown", keys);
  shut();
  put(now);
}

function shut() {
  const inside = preview.contentDocument;
  if (inside) inside.documentElement.classList.toggle("shut", !show.checked);
}

function keys(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "z" && event.target.tagName !== "INPUT") {
    event.preventDefault();
    if (event.shiftKey) step(undone, done);
    else step(done, undone);
  } else if (key === "y" && event.target.tagName !== "INPUT") {
    event.preventDefault();
    step(undone, done);
  }
}

recall();
for (const each of document.querySelectorAll("[data-live]")) each.hidden = false;
for (const each of document.querySelectorAll("[data-plain]")) each.hidden = true;
document.getElementById("list").open = false;
preview.addEventListener("load", listen);
listen();
form.addEventListener("change", (event) => { if (event.target !== show) change(read()); });
form.addEventListener("submit", (event) => { event.preventDefault(); change(read()); });
show.addEventListener("change", shut);
undo.addEventListener("click", () => step(done, undone));
redo.addEventListener("click", () => step(undone, done));
document.addEventListener("keydown", keys);
for (const each of document.querySelectorAll("a[data-result]")) {
  each.addEventListener("click", (event) => {
    if (each.getAttribute("aria-disabled")) event.preventDefault();
  });
}
put(now);
if (!timer) ready(true);
