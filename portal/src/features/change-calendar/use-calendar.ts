/** Reads what the calendar of changes shows. */
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { changeCalendarTexts as t } from '@cloudfit/contract/messages/change-calendar.en.ts';
import { and, eq, or } from '@cloudfit/contract/query/build.ts';
import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useMay } from '../../api/lookups.ts';
import { unitAddress } from '../../entities/explanations/addresses.ts';
import { useList } from '../../rows/use-rows.ts';
import type { CalendarEntry } from './calendar.rules.ts';

/** The most rows of a kind. */
const shownMax = 500;

const planFields = [
  'workUnitId',
  'publicWorkUnitId',
  'title',
  'tenantId',
  'plannedStartTime',
  'plannedFinishTime',
  'approved1By',
  'approved2By',
  'isApproverRequired',
  'approvalOverriddenBy',
] as const;

interface Approvals {
  approved1By: string | null;
  approved2By: string | null;
  isApproverRequired: boolean;
  approvalOverriddenBy: string | null;
}

function approvalOf({ approved1By, approved2By, isApproverRequired, approvalOverriddenBy }: Approvals): CalendarEntry['state'] {
  if (approvalOverriddenBy) return 'overridden';
  return approved1By && (approved2By || !isApproverRequired) ? 'approved' : 'open';
}

/**
 * The changes, maintenances and freezes between two times, of the tenant in the address or of all that the person sees.
 */
export function useCalendar({ from, until, home, isAll }: { from: number; until: number; home: string; isAll: boolean }) {
  const tenantId = isAll ? undefined : home;
  const may = useMay();
  const mayWindows = may(maintenanceWindows.area, 'view');
  const [begin, end] = [new Date(from).toISOString(), new Date(until).toISOString()];
  const page = { top: shownMax, count: true, expand: ['tenant($select=tenantId,name)'] as const };
  const changes = useList(workUnits, {
    ...page,
    select: [...planFields],
    filter: and(
      eq(workUnits, 'workUnitTypeId', workUnitType.changeRequest),
      tenantId ? eq(workUnits, 'tenantId', tenantId) : undefined,
      `plannedStartTime lt ${end}`,
      `plannedFinishTime ge ${begin}`,
      "stateId ne 'Canceled'",
    ),
    orderBy: 'plannedStartTime asc',
  });
  const times = and(`startsAt lt ${end}`, `endsAt gt ${begin}`);
  const windows = useList(
    maintenanceWindows,
    {
      ...page,
      // That of an approved change is the change.
      filter: and(tenantId ? eq(maintenanceWindows, 'tenantId', tenantId) : undefined, times, 'isChange eq false'),
      orderBy: 'startsAt asc',
    },
    { enabled: mayWindows },
  );
  const freezes = useList(
    changeFreezes,
    {
      ...page,
      filter: and(tenantId ? or(eq(changeFreezes, 'tenantId', tenantId), eq(changeFreezes, 'tenantId', null)) : undefined, times),
      orderBy: 'startsAt asc',
    },
    { enabled: mayWindows },
  );
  const nameOf = (tenant: { name: string } | null) => (tenantId ? undefined : tenant?.name);
  const entries: CalendarEntry[] = [
    ...(freezes.data?.rows ?? []).map((row): CalendarEntry => ({
      key: `freeze ${row.changeFreezeId}`,
      kind: 'freeze',
      title: row.name,
      tenant: nameOf(row.tenant),
      from: Date.parse(row.startsAt),
      until: Date.parse(row.endsAt),
      to: `/${row.tenantId ?? home}/changefreezes?id=${row.changeFreezeId}`,
    })),
    ...(changes.data?.rows ?? []).map((row): CalendarEntry => ({
      key: `change ${row.workUnitId}`,
      kind: 'change',
      title: t.change(row.publicWorkUnitId, row.title),
      state: approvalOf(row),
      tenant: nameOf(row.tenant),
      from: Date.parse(row.plannedStartTime ?? ''),
      until: Date.parse(row.plannedFinishTime ?? ''),
      to: unitAddress(row.workUnitId),
    })),
    ...(windows.data?.rows ?? []).map((row): CalendarEntry => ({
      key: `window ${row.maintenanceWindowId}`,
      kind: 'window',
      title: row.reason,
      tenant: nameOf(row.tenant),
      from: Date.parse(row.startsAt),
      until: Date.parse(row.endsAt),
      to: `/${row.tenantId}/maintenance?id=${row.maintenanceWindowId}`,
    })),
  ];
  const lists = { change: changes, ...(mayWindows ? { window: windows, freeze: freezes } : {}) };
  const cut = Object.entries(lists).filter(([, { data }]) => (data?.count ?? 0) > shownMax);
  return {
    entries,
    /** The kinds of which not all are shown. */
    cut: cut.map(([kind]) => kind as CalendarEntry['kind']),
    shownMax,
    isLoaded: Object.values(lists).every(({ data }) => data !== undefined),
    error: Object.values(lists).find(({ error, data }) => error && data === undefined)?.error,
    refetch: () => Promise.all(Object.values(lists).map((list) => list.refetch())),
  };
}
