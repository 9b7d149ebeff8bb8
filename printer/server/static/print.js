// Open the browser's print dialog with the PDF.
const button = document.getElementById("print");
button.hidden = false;
button.addEventListener("click", () => {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "PDF";
  frame.addEventListener("load", () => {
    try {
      frame.contentWindow.focus();
      frame.contentWindow.print();
    } catch {
      location.assign(button.dataset.pdf);
    }
  });
  frame.src = button.dataset.pdf;
  document.body.append(frame);
});
