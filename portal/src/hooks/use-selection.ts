/**
 * The selected rows of a list, over all its pages, until the person leaves the screen. Actions on them may clear it
 * from other components.
 */
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { RowSelectionState } from '@tanstack/react-table';

const none: RowSelectionState = {};
const selections = new Map<string, RowSelectionState>();
const listeners = new Set<() => void>();

function set(name: string, next: RowSelectionState) {
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
  const setSelection = useCallback((next: RowSelectionState) => set(name, next), [name]);
  return [selection, setSelection] as const;
}

export function selectedKeys(selection: RowSelectionState): readonly string[] {
  return Object.keys(selection).filter((key) => selection[key]);
}
