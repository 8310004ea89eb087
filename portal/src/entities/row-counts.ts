/** Counts, for each row of a list, the rows of another resource that refer to it, in one request for all rows. */
import { limits } from '@cloudfit/contract/limits.ts';
import type { FieldName, Resource } from '@cloudfit/contract/resource.ts';
import { useMay } from '../api/lookups.ts';
import { fetchGroups, useGroups } from '../rows/use-rows.ts';

export interface RowCountQuery {
  resource: Resource;
  apply: string;
  /** The field of the counted rows that holds the id of the list's row. */
  by: string;
}

/** A counting of the rows of a filter, or of all rows, grouped by a field. */
export function countingBy<R extends Resource>(resource: R, by: FieldName<R>, filter?: string): RowCountQuery {
  const groups = `groupby((${by}),aggregate($count as n))`;
  return { resource, by, apply: filter ? `filter(${filter})/${groups}` : groups };
}

type CountedGroup = Record<string, unknown> & { n: number };

const queryOf = ({ apply }: RowCountQuery) => ({ apply, top: limits.pageMax });
const countIn = (groups: readonly CountedGroup[], by: string, id: string) => groups.find((group) => group[by] === id)?.n ?? 0;

/** The count for a row; undefined until it has loaded, and for people who may not see the counted rows. */
export function useRowCount(counting: RowCountQuery, id: string): number | undefined {
  const isSeen = useMay()(counting.resource.area, 'view');
  const { data } = useGroups<CountedGroup>(counting.resource, queryOf(counting), { enabled: isSeen });
  return data && countIn(data.rows, counting.by, id);
}

/** Reads the counts for an export. Returns a function that gives the count of a row as text. */
export async function rowCounts(counting: RowCountQuery): Promise<(id: string) => string> {
  const { rows } = await fetchGroups<CountedGroup>(counting.resource, queryOf(counting));
  return (id) => String(countIn(rows, counting.by, id));
}
