/** The operations of a device, their runs and latest packets, and the operations that the device can run. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { availableOperations, latestRunList } from '@cloudfit/contract/calls.ts';
import { frequencyType } from '@cloudfit/contract/enums.ts';
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { operations } from '@cloudfit/contract/resources/operations.ts';
import { operationRuns } from '@cloudfit/contract/resources/operation-runs.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { callQuery } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { useLive } from '../../api/live.ts';
import { useMay, usePermissionsLoaded } from '../../api/lookups.ts';
import { fetchPage, useList, useRow } from '../../rows/use-rows.ts';

/** Poll interval of device operations and their runs in milliseconds (LIM-011). */
const operationPollMs = 10_000;
/** Poll interval of packets in milliseconds (LIM-012). */
const packetPollMs = 10_000;
/** Poll interval of the operations that a device can run, in milliseconds (LIM-013). */
const availablePollMs = 30_000;
const maxOperations = 1_000;
const runsShown = 50;

export type Operation = ExpandedRow<typeof operations, 'package'>;

const withOperation = ['operation($expand=package)'] as const;
export type DeviceOperation = ExpandedRow<typeof deviceOperations, (typeof withOperation)[number]>;

export type Packet = Row<typeof packets>;

/** The latest value of an operation and its time (OPR-023). */
export interface PacketInfo {
  value: string | number | boolean | null;
  /** The time of the measurement; the age is counted from it. */
  age: string;
  /** What a check says of its target; undefined for Unknown and for what is no check. */
  target?: 'Up' | 'Down' | undefined;
  /** The name of the metric that is the value, by which the unit of the value is known. */
  metric?: string | undefined;
}

export function packetInfoOf(packet: Pick<Packet, 'message' | 'timestamp'> | undefined): PacketInfo | undefined {
  if (!packet) return undefined;
  const { Value: value = null, Metrics = {} } = packet.message;
  const metric = typeof value === 'number' ? Object.keys(Metrics).find((name) => name !== 'Up' && Metrics[name] === value) : undefined;
  const target = Metrics['Up'] === 1 ? 'Up' : Metrics['Up'] === 0 ? 'Down' : undefined;
  return { value, age: packet.timestamp, target, metric };
}

export type OperationRun = Row<typeof operationRuns>;

const latestFields = ['operationRunId', 'deviceOperationId', 'status', 'started', 'ended', 'value', 'message', 'progress'] as const;
export type LatestRun = Pick<OperationRun, (typeof latestFields)[number]>;

/** Returns what is shown of an operation: its packet, or the result of an ended run whose packet has not arrived yet. */
export function shownOf(packet: PacketInfo | undefined, run: LatestRun | undefined): PacketInfo | undefined {
  if (!run?.ended || run.value === null || (packet && packet.age >= run.started)) return packet;
  return { value: run.value, age: run.ended };
}

const byOperation = ({ value }: { value: readonly LatestRun[] }): ReadonlyMap<string, LatestRun> =>
  new Map(value.map((run) => [run.deviceOperationId, run]));

/** The latest run of each operation of a device, by the operation's id. */
export function useLatestRuns(deviceId: string) {
  const isLive = useLive();
  const input = { id: deviceId, query: { select: latestFields, top: maxOperations } };
  return useQuery({
    ...callQuery(latestRunList, input, { refreshedBy: operationRuns.name, quiet: false }),
    select: byOperation,
    refetchInterval: pollEvery(operationPollMs, isLive),
  });
}

/** The latest runs of one operation, newest first. */
export function useRuns(deviceOperationId: string) {
  return useList(
    operationRuns,
    { filter: eq(operationRuns, 'deviceOperationId', deviceOperationId), orderBy: 'started desc', top: runsShown },
    { pollMs: operationPollMs },
  );
}

type RequestState = Pick<DeviceOperation, 'frequencyTypeId' | 'operationComplete' | 'completionToken'>;

export const isOnDemand = (operation: Pick<RequestState, 'frequencyTypeId'>): boolean =>
  operation.frequencyTypeId === frequencyType.onDemand;

/** Whether a run of an on-demand operation was requested and has not ended (OPR-032). */
export function isQueued(operation: RequestState): boolean {
  return isOnDemand(operation) && !operation.operationComplete && Boolean(operation.completionToken);
}

/** Whether a requested run is not known to have ended. Two calls read the operation and its runs, so one may be older. */
export function isWaiting(operation: RequestState, run: LatestRun | undefined): boolean {
  return isQueued(operation) && !(run?.ended && run.operationRunId === operation.completionToken);
}

/** Time in milliseconds after the end of a run in which the last lines of its log can still arrive. */
const lastLinesMs = 10_000;

/** Whether lines of the log of this run may still arrive. */
export function isLogging(run: LatestRun | undefined): boolean {
  return run?.status === 'Running' || (run?.ended != null && Date.now() - Date.parse(run.ended) < lastLinesMs);
}

/**
 * Returns the relations to expand. Without the permission to view packages, people see only the package's name in the row
 * itself.
 */
export function useOperationExpand(): typeof withOperation | undefined {
  return useMay()('Packages', 'view') ? withOperation : undefined;
}

/** The operations of a device by label; disabled ones only on request. */
export function useDeviceOperations(deviceId: string, { withDisabled }: { withDisabled: boolean }) {
  const expand = useOperationExpand();
  const isKnown = usePermissionsLoaded();
  return useList(
    deviceOperations,
    {
      filter: and(
        eq(deviceOperations, 'deviceId', deviceId),
        eq(deviceOperations, 'isDeleted', false),
        withDisabled ? undefined : eq(deviceOperations, 'enabled', true),
      ),
      expand,
      orderBy: 'label asc',
      top: maxOperations,
      count: true,
    },
    { pollMs: operationPollMs, enabled: isKnown },
  );
}

/** Polls while live changes do not arrive, but not after a 403: each poll would show its message again. */
function pollEvery(ms: number, isLive: boolean) {
  return ({ state: { error } }: { state: { error: unknown } }) =>
    isLive || (error instanceof RequestFailed && error.status === 403) ? false : ms;
}

/** The number of ids that fit into the address of one call. */
const idsOfCall = 100;

async function fetchPackets(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Packet>> {
  const parts = Array.from({ length: Math.ceil(ids.length / idsOfCall) }, (_, at) => ids.slice(at * idsOfCall, (at + 1) * idsOfCall));
  const pages = await Promise.all(
    parts.map((part) => fetchPage(packets, { filter: oneOf(packets, 'entityId', part), top: part.length }, signal)),
  );
  return new Map(pages.flatMap((page) => page.rows.map((packet) => [packet.entityId, packet])));
}

/** The latest packet of each operation, by the operation's id. */
export function usePacketsOf(ids: readonly string[]) {
  const may = useMay();
  const isLive = useLive();
  return useQuery({
    queryKey: [packets.name, 'ofOperations', ids],
    queryFn: ({ signal }) => fetchPackets(ids, signal),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0 && may('Packets', 'view'),
    refetchInterval: pollEvery(packetPollMs, isLive),
  });
}

/** The fields that decide which operations a device can run. */
interface Runner {
  tenantId: string;
  operatingSystemId: number;
}

const availableQuery = ({ tenantId, operatingSystemId }: Runner) => {
  const query = { expand: ['package'], orderBy: 'name asc', top: maxOperations } as const;
  return callQuery(availableOperations, { tenantId, operatingSystemId, query }, { refreshedBy: operations.name, quiet: false });
};

/** The operations of packages for the tenant and the operating system of a device (OPR-014). */
export function useAvailableOperations(device: Runner, enabled: boolean) {
  const isLive = useLive();
  return useQuery({
    ...availableQuery(device),
    select: ({ value }) => value as Operation[],
    enabled,
    refetchInterval: pollEvery(availablePollMs, isLive),
  });
}

/** One operation of the catalog. Until it has loaded, the row of the loaded catalog is shown. */
export function useOperation(id: string, device: Runner) {
  const listed = useQueryClient().getQueryData<{ value: Operation[] }>(availableQuery(device).queryKey);
  return useRow(operations, id, { expand: ['package'], listed: listed?.value.find((operation) => operation.operationId === id) });
}
