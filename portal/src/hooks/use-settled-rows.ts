/** Keeps rows in place while they are held: added, removed and moved rows are shown when the hold ends. */
import { useState } from 'react';

interface SettledRows<T> {
  query: string;
  rows: readonly T[];
  shown: readonly T[];
  /** Number of rows that were added, removed or moved, and are not shown yet. */
  waiting: number;
}

function settled<T>(query: string, rows: readonly T[]): SettledRows<T> {
  return { query, rows, shown: rows, waiting: 0 };
}

/** Keeps the visible rows in place, with their new values; added, removed and moved rows wait. */
function heldBack<T>(before: SettledRows<T>, rows: readonly T[], keyOf: (row: T) => string): SettledRows<T> {
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const shown = before.shown.map((row) => now.get(keyOf(row)) ?? row);
  const moved = rows.filter((row, at) => before.shown[at] === undefined || keyOf(before.shown[at]) !== keyOf(row)).length;
  return { query: before.query, rows, shown, waiting: Math.max(moved, before.shown.length - rows.length) };
}

/** `query` identifies the list: the rows of another list are shown at once. */
export function useSettledRows<T>(rows: readonly T[], query: string, isHeld: boolean, keyOf: (row: T) => string) {
  const [steady, setSteady] = useState(() => settled(query, rows));
  let next = steady;
  if (steady.query !== query || steady.shown.length === 0) {
    if (steady.query !== query || steady.rows !== rows) next = settled(query, rows);
  } else if (!isHeld) {
    if (steady.rows !== rows || steady.waiting > 0) next = settled(query, rows);
  } else if (steady.rows !== rows) next = heldBack(steady, rows, keyOf);
  if (next !== steady) setSteady(next);
  return { rows: next.shown, waiting: next.waiting, settle: () => setSteady(settled(query, rows)) };
}
