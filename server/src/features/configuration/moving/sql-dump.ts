/** Reads the rows of tables from a dump of MySQL or MariaDB, as `mysqldump` and phpMyAdmin write it. */

/** A table in the form of phpMyAdmin's export as JSON. */
interface DumpedTable {
  type: 'table';
  name: string;
  data: Record<string, string | null>[];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '', b: '', Z: '' };

const hexText = (hex: string): string => Buffer.from(hex, 'hex').toString('utf8');

/** Whether the text is a dump with tables of tickets. */
export const isDump = (text: string): boolean => /^\s*INSERT INTO [`"]?\w*ticket\w*[`"]?[\s(]/im.test(text);

const create = /CREATE TABLE (?:IF NOT EXISTS )?[`"]?(\w+)[`"]? \(([\s\S]*?)\n\)/gi;

function columnsOfTables(text: string): Map<string, string[]> {
  const columns = new Map<string, string[]>();
  for (const [, table = '', body = ''] of text.matchAll(create))
    columns.set(
      table,
      [...body.matchAll(/^\s*[`"](\w+)[`"] /gm)].flatMap(([, name]) => name ?? []),
    );
  return columns;
}

function hexAt(text: string, from: number): string {
  const hex = /[0-9a-f]*/iy;
  hex.lastIndex = from;
  return hex.exec(text)?.[0] ?? '';
}

/** The place of the next quote or backslash; -1 for none. */
function nextSign(text: string, from: number): number {
  const sign = /['\\]/g;
  sign.lastIndex = from;
  return sign.exec(text)?.index ?? -1;
}

/** Reads one list of values in brackets; `at` is behind its first bracket. */
function readValues(text: string, at: number): { values: (string | null)[]; end: number } {
  const values: (string | null)[] = [];
  let place = at;
  for (;;) {
    while (/\s/.test(text[place] ?? '')) place += 1;
    if (text.startsWith('_binary ', place)) place += 8;
    if (text[place] === "'") {
      let value = '';
      place += 1;
      for (;;) {
        const next = text[place];
        if (next === undefined) throw new Error('a text is not closed');
        if (next === '\\') {
          const escaped = text[place + 1] ?? '';
          value += escapes[escaped] ?? escaped;
          place += 2;
        } else if (next === "'" && text[place + 1] === "'") {
          value += "'";
          place += 2;
        } else if (next === "'") {
          place += 1;
          break;
        } else {
          // Up to the next sign that means something, because texts are long.
          const end = nextSign(text, place);
          if (end < 0) throw new Error('a text is not closed');
          value += text.slice(place, end);
          place = end;
        }
      }
      values.push(value);
    } else {
      const [word = ''] = /[^,)\s]*/.exec(text.slice(place, place + 200)) ?? [];
      const long = /^0x/i.test(word) ? hexAt(text, place + 2) : undefined;
      place += long === undefined ? word.length : long.length + 2;
      values.push(long === undefined ? (/^null$/i.test(word) ? null : word) : hexText(long));
    }
    while (/\s/.test(text[place] ?? '')) place += 1;
    const sign = text[place];
    place += 1;
    if (sign === ')') return { values, end: place };
    if (sign !== ',') throw new Error('a list of values is not closed');
  }
}

/** Throws an `Error` with what is wrong, for text that is no such dump. */
export function parseDump(text: string): DumpedTable[] {
  const ofTables = columnsOfTables(text);
  const tables = new Map<string, DumpedTable>();
  const insert = /INSERT INTO [`"]?(\w+)[`"]?\s*(?:\(([^)]*)\))?\s*VALUES\s*/gi;
  for (let begin = insert.exec(text); begin; begin = insert.exec(text)) {
    const [, name = '', listed] = begin;
    const columns = listed === undefined ? ofTables.get(name) : listed.split(',').map((column) => column.trim().replaceAll(/[`"]/g, ''));
    if (!columns) throw new Error(`the columns of ${name} are not in it`);
    const table = tables.get(name) ?? { type: 'table', name, data: [] };
    tables.set(name, table);
    let place = insert.lastIndex;
    while (text[place] === '(') {
      const { values, end } = readValues(text, place + 1);
      table.data.push(Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])));
      place = end + (/^\s*,\s*/.exec(text.slice(end, end + 50))?.[0].length ?? 0);
    }
    insert.lastIndex = place;
  }
  return [...tables.values()];
}
