/** The only CSV writer, for the server's exports and the portal's: all cells are quoted, and no cell runs as a formula. */

// Texts that a spreadsheet runs as a formula. Some spreadsheets treat full-width signs as the plain ones, and ignore blanks
// before a sign.
const formula = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const plainNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Begins each file: without it Excel reads UTF-8 as the code page of the computer, and `Jürgen` as `JÃ¼rgen`. */
export const byteOrderMark = '\uFEFF';

// A number to dial: digits and what separates them, with a blank or a bracket where a formula needs an operator. So `+49 30-12`
// is one, and `+49-30`, which a spreadsheet would calculate, is none.
const dialled = /^\+\d[\d ()./-]*$/;
const adjacent = /[\d)] +\(?\d|\d\(|\)\d/;
const isPhoneNumber = (text: string): boolean => dialled.test(text) && (adjacent.test(text) || /^\+\d+$/.test(text));

/** Returns a quoted cell. Text that a spreadsheet would run as a formula gets a leading apostrophe; numbers, also those to dial, stay. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '""';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  const safe = formula.test(text) && !plainNumber.test(text) && !isPhoneNumber(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Returns a record with its line end (RFC 4180). */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}
