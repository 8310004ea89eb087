/** The order in which the rows of one resource can be written: those of one level beside each other, level after level. */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import type { PortableResource } from './portable.ts';
import type { PortableRow } from './rows-in.ts';

/** A row of a document with its position in the list. */
export type PlacedRow = readonly [place: number, row: PortableRow];

/**
 * Returns the rows in levels: each row comes after the rows of the list whose keys it contains, and after those before it that
 * stand for the same row. Rows that name each other in a circle keep their order.
 */
export function levelsOf({ key, portable }: PortableResource, rows: readonly PortableRow[]): PlacedRow[][] {
  const keyOf = (row: PortableRow): string => String(row[key] ?? '').toLowerCase();
  const places = new Map(rows.map((row, place) => [keyOf(row), place]));
  const earlier = new Map<string, number>();
  const before = rows.map((row, place) => {
    const named = rows.length > 1 ? guidsIn(row).flatMap((id) => (id === keyOf(row) ? [] : (places.get(id) ?? []))) : [];
    const identities = [JSON.stringify(portable.by.map((name) => row[name] ?? null)), `key ${keyOf(row) || `at ${place}`}`];
    const same = identities.flatMap((identity) => earlier.get(identity) ?? []);
    for (const identity of identities) earlier.set(identity, place);
    return [...named, ...same].filter((other) => other !== place);
  });
  const levels = new Map<number, number>();
  const open = new Set<number>();
  function levelOf(place: number): number {
    const stored = levels.get(place);
    if (stored !== undefined) return stored;
    if (open.has(place)) return -1;
    open.add(place);
    const level = 1 + Math.max(-1, ...(before[place] ?? []).map(levelOf));
    levels.set(place, level);
    return level;
  }
  const grouped: PlacedRow[][] = [];
  rows.forEach((row, place) => {
    const level = levelOf(place);
    (grouped[level] ??= []).push([place, row]);
  });
  return grouped;
}
