// Follow a print that is being made: say each step, show the result when there is one.
const status = document.getElementById("status");
const steps = JSON.parse(status.dataset.steps);
const events = new EventSource(status.dataset.events);
let shown = "";
events.addEventListener("print", (event) => {
  const print = JSON.parse(event.data);
  if (["done", "failed", "cancelled"].includes(print.state)) {
    events.close();
    location.reload();
    return;
  }
  const text = steps[print.step] || steps[print.state] || print.state;
  if (text !== shown) {
    shown = text;
    status.textContent = text;
  }
});
events.addEventListener("gone", () => { events.close(); location.reload(); });
