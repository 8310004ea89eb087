/** The only CSV writer, for the server's exports and the portal's: always quoted, and safe in a spreadsheet. */

// Full-width signs count too, because some spreadsheets treat them as the plain ones. Leading blanks do not make a sign
// safe.
const formula = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const plainNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A cell. Text that a spreadsheet would run as a formula gets a leading apostrophe; a plain number stays a number. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '""';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A record with its line end (RFC 4180). */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}
