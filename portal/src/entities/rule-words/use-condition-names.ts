/** Names of the rows that conditions refer to by id. Rules that refer to the same rows share one read. */
import { useQueries } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';

export type ConditionNames = (resource: string, id: string) => string | undefined;

const staleMs = 60_000;
/** What was read, for texts that are made outside of components, as those of an export. */
const readNames = new Map<string, string>();
const keyOf = (resource: string, id: string) => `${resource} ${id.toLowerCase()}`;

export const nameRead: ConditionNames = (resource, id) => readNames.get(keyOf(resource, id));

function idsByResource(conditions: readonly Condition[]): readonly (readonly [string, readonly string[]])[] {
  const ids = new Map<string, Set<string>>();
  for (const { LeftOperand, RightOperand } of conditions) {
    const resource = operandOf(LeftOperand)?.lookup;
    if (resource && RightOperand) ids.set(resource, (ids.get(resource) ?? new Set()).add(RightOperand.toLowerCase()));
  }
  return [...ids].map(([resource, some]) => [resource, [...some].toSorted()] as const);
}

async function readRows(name: string, ids: readonly string[], signal: AbortSignal): Promise<null> {
  const resource = findResource(name);
  if (!resource) return null;
  const { key, title } = resource;
  const query = queryString({ filter: oneOf(resource, key, ids), select: [key, title], top: ids.length });
  const { value } = await callJson<{ value: Record<string, unknown>[] }>(`/v1/${name}${query}`, { signal, quiet: true });
  for (const row of value) readNames.set(keyOf(name, String(row[key])), String(row[title]));
  return null;
}

export function useConditionNames(conditions: readonly Condition[]): ConditionNames {
  const may = useMay();
  useQueries({
    queries: idsByResource(conditions).map(([name, ids]) => {
      const area = findResource(name)?.area;
      return {
        queryKey: [name, 'names', ids],
        queryFn: ({ signal }: { signal: AbortSignal }) => readRows(name, ids, signal),
        enabled: area !== undefined && may(area, 'view'),
        staleTime: staleMs,
      };
    }),
  });
  return nameRead;
}
