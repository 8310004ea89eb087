/** Titles of the rows that an entry refers to, so that a reader sees names where ids are recorded. */
import { useQueries } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { fieldValue } from '../../rows/row.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import type { FieldDifference } from './audit-query.ts';

/** The title of a row by its resource and key; undefined while it loads, when it is gone, or for who may not read it. */
export type ReferenceNames = (ref: string, key: unknown) => string | undefined;

async function titlesOf(resource: Resource, keys: readonly string[], signal: AbortSignal): Promise<Record<string, string>> {
  const { key, title } = resource;
  const { rows } = await fetchPage(
    resource,
    { filter: oneOf(resource, key, keys), select: [...new Set([key, title])], top: keys.length },
    signal,
  );
  return Object.fromEntries(rows.map((row) => [String(fieldValue(row, key)), String(fieldValue(row, title))]));
}

export function useReferenceNames(resource: Resource | undefined, differences: readonly FieldDifference[]): ReferenceNames {
  const keys = new Map<string, Set<string>>();
  for (const { name, before, after } of differences) {
    const ref = resource?.fields[name]?.ref;
    if (!ref) continue;
    const ids = keys.get(ref) ?? new Set();
    for (const value of [before, after]) if (value !== undefined && value !== null && value !== '') ids.add(String(value));
    keys.set(ref, ids);
  }
  const lookups = [...keys].filter(([, values]) => values.size > 0).map(([ref, values]) => ({ ref, values: [...values].toSorted() }));
  const results = useQueries({
    queries: lookups.map(({ ref, values }) => ({
      queryKey: [ref, 'titles', values],
      queryFn: ({ signal }: { signal: AbortSignal }) => titlesOf(requireResource(ref), values, signal),
      staleTime: 60_000,
      retry: false,
    })),
  });
  return (ref, key) => results[lookups.findIndex((one) => one.ref === ref)]?.data?.[String(key)];
}
