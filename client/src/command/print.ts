/** Writes results: as a table for people, or with `--json` for programs. */

/** A column: its title, and the text of a row in it. */
export type TableColumns<T> = Readonly<Record<string, (row: T) => string | number | boolean | null | undefined>>;

export interface Printer {
  /** Whether the output is JSON. */
  json: boolean;
  /** Rows as a table, or as a JSON array. */
  rows: <T>(rows: readonly T[], columns: TableColumns<T>, nothing: string) => void;
  /** One row at a time, of a command that goes on: a line for each, JSON in one line. */
  line: (row: unknown, text: string) => void;
  /** A result that is no table; `lines` for people. */
  value: (value: unknown, lines: readonly string[]) => void;
  /** What people read beside the result; not a part of it. */
  note: (text: string) => void;
}

/**
 * The text without characters that a terminal takes for commands: titles, notes and packets come from devices and customers. Marks
 * that turn the direction of what follows are left out too.
 */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');

const cellOf = (value: string | number | boolean | null | undefined) => plain(value === null || value === undefined ? '' : String(value));

/** The lines of a table. The last column takes what the terminal has left, and is cut there. */
export function tableLines<T>(rows: readonly T[], columns: TableColumns<T>, width: number | undefined): string[] {
  const titles = Object.keys(columns);
  const cells = [
    titles.map((title) => title.toUpperCase()),
    ...rows.map((row) => Object.values(columns).map((textOf) => cellOf(textOf(row)))),
  ];
  const widths = titles.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells.map((line) => {
    const text = line.map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ');
    return width !== undefined && text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text.trimEnd();
  });
}

export function createPrinter(
  json: boolean,
  columns: number | undefined,
  out: (text: string) => void,
  err: (text: string) => void,
): Printer {
  const writeLine = (text: string) => out(`${text}\n`);
  return {
    json,
    rows: (rows, declared, nothing) => {
      if (json) return writeLine(JSON.stringify(rows, null, 2));
      if (rows.length === 0) return err(`${nothing}\n`);
      for (const line of tableLines(rows, declared, columns)) writeLine(line);
    },
    line: (row, text) => writeLine(json ? JSON.stringify(row) : plain(text)),
    value: (value, lines) => {
      if (json) writeLine(JSON.stringify(value, null, 2));
      else for (const line of lines) writeLine(plain(line));
    },
    note: (text) => err(`${plain(text)}\n`),
  };
}
