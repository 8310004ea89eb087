/** Rows as the text of a CSV file. */
import { csvLine } from '@cloudfit/contract/csv.ts';

export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  // The byte order mark tells Excel that this is UTF-8.
  return `\uFEFF${[header, ...rows].map(csvLine).join('')}`;
}
