// Show the steps of a print, and its result once there is one.
import { followPrint } from "./events.js";

const status = document.getElementById("status");
const steps = JSON.parse(status.dataset.steps);
const reload = () => location.reload();
followPrint(status.dataset.events, {
  onPrint(print) {
    const text = steps[print.step] || steps[print.state] || print.state;
    if (["done", "failed", "cancelled"].includes(print.state)) reload();
    else if (text !== status.textContent) status.textContent = text;
  },
  onGone: reload,
  onLost() { status.textContent = status.dataset.unreachable; },
});
