/** CSV files of rows, as exports and actions return them. */
import { csvLine } from '@cloudfit/contract/csv.ts';

export interface CsvColumn {
  label: string;
  value: (row: Record<string, unknown>) => unknown;
}

/** An action returns this to send a file; the HTTP layer streams it. */
export interface CsvFile {
  csv: string;
  columns: readonly CsvColumn[];
  rows: readonly Record<string, unknown>[];
}

/** Returns a file of rows; `name` is its file name, such as `workunits.csv`. */
export function csvFile(name: string, columns: readonly CsvColumn[], rows: readonly Record<string, unknown>[]): CsvFile {
  return { csv: name, columns, rows };
}

export function isCsvFile(result: unknown): result is CsvFile {
  return typeof result === 'object' && result !== null && 'csv' in result && 'columns' in result && 'rows' in result;
}

const rowsAtOnce = 100;

/** Yields the file as CSV text (RFC 4180) in portions of `rowsAtOnce` rows; the first line has the labels of the columns. */
export function* csvText({ columns, rows }: CsvFile): Generator<string> {
  yield csvLine(columns.map((column) => column.label));
  for (let i = 0; i < rows.length; i += rowsAtOnce)
    yield rows
      .slice(i, i + rowsAtOnce)
      .map((row) => csvLine(columns.map((column) => column.value(row))))
      .join('');
}
