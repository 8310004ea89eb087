/** Where a unit is in the list that the page shows, read from the answer of the list: no code of the first load is needed for it. */
import { useSyncExternalStore } from 'react';
import { notifyManager, type QueryCache } from '@tanstack/react-query';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { RowsPage } from '../../../rows/use-rows.ts';

/** The number of the unit in the list from 1, how many units the list has, and how many of its page come before and after the unit. */
type ListPlace = readonly [at: number, of: number, before: number, after: number];

function placeIn(cache: QueryCache, id: number): string {
  for (const { queryKey, state } of cache.findAll({ queryKey: [workUnits.name, 'list'], type: 'active' })) {
    const { skip = 0, top = 0, count } = queryKey[2] as ListQuery;
    const page = state.data as RowsPage<{ workUnitId?: number }> | undefined;
    const at = count && top > 0 && page?.count !== undefined ? page.rows.findIndex((row) => row.workUnitId === id) : -1;
    if (at >= 0) return JSON.stringify([skip + at + 1, page?.count, at, (page?.rows.length ?? 0) - at - 1]);
  }
  return '';
}

/** Undefined when no list is there, or the unit is not in it. */
export function useListPlace(id: number): ListPlace | undefined {
  const cache = queryClient.getQueryCache();
  const place = useSyncExternalStore(
    (listener) => cache.subscribe(notifyManager.batchCalls(listener)),
    () => placeIn(cache, id),
  );
  return place === '' ? undefined : (JSON.parse(place) as ListPlace);
}
