// Show the steps of a print, and its result once there is one.
const status = document.getElementById("status");
const steps = JSON.parse(status.dataset.steps);
const events = new EventSource(status.dataset.events);
const reload = () => { events.close(); location.reload(); };
events.addEventListener("print", (event) => {
  const print = JSON.parse(event.data);
  const text = steps[print.step] || steps[print.state] || print.state;
  if (["done", "failed", "cancelled"].includes(print.state)) reload();
  else if (text !== status.textContent) status.textContent = text;
});
events.addEventListener("gone", reload);
