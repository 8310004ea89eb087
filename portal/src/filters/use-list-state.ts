import { useCallback, useMemo } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { useAddress } from '../hooks/use-address.ts';
import { defaultViews, openingWith, viewScreenAt } from './default-views.ts';
import type { ListAddress, ListState } from './list-state.ts';

export type ChangeList = (change: Partial<ListState>, options?: { replace?: boolean }) => void;

/**
 * The state of a grid, stored in the address; one that says nothing gets the person's default view. A change of anything but the
 * page returns to the first page.
 */
export function useListState(address: ListAddress): readonly [ListState, ChangeList] {
  const [params] = useSearchParams();
  const screen = viewScreenAt(useLocation().pathname);
  const opening = defaultViews.use()[screen ?? 'workunitsv2'];
  const { read, write } = useMemo(() => openingWith(address, screen && opening), [address, opening, screen]);
  const setAddress = useAddress();
  const text = params.toString();
  const state = useMemo(() => read(new URLSearchParams(text)), [read, text]);
  const change = useCallback<ChangeList>(
    (part, { replace = false } = {}) => setAddress((now) => write(now, { ...read(now), page: 0, ...part }), { replace }),
    [read, setAddress, write],
  );
  return [state, change];
}
