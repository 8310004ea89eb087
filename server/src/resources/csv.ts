/** The one writer of CSV: quoted always, and safe against cells that a spreadsheet would take for a formula. */

export interface CsvColumn {
  label: string;
  value: (row: Record<string, unknown>) => unknown;
}

/** What an action answers to send a file; the HTTP room streams it. */
export interface CsvFile {
  csv: string;
  columns: readonly CsvColumn[];
  rows: readonly Record<string, unknown>[];
}

/** A file of rows under this name, such as `workunits.csv`. */
export function csvFile(name: string, columns: readonly CsvColumn[], rows: readonly Record<string, unknown>[]): CsvFile {
  return { csv: name, columns, rows };
}

export function isCsvFile(result: unknown): result is CsvFile {
  return typeof result === 'object' && result !== null && 'csv' in result && 'columns' in result && 'rows' in result;
}

// With the full-width forms, which some spreadsheets read as the plain ones. Blanks before them do not help.
const formula = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const plainNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** One cell, quoted; text that could be a formula begins with an apostrophe, a plain number stays one. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '""';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

const rowsAtOnce = 100;

/** The file as text, a hundred rows at a time, with the labels as its first line (RFC 4180). */
export function* csvText({ columns, rows }: CsvFile): Generator<string> {
  yield `${columns.map((column) => csvCell(column.label)).join(',')}\r\n`;
  for (let i = 0; i < rows.length; i += rowsAtOnce) {
    const lines = rows.slice(i, i + rowsAtOnce).map((row) => columns.map((column) => csvCell(column.value(row))).join(','));
    yield `${lines.join('\r\n')}\r\n`;
  }
}
