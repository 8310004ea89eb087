import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { and, contains } from '@cloudfit/contract/query/build.ts';
import { fetchGroups } from '../rows/use-rows.ts';
import { useScope } from '../rows/use-scope.ts';
import type { Listing } from './listing.ts';
import type { UntypedRow } from '../rows/row.ts';

const maxValues = 25;

/** The first `maxValues` distinct values of a field in the list's rows, sorted; the text `null` stands for no value. */
export function useValues(listing: Pick<Listing, 'resource' | 'base'>, name: string, search: string): readonly string[] {
  const scope = useScope();
  const filter = and(...(listing.base?.(scope, [], {}) ?? []), search ? contains(listing.resource, name, search) : undefined);
  const { data } = useQuery({
    queryKey: [listing.resource.name, 'values', name, filter],
    queryFn: async ({ signal }) => {
      const apply = `${filter ? `filter(${filter})/` : ''}groupby((${name}))`;
      const { rows } = await fetchGroups<UntypedRow>(listing.resource, { apply, orderBy: name, top: maxValues }, signal);
      return rows.map((row) => String(row[name] ?? null));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    meta: { live: false },
  });
  return data ?? [];
}
