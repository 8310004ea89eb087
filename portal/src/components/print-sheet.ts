import './print-sheet.css';

/** Prints an element alone: copies it beside the page, which the print styles hide. */
export function printSheet(title: string, element: HTMLElement): void {
  const sheet = document.createElement('div');
  sheet.className = 'print-sheet';
  sheet.append(element.cloneNode(true));
  document.body.append(sheet);
  const before = document.title;
  // Printers and PDF files use it as the document's name.
  document.title = title;
  window.addEventListener(
    'afterprint',
    () => {
      sheet.remove();
      document.title = before;
    },
    { once: true },
  );
  window.print();
}
