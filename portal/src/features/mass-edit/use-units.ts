import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import { unitFields } from './mass-edit.rules.ts';

/** Number of ids in one filter. */
const atOnce = 200;

const unitsQuery = (ids: readonly number[]) =>
  queryOptions({
    queryKey: [workUnits.name, 'massEdit', ids],
    queryFn: async ({ signal }) => {
      const parts = Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, at) => ids.slice(at * atOnce, (at + 1) * atOnce));
      const pages = await Promise.all(
        parts.map((part) =>
          fetchPage(
            workUnits,
            { filter: oneOf(workUnits, 'workUnitId', part), select: unitFields, expand: ['workUnitType'], top: atOnce },
            signal,
          ),
        ),
      );
      return pages.flatMap((page) => page.rows);
    },
    staleTime: Infinity,
    gcTime: 0,
    // Not refetched: changes of other people must cause a conflict instead of being taken over unnoticed.
    meta: { live: false },
  });

/** The selected units as they were when the panel opened; `keepOnly` reduces the selection without refetching. */
export function useUnits(ids: readonly number[]) {
  const client = useQueryClient();
  const loaded = useQuery({ ...unitsQuery(ids), enabled: ids.length > 0 });
  const keepOnly = (remainingIds: readonly number[]) =>
    client.setQueryData(
      unitsQuery(remainingIds).queryKey,
      loaded.data?.filter((unit) => remainingIds.includes(unit.workUnitId)),
    );
  return { ...loaded, keepOnly };
}
