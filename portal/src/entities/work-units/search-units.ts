import { and, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { fetchPage } from '../../rows/use-rows.ts';

const maxOffered = 10;

/** The latest of the units that `within` selects with the text in their title, or this number. An empty text is in every title. */
export async function searchUnits(within: string | undefined, text: string, signal: AbortSignal): Promise<Row<typeof workUnits>[]> {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  // A number is searched by a query of its own, so that each query uses an index.
  const filters = [
    ...(number ? [or(eq(workUnits, 'workUnitId', number), eq(workUnits, 'publicWorkUnitId', number))] : []),
    text === '' ? undefined : contains(workUnits, 'title', text),
  ];
  const pages = await Promise.all(
    filters.map((filter) => fetchPage(workUnits, { filter: and(filter, within), orderBy: 'created desc', top: maxOffered }, signal)),
  );
  const units = pages.flatMap(({ rows }) => rows);
  return [...new Map(units.map((unit) => [unit.workUnitId, unit])).values()].slice(0, maxOffered);
}
