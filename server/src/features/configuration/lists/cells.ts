/** Reads a cell as the value of a field. */
import type { Choice, Field } from '@cloudfit/contract/resource.ts';
import { choiceText as german } from '@cloudfit/contract/messages/choices.de.ts';
import { plain } from './guess-columns.ts';

/** Why a cell cannot be read. */
export class CellFault extends Error {
  readonly column: string;

  constructor(column: string, message: string) {
    super(message);
    this.column = column;
  }
}

const yes = new Set(['true', 'yes', 'y', '1', 'on', 'x', 'ja', 'j', 'wahr', 'an', 'ein', 'enabled', 'active', 'aktiv', 'aktiviert']);
const no = new Set(['false', 'no', 'n', '0', 'off', 'nein', 'falsch', 'aus', 'disabled', 'inactive', 'inaktiv', 'deaktiviert']);

function booleanIn(cell: string, { label }: Field, column: string): boolean {
  const word = plain(cell);
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw new CellFault(column, `${label} is yes or no, not "${cell}".`);
}

/** What people call the choices of a field, by parts of the words; the choices themselves are names of the specification. */
const alsoCalled: Readonly<Record<string, readonly (readonly [RegExp, number | string])[]>> = {
  operatingSystemId: [
    [/mac|osx|darwin/, 2],
    [/^win/, 1],
    [/linux|ubuntu|debian|redhat|rhel|centos|suse|fedora|alma|rocky/, 4],
  ],
};

function choiceIn(cell: string, { label }: Field, choices: readonly Choice[], column: string): string | number {
  const word = plain(cell);
  const choice = choices.find(({ value, label: text }) => [String(value), text, german(text)].some((name) => plain(name) === word));
  if (choice) return choice.value;
  const called = alsoCalled[column]?.find(([pattern]) => pattern.test(word));
  if (called) return called[1];
  const names = choices.slice(0, 12).map((item) => item.label);
  throw new CellFault(column, `${label} is one of ${names.join(', ')}${choices.length > 12 ? ' and others' : ''}, not "${cell}".`);
}

/** A number with a point or a comma, and signs between thousands: 1.234,5 or 1,234.5 or 1 234,5. */
export function numberIn(cell: string): number | undefined {
  const text = cell.replaceAll(/[\s\u00a0\u202f'’]/g, '');
  if (!/^[+-]?[\d.,]+$/.test(text)) return undefined;
  const [comma, point] = [text.lastIndexOf(','), text.lastIndexOf('.')];
  const thousands = comma > point ? '.' : ',';
  const last = Math.max(comma, point);
  const isGrouped =
    last >= 0 && (text.split(text[last] ?? '').length > 2 || comma >= 0 !== point >= 0) && /^[+-]?[1-9]\d{0,2}(?:[.,]\d{3})+$/.test(text);
  const number = Number(isGrouped ? text.replaceAll(/[.,]/g, '') : text.replaceAll(thousands, '').replace(',', '.'));
  return Number.isFinite(number) ? number : undefined;
}

/** `52,52; 13,405` with decimal commas, as spreadsheets in German write it, becomes `52.52, 13.405`. */
const coordinatesIn = (cell: string): string => {
  const parts = /^(-?\d+),(\d+)\s*[;/ ,]\s*(-?\d+),(\d+)$/.exec(cell);
  return parts ? `${parts[1]}.${parts[2]}, ${parts[3]}.${parts[4]}` : cell;
};

const durationIn = (cell: string): string => (/^\d:[0-5]\d:[0-5]\d$/.test(cell) ? `0${cell}` : cell);

/** Throws `CellFault` for a cell that is no value of the field. References are looked up elsewhere. */
export function valueIn(cell: string, field: Field, column: string): unknown {
  if (field.choices && field.choices.length > 0) return choiceIn(cell, field, field.choices, column);
  if (field.kind === 'boolean') return booleanIn(cell, field, column);
  if (field.kind === 'int' || field.kind === 'bigint' || field.kind === 'decimal') {
    const number = numberIn(cell);
    if (number === undefined) throw new CellFault(column, `${field.label} is a number, not "${cell}".`);
    return number;
  }
  if (field.kind === 'time') return durationIn(cell);
  return column === 'coordinates' ? coordinatesIn(cell) : cell;
}
