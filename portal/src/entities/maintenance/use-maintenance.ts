/** Reads what is in maintenance and which matches each window holds; starts, extends and ends windows. */
import { useQuery } from '@tanstack/react-query';
import type { MaintenanceHeld, MaintenanceHolder } from '@cloudfit/contract/maintenance/calls.ts';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { callJson, createOnce } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { gathered } from '../gather.ts';

const pollMs = 30_000;

async function post<T>(path: string, body: object): Promise<T[]> {
  return (await callJson<{ value: T[] }>(path, { method: 'POST', body, quiet: true })).value;
}

const noHolders: readonly MaintenanceHolder[] = [];
const readNow = gathered(
  500,
  async (entityIds) => {
    const value = await post<{ entityId: string; by: MaintenanceHolder[] }>('/v1/maintenance/now', { entityIds });
    return new Map<string, readonly MaintenanceHolder[]>(value.map(({ entityId, by }) => [entityId, by]));
  },
  noHolders,
);

/** The maintenance windows, changes and rules because of which an entity is in maintenance now. */
export function useMaintenanceOf(entityId: string | undefined): readonly MaintenanceHolder[] {
  const { data } = useQuery({
    queryKey: [maintenanceWindows.name, 'now', entityId],
    queryFn: () => readNow(entityId ?? ''),
    enabled: useMay()(devices.area, 'view') && entityId !== undefined,
    refetchInterval: pollMs,
    staleTime: 2_000,
  });
  return data ?? noHolders;
}

const readHeld = gathered<MaintenanceHeld | null>(
  100,
  async (ids) => new Map((await post<MaintenanceHeld>('/v1/maintenance/held', { ids })).map((one) => [one.maintenanceWindowId, one])),
  null,
);

/** What each of these maintenance windows holds now, by id, for an export. */
export async function heldBy(ids: readonly string[]): Promise<ReadonlyMap<string, MaintenanceHeld | null>> {
  return new Map(await Promise.all(ids.map(async (id) => [id, await readHeld(id)] as const)));
}

/** What a maintenance window holds now. */
export function useHeldBy(maintenanceWindowId: string) {
  return useQuery({
    queryKey: [maintenanceWindows.name, 'held', maintenanceWindowId],
    queryFn: () => readHeld(maintenanceWindowId),
    refetchInterval: pollMs,
    staleTime: 2_000,
  });
}

/** The first `top` devices of a maintenance window with a filter, and the number of all its devices. */
export function useDevicesInMaintenance(maintenanceWindowId: string, top: number) {
  const path = `/v1/devices/GetDevicesInMaintenance(maintenanceWindowId=${maintenanceWindowId})`;
  return useQuery({
    queryKey: [maintenanceWindows.name, 'devices', maintenanceWindowId, top],
    queryFn: ({ signal }) =>
      callJson<{ value: { deviceId: string; name: string }[]; '@odata.count': number }>(
        `${path}?$select=deviceId,name&$orderby=name&$top=${top}&$count=true`,
        { signal },
      ),
  });
}

const timeFormat = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const clockFormat = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** A time as text: the clock time if it is today, otherwise with weekday and date. */
export function untilText(instant: string): string {
  const at = new Date(instant);
  return (at.toDateString() === new Date().toDateString() ? clockFormat : timeFormat).format(at);
}

/** What is to be put into maintenance. */
export interface MaintenanceTarget {
  tenantId: string;
  deviceIds?: readonly string[];
  /** A filter of devices: covers all devices that match it, also those that begin to match while the maintenance runs. */
  deviceFilter?: string;
  locationId?: string;
  workUnitId?: number;
}

const refresh = () => queryClient.invalidateQueries({ queryKey: [maintenanceWindows.name] });

async function doing(work: () => Promise<unknown>, done: string): Promise<boolean> {
  try {
    await work();
    // The rows are refreshed before the message appears.
    await refresh();
    toast.success(done);
    return true;
  } catch (error) {
    toastFailure(error);
    await refresh();
    return false;
  }
}

export const startMaintenance = (target: MaintenanceTarget, reason: string, until: Date): Promise<boolean> =>
  doing(
    () =>
      // Without the end, which may differ between two clicks.
      createOnce(`maintenance ${JSON.stringify([target, reason])}`, (idempotencyKey) =>
        callJson(`/v1/${maintenanceWindows.name}`, {
          method: 'PUT',
          body: { ...target, reason, endsAt: until.toISOString() },
          idempotencyKey,
        }),
      ),
    t.started(untilText(until.toISOString())),
  );

export const extendMaintenance = (id: string, until: Date): Promise<boolean> =>
  doing(
    () => callJson(`/v1/${maintenanceWindows.name}/${id}`, { method: 'POST', body: { endsAt: until.toISOString() } }),
    t.extended(untilText(until.toISOString())),
  );

export const endMaintenance = (id: string): Promise<boolean> =>
  doing(() => callJson(`/v1/maintenance/end/${id}`, { method: 'POST' }), t.ended);
