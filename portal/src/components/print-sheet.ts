import './print-sheet.css';

/** Prints one element: appends a copy to the body; the print styles hide the rest of the page. */
export function printSheet(title: string, element: HTMLElement): void {
  const sheet = document.createElement('div');
  sheet.className = 'print-sheet';
  sheet.append(element.cloneNode(true));
  document.body.append(sheet);
  const before = document.title;
  // Printers and PDF files use the title of the page as the name of the document.
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
