import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../hooks/use-address.ts';
import type { ListAddress, ListState } from './list-state.ts';

export type ChangeList = (change: Partial<ListState>, options?: { replace?: boolean }) => void;

/** The state of a grid, stored in the address. A change of anything but the page returns to the first page. */
export function useListState({ read, write }: ListAddress): readonly [ListState, ChangeList] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const text = params.toString();
  const state = useMemo(() => read(new URLSearchParams(text)), [read, text]);
  const change = useCallback<ChangeList>(
    (part, { replace = false } = {}) => setAddress((now) => write(now, { ...read(now), page: 0, ...part }), { replace }),
    [read, setAddress, write],
  );
  return [state, change];
}
