/**
 * The selected rows of a list, over all its pages, until the person leaves the screen. Other components, such as an action on
 * the rows, may clear the selection.
 */
import { useCallback, useEffect, useSyncExternalStore, type ReactNode } from 'react';
import type { RowSelection } from '../components/table/table-state.ts';

const none: RowSelection = {};
const selections = new Map<string, RowSelection>();
const listeners = new Set<() => void>();

function set(name: string, next: RowSelection) {
  selections.set(name, next);
  for (const listener of listeners) listener();
}

export function clearSelection(name: string): void {
  set(name, none);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useSelection(name: string) {
  const selection = useSyncExternalStore(subscribe, () => selections.get(name) ?? none);
  useEffect(() => () => void selections.delete(name), [name]);
  const setSelection = useCallback((next: RowSelection) => set(name, next), [name]);
  return [selection, setSelection] as const;
}

export function selectedKeys(selection: RowSelection): readonly string[] {
  return Object.keys(selection).filter((key) => selection[key]);
}

/** All rows of a filter, with the number of rows at the time of the selection. */
export interface WholeList {
  filter: string;
  count: number;
}

export interface WholeSelection {
  value: WholeList | undefined;
  onChange: (next: WholeList | undefined) => void;
}

export interface ListSelection {
  value: RowSelection;
  onChange: (next: RowSelection) => void;
  /** Present if all rows of the filter can be selected, even more than one call changes. */
  whole?: WholeSelection;
  /** Whether the selection cannot change now. */
  locked?: boolean;
  /** The buttons for the selected rows, while some are selected. */
  acts?: ReactNode;
}

/** The selection as the page shows it: while the whole list is selected, all rows of the page are ticked. */
export function useTicked(
  selection: ListSelection | undefined,
  filter: string | undefined,
  keys: () => readonly string[],
): ListSelection | undefined {
  const whole = selection?.whole;
  // Another filter has other rows, so the selection is outdated.
  const isOutdated = whole?.value !== undefined && whole.value.filter !== filter;
  useEffect(() => {
    if (isOutdated) whole?.onChange(undefined);
  }, [isOutdated, whole]);
  if (!selection || !whole?.value) return selection;
  const onChange = (next: RowSelection) => {
    whole.onChange(undefined);
    selection.onChange(next);
  };
  return { ...selection, value: Object.fromEntries(keys().map((key) => [key, true as const])), onChange };
}
