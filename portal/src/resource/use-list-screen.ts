/** The rows of a list for the search, filters, sort and page in the address. */
import { useEffect, useRef, type RefObject } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { usePageTitle } from '../components/page-title.ts';
import { listQuery } from '../filters/list-query.ts';
import type { ListState } from '../filters/list-state.ts';
import type { ChangeList } from '../filters/use-list-state.ts';
import { useHover } from '../hooks/use-hover.ts';
import { useSettledRows } from '../hooks/use-settled-rows.ts';
import { keyOf } from '../rows/row.ts';
import { useList, type RowsPage, type RowsQuery } from '../rows/use-rows.ts';
import { useScope } from '../rows/use-scope.ts';
import { useColumns, type Columns } from './use-columns.ts';
import type { View } from './view.ts';

export interface ListScreen<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  state: ListState;
  change: ChangeList;
  columns: Columns<ExpandedRow<R, Item>>;
  query: RowsQuery<R, Item>;
  list: UseQueryResult<RowsPage<ExpandedRow<R, Item>>>;
  rows: readonly ExpandedRow<R, Item>[];
  count: number | undefined;
  /** The number of added, removed and moved rows that wait while the list is in use. */
  waiting: number;
  showWaiting: () => void;
  place: RefObject<HTMLDivElement | null>;
}

interface ScreenOptions {
  /** False: neither live changes nor polls refresh the list. */
  refresh?: boolean;
  /** False: the list does not poll, such as while a panel is open. Live changes still refresh the list. */
  polls?: boolean;
}

const noRows: readonly never[] = [];

export function useListScreen<R extends Resource, Item extends ExpandItem<R>>(
  view: View<R, Item>,
  [state, change]: readonly [ListState, ChangeList],
  { refresh = true, polls = true }: ScreenOptions = {},
): ListScreen<R, Item> {
  const scope = useScope();
  const columns = useColumns(view);
  const waits = (view.bySubscription === true && !scope.isKnown) || (state.quick.length > 0 && !scope.user);
  const query = listQuery(view, state, scope);
  const list = useList(view.resource, query, { pollMs: polls ? view.pollMs : undefined, refresh, enabled: !waits });
  const place = useRef<HTMLDivElement>(null);
  const isHovered = useHover(place);
  // Empty while the rows of the previous query stay visible, so that the rows of the next query are shown at once.
  const shownQuery = list.isPlaceholderData ? '' : JSON.stringify(query);
  const { rows, waiting, settle } = useSettledRows(list.data?.rows ?? noRows, shownQuery, isHovered, (row) => keyOf(view.resource, row));
  usePageTitle(view.texts.title);

  const count = list.data?.count;
  const lastPage = count === undefined ? undefined : Math.max(0, Math.ceil(count / state.rows) - 1);
  useEffect(() => {
    // The page of the address is beyond the last page now: goes to the last page.
    if (!list.isPlaceholderData && lastPage !== undefined && state.page > lastPage) change({ page: lastPage }, { replace: true });
  }, [change, lastPage, list.isPlaceholderData, state.page]);

  return { view, state, change, columns, query, list, rows, count, waiting, showWaiting: settle, place };
}
