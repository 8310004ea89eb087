/** Files that the browser saves. */
import { csvLine } from '@cloudfit/contract/csv.ts';

export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  // The byte order mark tells Excel that this is UTF-8.
  return `\uFEFF${[header, ...rows].map(csvLine).join('')}`;
}

export function saveFile(name: string, content: string, type = 'text/csv;charset=utf-8') {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
