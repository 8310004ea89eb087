/** What a table is sorted by and which rows are selected, after a click on a heading or a checkbox. */
import type { SortKey } from './table-column.ts';

/** The selected rows by their keys. */
export type RowSelection = Readonly<Record<string, boolean>>;

/**
 * The sort order after a click on a heading: first ascending, then descending, then unsorted. `add` keeps the other sort
 * keys.
 */
export function sortedBy(sorting: readonly SortKey[], id: string, add: boolean): readonly SortKey[] {
  const at = sorting.findIndex((key) => key.id === id);
  const next = at < 0 ? { id, desc: false } : sorting[at]?.desc ? undefined : { id, desc: true };
  if (!add) return next ? [next] : [];
  if (at < 0) return [...sorting, { id, desc: false }];
  return sorting.toSpliced(at, 1, ...(next ? [next] : []));
}

/** The selection with these rows selected or not; other rows stay as they are. */
export function selecting(selection: RowSelection, keys: readonly string[], value: boolean): RowSelection {
  const others = Object.entries(selection).filter(([key]) => !keys.includes(key));
  return Object.fromEntries([...others, ...(value ? keys.map((key) => [key, true] as const) : [])]);
}

/** The keys from one to the other, in whichever order they stand; none if one of them is not there. */
export function between(keys: readonly string[], from: string, to: string): readonly string[] {
  const [start, end] = [keys.indexOf(from), keys.indexOf(to)];
  return start < 0 || end < 0 ? [] : keys.slice(Math.min(start, end), Math.max(start, end) + 1);
}
