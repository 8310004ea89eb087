import { useQuery } from '@tanstack/react-query';
import { eq } from '@cloudfit/contract/query/build.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { titleOf } from '../rows/row.ts';
import { fetchUntyped } from '../rows/use-rows.ts';

/** The name of one row of a resource, by its key. */
export function useRowName(ref: string, key: unknown, enabled: boolean) {
  return useQuery({
    queryKey: [ref, 'choice', key],
    queryFn: async ({ signal }) => {
      const resource = referenceTo(ref);
      const { rows } = await fetchUntyped(resource.name, { filter: eq(resource, resource.key, key as string), top: 1 }, signal);
      return rows[0] ? titleOf(resource, rows[0]) : null;
    },
    staleTime: 60_000,
    enabled,
  });
}
