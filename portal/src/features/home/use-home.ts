/** The queries of the home page. Each runs only if the person may view what it reads. */
import { useQuery } from '@tanstack/react-query';
import { openOverTime } from '@cloudfit/contract/calls.ts';
import { and, compare, eq, or, related } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { isAwake, isBreaching, isOpen, isSilent, waitsFor } from '../../entities/attention.ts';
import { useGroups, useList } from '../../rows/use-rows.ts';
import { useNow } from '../../components/relative-time.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { daysUntil, sumsByDay, type Day, type OpenCount } from './open-over-time.ts';

export const shownDays = 14;
export const shownUnits = 6;
const pollMs = 60_000;
/** Poll interval of the trend in milliseconds: longer, because its history is large and rarely changes. */
const trendPollMs = 5 * pollMs;

/** The number of work units of a list. */
function useUnitCount(filter: string | undefined) {
  const enabled = useMay()('WorkUnits', 'view') && filter !== undefined;
  return useList(workUnits, { filter, select: ['workUnitId'], top: 0, count: true }, { enabled, pollMs });
}

export function useMine() {
  const { tenantId, user } = useScope();
  return useUnitCount(user && and(eq(workUnits, 'tenantId', tenantId), isOpen, isAwake, eq(workUnits, 'assignedTo', user.userName)));
}

export function useApprovals() {
  const { tenantId, user } = useScope();
  return useUnitCount(user && and(eq(workUnits, 'tenantId', tenantId), isOpen, isAwake, waitsFor(user.userName)));
}

/** Units of which a clock of the service level has warned, or is over. */
export function useBreaching() {
  const { tenantId } = useScope();
  return useUnitCount(and(eq(workUnits, 'tenantId', tenantId), isOpen, isBreaching));
}

const unitFields = ['workUnitId', 'publicWorkUnitId', 'title', 'severityId', 'created'] as const;

/** The first open work units, the most severe first. */
export function useSevere() {
  const { tenantId } = useScope();
  const filter = and(eq(workUnits, 'tenantId', tenantId), isOpen);
  return useList(
    workUnits,
    { select: unitFields, filter, orderBy: ['severityId asc', 'created desc'], top: shownUnits },
    { enabled: useMay()('WorkUnits', 'view'), pollMs },
  );
}

/**
 * Open communications whose promised update is late. The time in the query is rounded to a minute, so that its result is
 * cached.
 */
export function useOverdueUpdates() {
  const { tenantId } = useScope();
  const minute = new Date(Math.floor(useNow() / pollMs) * pollMs).toISOString();
  const isOpenStatus = and(
    compare(workUnitCommunications, 'status', 'ne', 'Cancelled'),
    compare(workUnitCommunications, 'status', 'ne', 'Resolved'),
  );
  const isLate = or(
    compare(workUnitCommunications, 'nextUpdate', 'le', minute),
    compare(workUnitCommunications, 'nextInternalUpdate', 'le', minute),
  );
  const filter = and(eq(workUnitCommunications, 'tenantId', tenantId), isOpenStatus, isLate);
  return useList(workUnitCommunications, { filter, top: 1, count: true }, { enabled: useMay()('WorkUnitCommunications', 'view'), pollMs });
}

const openNowQuery = (tenantId: string | null) => ({
  apply: `filter(${and(eq(workUnits, 'tenantId', tenantId), isOpen)})/groupby((severityId,stateId),aggregate($count as n))`,
});

/** The number of units that are open now, by severity and state. */
export function useOpenNow() {
  const { tenantId } = useScope();
  return useGroups<OpenCount>(workUnits, openNowQuery(tenantId), { enabled: useMay()('WorkUnits', 'view'), pollMs });
}

/** Reads the trend with the viewer's current time zone offset; daylight saving time within the period is ignored. */
async function fetchTrend(tenantId: string | null, signal: AbortSignal): Promise<readonly Day[]> {
  const today = new Date();
  const input = { days: shownDays, minutes: -today.getTimezoneOffset(), tenantId: tenantId ?? undefined };
  const { value } = await call(openOverTime, input, { signal, quiet: true });
  return sumsByDay(daysUntil(today, shownDays), value);
}

/** Units that were open at the end of each of the last days. */
export function useTrend() {
  const { tenantId } = useScope();
  return useQuery({
    queryKey: ['openOverTime', tenantId],
    queryFn: ({ signal }) => fetchTrend(tenantId, signal),
    enabled: useMay()('WorkUnits', 'view'),
    refetchInterval: trendPollMs,
  });
}

const ruleOfMatch = related(ruleMatches, 'rule', rules);

/** The number of open matches of each enabled rule of the current tenant that applies to the current subscription. */
export function useOpenMatches() {
  const { tenantId, subscriptionId, isKnown } = useScope();
  const here = subscriptionId ? or(eq(ruleOfMatch, 'subscriptionId', subscriptionId), eq(ruleOfMatch, 'subscriptionId', null)) : undefined;
  const filter = and(eq(ruleMatches, 'tenantId', tenantId), eq(ruleMatches, 'closed', null), eq(ruleOfMatch, 'enabled', true), here);
  return useGroups<{ ruleId: string; n: number }>(
    ruleMatches,
    { apply: `filter(${filter})/groupby((ruleId),aggregate($count as n))`, top: 1_000 },
    { enabled: useMay()('Rules', 'view') && isKnown, pollMs },
  );
}

/** The silent devices of the current subscription; of the whole tenant if no subscription is chosen. */
export function useSilent() {
  const { tenantId, subscriptionId, isKnown } = useScope();
  const may = useMay();
  const here = subscriptionId ? eq(devices, 'subscriptionId', subscriptionId) : undefined;
  return useList(
    devices,
    {
      filter: and(eq(devices, 'tenantId', tenantId), here, eq(devices, 'enabled', true), isSilent),
      select: ['deviceId'],
      top: 0,
      count: true,
    },
    { enabled: may('Devices', 'view') && may('Packets', 'view') && isKnown, pollMs },
  );
}
