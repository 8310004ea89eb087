/** Reads what is in maintenance and which matches each window holds; starts, extends and ends windows. */
import { useQuery } from '@tanstack/react-query';
import { devicesInMaintenance, endMaintenance as end, maintenanceHeld, maintenanceNow } from '@cloudfit/contract/calls.ts';
import type { MaintenanceHeld, MaintenanceHolder } from '@cloudfit/contract/maintenance/calls.ts';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { untilText } from '../../theme/times.ts';
import { call, useCall } from '../../api/call.ts';
import { createOnce } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { changeRow, createRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { gathered } from '../gather.ts';

const pollMs = 30_000;

const noHolders: readonly MaintenanceHolder[] = [];
const readNow = gathered(
  500,
  async (entityIds) => {
    const { value } = await call(maintenanceNow, { entityIds: [...entityIds] }, { quiet: true });
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
  async (ids) => {
    const { value } = await call(maintenanceHeld, { ids: [...ids] }, { quiet: true });
    return new Map(value.map((window) => [window.maintenanceWindowId, window]));
  },
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
  const query = { select: ['deviceId', 'name'], orderBy: 'name', top, count: true } as const;
  return useCall(devicesInMaintenance, { maintenanceWindowId, query }, { refreshedBy: maintenanceWindows.name, quiet: false });
}

/** What is to be put into maintenance. */
export interface MaintenanceTarget {
  tenantId: string;
  deviceIds?: string[];
  /** A filter of devices: covers all devices that match it, also those that begin to match while the maintenance runs. */
  deviceFilter?: string;
  locationId?: string;
  /** A selection of devices: covers its devices while they are in it. */
  deviceSelectionId?: string;
  workUnitId?: number;
}

const refreshes = [maintenanceWindows.name];

/** Starts a maintenance. */
export const startMaintenance = command(
  ({ target, reason, until }: { target: MaintenanceTarget; reason: string; until: Date }) =>
    // Without the end, which may differ between two clicks.
    createOnce(`maintenance ${JSON.stringify([target, reason])}`, (idempotencyKey) =>
      createRow(maintenanceWindows, { ...target, reason, endsAt: until.toISOString() }, { idempotencyKey }),
    ),
  { done: (_row, { until }) => t.started(untilText(until.toISOString())), refreshes },
);

export const extendMaintenance = command(
  ({ id, until }: { id: string; until: Date }) => changeRow(maintenanceWindows, id, { endsAt: until.toISOString() }),
  { done: (_row, { until }) => t.extended(untilText(until.toISOString())), refreshes },
);

export const endMaintenance = command((id: string) => call(end, { id }), { done: () => t.ended, refreshes });
