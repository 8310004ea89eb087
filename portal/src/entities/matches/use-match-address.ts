/** The state of the list of matches in the address, in parameters other than those of the page around it. */
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { isPageSize } from '../../components/table/pager.tsx';
import type { SortKey } from '../../components/table/table-column.ts';
import { parseSort } from '../../filters/list-state.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';

const names = {
  match: `${panelPrefix}match`,
  search: `${panelPrefix}search`,
  page: `${panelPrefix}matchPage`,
  rows: `${panelPrefix}rows`,
  sort: `${panelPrefix}sort`,
} as const;

export interface MatchState {
  search: string;
  /** Zero-based; one-based in the address. */
  page: number;
  rows: number;
  sort: readonly SortKey[];
}

const newestFirst: readonly SortKey[] = [{ id: 'created', desc: true }];
const printSort = (sort: readonly SortKey[]) => sort.map((key) => `${key.desc ? '-' : ''}${key.id}`).join(',');

export function useMatchAddress(rowsAtFirst: number) {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const text = params.toString();
  const state = useMemo((): MatchState => {
    const now = new URLSearchParams(text);
    const rows = Number(now.get(names.rows));
    const sort = parseSort(now.get(names.sort) ?? '');
    return {
      search: now.get(names.search) ?? '',
      page: Math.max(0, (Number(now.get(names.page)) || 1) - 1),
      rows: isPageSize(rows) ? rows : rowsAtFirst,
      sort: sort.length > 0 ? sort : newestFirst,
    };
  }, [rowsAtFirst, text]);

  /** A change of anything but the page returns to the first page. */
  const change = (part: Partial<MatchState>) =>
    setAddress(
      (next) => {
        const { search, page, rows, sort } = { ...state, page: 0, ...part };
        const values: readonly (readonly [string, string])[] = [
          [names.search, search],
          [names.page, page > 0 ? String(page + 1) : ''],
          [names.rows, rows === rowsAtFirst ? '' : String(rows)],
          [names.sort, printSort(sort) === printSort(newestFirst) ? '' : printSort(sort)],
        ];
        for (const [name, value] of values) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return undefined;
      },
      { replace: true },
    );

  /** Opens the executions of one match; undefined closes them. */
  const openMatch = (id: string | undefined) =>
    setAddress(
      (next) => {
        if (id) next.set(names.match, id);
        else next.delete(names.match);
        return undefined;
      },
      { now: true },
    );

  return { state, change, matchId: params.get(names.match), openMatch };
}
