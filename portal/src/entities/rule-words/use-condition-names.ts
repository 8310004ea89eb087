/** Names of the rows that conditions refer to by id. Rules that refer to the same rows share one read. */
import { useQueries } from '@tanstack/react-query';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { useMay } from '../../api/lookups.ts';
import { readTitles } from '../read-titles.ts';

export type ConditionNames = (resource: string, id: string) => string | undefined;

const staleMs = 60_000;
/** The names that have been read, for texts outside of components, such as those of an export. */
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

async function readRows(name: string, ids: readonly string[]): Promise<null> {
  for (const [id, title] of await readTitles(name, ids)) readNames.set(keyOf(name, id), title);
  return null;
}

/** Reads the names of the rows to which the conditions refer, so that `nameRead` returns them. */
export async function readConditionNames(conditions: readonly Condition[]): Promise<void> {
  await Promise.all(idsByResource(conditions).map(([name, ids]) => readRows(name, ids)));
}

export function useConditionNames(conditions: readonly Condition[]): ConditionNames {
  const may = useMay();
  useQueries({
    queries: idsByResource(conditions).map(([name, ids]) => ({
      queryKey: [name, 'names', ids],
      queryFn: () => readRows(name, ids),
      enabled: may(referenceTo(name).area, 'view'),
      staleTime: staleMs,
    })),
  });
  return nameRead;
}
