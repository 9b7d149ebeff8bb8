// Follow a print by server-sent events.  The browser connects again by itself when the connection is
// lost, but not when the server answers with an error, as it does while it is busy or starts.
const MAX_TRIES = 8;

export const retryDelay = (tries) => Math.min(500 * 2 ** tries, 15_000);

export function followPrint(url, { onPrint, onGone, onLost }, Source = EventSource) {
  let tries = 0;
  let events = null;
  const connect = () => {
    events = new Source(url);
    events.addEventListener("print", (event) => {
      tries = 0;
      const print = JSON.parse(event.data);
      if (["done", "failed", "cancelled"].includes(print.state)) events.close();
      onPrint(print);
    });
    events.addEventListener("gone", () => { events.close(); onGone(); });
    events.addEventListener("error", () => {
      if (events.readyState !== Source.CLOSED) return;
      if (tries >= MAX_TRIES) { onLost(); return; }
      setTimeout(connect, retryDelay(tries));
      tries += 1;
    });
  };
  connect();
}
