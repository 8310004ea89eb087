/** What the overview of a device reads: matches, work units, marks of the charts, operations and the last lines of the log. */
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { deviceLogList, latestRunList } from '@cloudfit/contract/calls.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { deviceLogs } from '@cloudfit/contract/resources/device-logs.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { operationRuns } from '@cloudfit/contract/resources/operation-runs.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { useCall } from '../../../api/call.ts';
import { useLive } from '../../../api/live.ts';
import { useMay } from '../../../api/lookups.ts';
import type { ChartMark } from '../../../components/chart/points.ts';
import { isOpen } from '../../../entities/attention.ts';
import { useMaintenanceOf } from '../../../entities/maintenance/use-maintenance.ts';
import { useOutages } from '../../../entities/series/use-outages.ts';
import { fetchPage, useList, useRow } from '../../../rows/use-rows.ts';

const pollMs = 30_000;
const shownMatches = 5;
const shownUnits = 5;
const maxMarks = 100;
const logLines = 6;
const maxOperations = 200;

/** The latest open matches of a device, with their rules. */
export function useOpenMatches(deviceId: string) {
  return useList(
    ruleMatches,
    {
      filter: and(eq(ruleMatches, 'subjectId', deviceId), eq(ruleMatches, 'closed', null)),
      expand: ['rule'],
      orderBy: 'created desc',
      top: shownMatches,
    },
    { enabled: useMay()('Rules', 'view'), pollMs },
  );
}

const relatesTo = (deviceId: string) =>
  `relations/any(r:r/${eq(workUnitRelations, 'referenceType', 'Device')} and r/${eq(workUnitRelations, 'referenceId', deviceId)})`;

/** The open work units about a device. */
export function useOpenUnits(deviceId: string) {
  return useList(
    workUnits,
    { filter: and(isOpen, relatesTo(deviceId)), orderBy: ['severityId asc', 'created desc'], top: shownUnits },
    { enabled: useMay()('WorkUnits', 'view'), pollMs },
  );
}

const time = (value: string | null) => (value === null ? undefined : Date.parse(value));

/** What happened to a device since `from`, as marks of its charts. */
export function useDeviceMarks(deviceId: string, tenantId: string, from: number): readonly ChartMark[] {
  const may = useMay();
  // Rounded to five minutes, so that a range that moves with the clock is not read again each second.
  const since = new Date(Math.floor(from / 300_000) * 300_000).toISOString();
  const outages = useOutages(since, tenantId);
  const { data: matches } = useQuery({
    queryKey: [ruleMatches.name, 'marks', deviceId, since],
    queryFn: ({ signal }) =>
      fetchPage(
        ruleMatches,
        { filter: `${eq(ruleMatches, 'subjectId', deviceId)} and lastMatch ge ${since}`, orderBy: 'created desc', top: maxMarks },
        signal,
      ),
    enabled: may('Rules', 'view'),
  });
  const { data: units } = useQuery({
    queryKey: [workUnits.name, 'marks', deviceId, since],
    queryFn: ({ signal }) =>
      fetchPage(workUnits, { filter: `created ge ${since} and ${relatesTo(deviceId)}`, orderBy: 'created desc', top: maxMarks }, signal),
    enabled: may('WorkUnits', 'view'),
  });
  const { data: device } = useRow(devices, deviceId, { expand: ['location', 'tenant', 'subscription'] });
  const { data: windows } = useQuery({
    queryKey: [maintenanceWindows.name, 'marks', tenantId, since],
    queryFn: ({ signal }) =>
      fetchPage(
        maintenanceWindows,
        { filter: `${eq(maintenanceWindows, 'tenantId', tenantId)} and endsAt ge ${since}`, orderBy: 'endsAt desc', top: maxMarks },
        signal,
      ),
    enabled: may('Maintenance', 'view'),
  });
  const locationId = device?.locationId ?? undefined;
  const holders = useMaintenanceOf(deviceId);
  return useMemo(() => {
    // Of a selection, a device is in the maintenance since it is in the selection.
    const inSince = new Map(holders.map(({ id, since }) => [id, since]));
    return [
      // Includes maintenances in which nothing matched.
      ...(windows?.rows ?? [])
        .filter(
          (row) =>
            row.deviceIds.includes(deviceId) ||
            (locationId !== undefined && row.locationId === locationId) ||
            inSince.has(row.maintenanceWindowId),
        )
        .map((row): ChartMark => ({
          id: row.maintenanceWindowId,
          kind: 'maintenance',
          label: row.reason,
          href: `/${tenantId}/maintenance?id=${row.maintenanceWindowId}`,
          from: Date.parse(inSince.get(row.maintenanceWindowId) ?? row.startsAt),
          to: Date.parse(row.endsAt),
        })),
      ...(matches?.rows ?? []).map((match): ChartMark => ({
        id: match.ruleMatchId,
        kind: match.inMaintenance ? 'maintenance' : 'match',
        label: match.label,
        href: `/${tenantId}/matches/${match.ruleMatchId}`,
        from: Date.parse(match.firstMatch),
        to: time(match.closed) ?? Date.parse(match.lastMatch),
      })),
      ...(units?.rows ?? []).map((unit): ChartMark => ({
        id: String(unit.workUnitId),
        kind: 'unit',
        label: `#${unit.publicWorkUnitId} ${unit.title}`,
        href: `/${tenantId}/workunitsv2?workUnitId=${unit.workUnitId}`,
        from: Date.parse(unit.created),
      })),
      ...outages,
    ];
  }, [deviceId, holders, locationId, matches, outages, tenantId, units, windows]);
}

type RunSummary = Pick<Row<typeof operationRuns>, 'deviceOperationId' | 'status' | 'started' | 'ended' | 'value' | 'message' | 'progress'>;
const runFields = ['operationRunId', 'deviceOperationId', 'status', 'started', 'ended', 'value', 'message', 'progress'] as const;

/** The enabled operations of a device, and the latest run of each. */
export function useOperationsOf(deviceId: string) {
  const isLive = useLive();
  const list = useList(
    deviceOperations,
    {
      filter: and(eq(deviceOperations, 'deviceId', deviceId), eq(deviceOperations, 'enabled', true)),
      orderBy: 'label asc',
      top: maxOperations,
    },
    { pollMs },
  );
  const runs = useCall(
    latestRunList,
    { id: deviceId, query: { select: runFields, top: maxOperations } },
    {
      refreshedBy: operationRuns.name,
      quiet: false,
      refetchInterval: isLive ? false : pollMs,
    },
  );
  const byId = useMemo(() => new Map(runs.data?.value.map((run): [string, RunSummary] => [run.deviceOperationId, run])), [runs.data]);
  return { operations: list.data?.rows, runOf: (id: string) => byId.get(id) };
}

/** The last lines of the log of a device. */
export function useLastLines(deviceId: string) {
  const input = { id: deviceId, query: { orderBy: 'created desc', top: logLines } } as const;
  return useCall(deviceLogList, input, { refreshedBy: deviceLogs.name, quiet: false, refetchInterval: pollMs });
}
