/** A number of rows of one resource for each row of a list of another, read for all of them in one request. */
import { limits } from '@cloudfit/contract/limits.ts';
import type { FieldName, Resource } from '@cloudfit/contract/resource.ts';
import { useMay } from '../api/lookups.ts';
import { fetchGroups, useGroups } from '../rows/use-rows.ts';

export interface Counting {
  resource: Resource;
  apply: string;
  /** The field that holds the id of the list's row. */
  by: string;
}

/** Counts the rows of a filter, or all, by a field. */
export function countingBy<R extends Resource>(resource: R, by: FieldName<R>, filter?: string): Counting {
  const groups = `groupby((${by}),aggregate($count as n))`;
  return { resource, by, apply: filter ? `filter(${filter})/${groups}` : groups };
}

type CountedGroup = Record<string, unknown> & { n: number };

const queryOf = ({ apply }: Counting) => ({ apply, top: limits.pageMax });
const countIn = (groups: readonly CountedGroup[], by: string, id: string) => groups.find((group) => group[by] === id)?.n ?? 0;

/** The count for a row; undefined until it has loaded, and for people who may not see the counted rows. */
export function useRowCount(counting: Counting, id: string): number | undefined {
  const isSeen = useMay()(counting.resource.area, 'view');
  const { data } = useGroups<CountedGroup>(counting.resource, queryOf(counting), { enabled: isSeen });
  return data && countIn(data.rows, counting.by, id);
}

/** The same number for the rows of an export. */
export async function rowCounts(counting: Counting): Promise<(id: string) => string> {
  const { rows } = await fetchGroups<CountedGroup>(counting.resource, queryOf(counting));
  return (id) => String(countIn(rows, counting.by, id));
}
