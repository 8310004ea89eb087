import { byteOrderMark } from '@cloudfit/contract/csv.ts';

/** Has the browser save the text of a CSV file. */
export function saveCsv(name: string, content: string) {
  saveFile(name, `${byteOrderMark}${content}`, 'text/csv;charset=utf-8');
}

/** Has the browser save a text as a file. */
export function saveFile(name: string, content: string, type: string) {
  saveBlob(name, new Blob([content], { type }));
}

/** Has the browser save bytes as a file. */
export function saveBlob(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
