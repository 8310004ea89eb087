/** Titles of the rows that an entry refers to, so that a reader sees names where ids are recorded. */
import { useQueries } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { fieldValue } from '../../rows/row.ts';
import { readTitles } from '../../entities/read-titles.ts';
import { fetchUntyped } from '../../rows/use-rows.ts';
import type { FieldDifference } from './audit-query.ts';

const partKeys = 50;

/**
 * Returns the title of a row by its resource and key; undefined while it loads, or if the row was deleted or may not be read.
 */
export type ReferenceNames = (ref: string, key: unknown) => string | undefined;

async function titlesOf(name: string, keys: readonly string[], signal: AbortSignal): Promise<Record<string, string>> {
  const reference = referenceTo(name);
  const { key, title } = reference;
  const { rows } = await fetchUntyped(
    name,
    { filter: oneOf(reference, key, keys), select: [...new Set([key, title])], top: keys.length },
    signal,
  );
  return Object.fromEntries(rows.map((row) => [String(fieldValue(row, key)), String(fieldValue(row, title))]));
}

/** A row of another resource, by its key. */
export interface AuditReference {
  ref: string;
  key: unknown;
}

/** Returns the rows to which the values of reference fields among `differences` refer. */
export function referencesOf(resource: Resource | undefined, differences: readonly FieldDifference[]): readonly AuditReference[] {
  return differences.flatMap(({ name, before, after }) => {
    const ref = resource?.fields[name]?.ref;
    return ref ? [before, after].map((key) => ({ ref, key })) : [];
  });
}

/** The names for the rows of an export. */
export async function readReferenceNames(references: readonly AuditReference[]): Promise<ReferenceNames> {
  const refs = [...new Set(references.map(({ ref }) => ref))];
  const titles = new Map(
    await Promise.all(
      refs.map(async (ref) => {
        const keys = references.filter((reference) => reference.ref === ref).map(({ key }) => String(key));
        return [ref, await readTitles(ref, keys)] as const;
      }),
    ),
  );
  return (ref, key) => titles.get(ref)?.get(String(key));
}

export function useReferenceNames(references: readonly AuditReference[]): ReferenceNames {
  const keys = new Map<string, Set<string>>();
  for (const { ref, key } of references)
    if (key !== undefined && key !== null && key !== '') keys.set(ref, (keys.get(ref) ?? new Set()).add(String(key)));
  // Each lookup fits into one address. All but the last are full, so they stay cached when older entries are appended.
  const lookups = [...keys].flatMap(([ref, values]) => {
    const all = [...values];
    return Array.from({ length: Math.ceil(all.length / partKeys) }, (_, part) => ({
      ref,
      values: all.slice(part * partKeys, (part + 1) * partKeys),
    }));
  });
  const results = useQueries({
    queries: lookups.map(({ ref, values }) => ({
      queryKey: [ref, 'titles', values],
      queryFn: ({ signal }: { signal: AbortSignal }) => titlesOf(ref, values, signal),
      staleTime: 60_000,
      retry: false,
    })),
  });
  return (ref, key) =>
    results[lookups.findIndex((lookup) => lookup.ref === ref && lookup.values.includes(String(key)))]?.data?.[String(key)];
}
