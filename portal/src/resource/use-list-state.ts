import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { namesFilters, readListState, writeListState, type ListState } from './list-state.ts';
import { useAddress } from './use-address.ts';
import type { View } from './view.ts';

type Kept = Pick<ListState, 'filters' | 'quick'>;

const savedKey = (name: string) => `cloudfit.filters.${name}`;

/** Filters to start from: those of the last visit, else the view's own. */
function firstFilters<T>(view: View<T>): Kept {
  const own: Kept = { filters: view.defaultFilters ?? {}, quick: [] };
  if (!view.savesFilters) return own;
  try {
    const saved = localStorage.getItem(savedKey(view.resource.name));
    return saved ? { ...own, ...(JSON.parse(saved) as Partial<Kept>) } : own;
  } catch {
    return own;
  }
}

/** The state of a grid, kept in the address. A change of anything but the page goes back to the first page. */
export function useListState<T>(
  view: View<T>,
): readonly [ListState, (change: Partial<ListState>, options?: { replace?: boolean }) => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const text = params.toString();
  const state = useMemo(() => {
    const now = new URLSearchParams(text);
    return readListState(view, now, namesFilters(now) ? { filters: {}, quick: [] } : firstFilters(view));
  }, [view, text]);

  // A bare address gets its filters written in, so that it can be sent as it stands.
  useEffect(() => {
    if (!namesFilters(params) && (Object.keys(state.filters).length > 0 || state.quick.length > 0))
      setAddress((now) => writeListState(view, now, state), { replace: true });
  }, [params, setAddress, state, view]);

  const change = useCallback(
    (part: Partial<ListState>, options: { replace?: boolean } = {}) => {
      setAddress(
        (now) => {
          const before = readListState(view, now, namesFilters(now) ? { filters: {}, quick: [] } : firstFilters(view));
          const next = { ...before, page: 0, ...part };
          if (view.savesFilters && (part.filters || part.quick))
            localStorage.setItem(savedKey(view.resource.name), JSON.stringify({ filters: next.filters, quick: next.quick }));
          return writeListState(view, now, next);
        },
        { replace: options.replace ?? false },
      );
    },
    [setAddress, view],
  );

  return [state, change];
}
