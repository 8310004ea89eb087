/** Rows as the text of a CSV file. */
import { csvLine } from '@cloudfit/contract/csv.ts';

export function csvText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map(csvLine).join('');
}
