/** How many devices are up to date, under the same search and filters as the list. */
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { eq, and } from '@cloudfit/contract/query/build.ts';
import { listFilter } from '../../filters/list-query.ts';
import type { ListState } from '../../filters/list-state.ts';
import { useGroups } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { versionReportView } from './version-report.view.tsx';

const counted = 'aggregate(deviceId with countdistinct as n)';
const apply = (filter: string | undefined) => (filter ? `filter(${filter})/${counted}` : counted);

interface CountRow {
  n: number;
}

/**
 * A device with at least one outdated package counts once as out of date, so the two counters add up to all devices.
 * The filter by version status does not change them.
 */
export function useDeviceCounts(state: ListState) {
  const scope = useScope();
  const { versionStatus: _versionStatus, ...filters } = state.filters;
  const filter = listFilter(versionReportView, { ...state, filters }, scope);
  const all = useGroups<CountRow>(complianceReport, { apply: apply(filter) });
  const outdated = useGroups<CountRow>(complianceReport, { apply: apply(and(filter, eq(complianceReport, 'versionStatus', 'Outdated'))) });
  const count = (list: typeof all) => (list.data ? (list.data.rows[0]?.n ?? 0) : undefined);
  const [every, old] = [count(all), count(outdated)];
  return {
    upToDate: every === undefined || old === undefined ? undefined : Math.max(0, every - old),
    outOfDate: old,
    error: all.error ?? outdated.error,
  };
}
