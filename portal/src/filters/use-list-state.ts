import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { keepFilters, namesFilters, startState, writeListState, type ListState } from './list-state.ts';
import { useAddress } from '../hooks/use-address.ts';
import type { Listing } from './listing.ts';

/** The state of a grid, kept in the address. A change of anything but the page goes back to the first page. */
export function useListState(view: Listing): readonly [ListState, (change: Partial<ListState>, options?: { replace?: boolean }) => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const text = params.toString();
  const state = useMemo(() => startState(view, new URLSearchParams(text)), [view, text]);

  // A bare address gets its filters written in, so that it can be sent as it stands.
  useEffect(() => {
    if (!namesFilters(params) && (Object.keys(state.filters).length > 0 || state.quick.length > 0))
      setAddress((now) => writeListState(view, now, state), { replace: true });
  }, [params, setAddress, state, view]);

  const change = useCallback(
    (part: Partial<ListState>, options: { replace?: boolean } = {}) => {
      setAddress(
        (now) => {
          const next = { ...startState(view, now), page: 0, ...part };
          if (view.savesFilters && (part.filters || part.quick)) keepFilters(view, next);
          return writeListState(view, now, next);
        },
        { replace: options.replace ?? false },
      );
    },
    [setAddress, view],
  );

  return [state, change];
}
