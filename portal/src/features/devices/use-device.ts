import { useQueryClient } from '@tanstack/react-query';
import type { Row } from '@cloudfit/contract/resource.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useRow, type RowsPage } from '../../rows/use-rows.ts';

export type Device = Row<typeof devices>;

/** The device of a panel. Until it has loaded, the row of the list is shown. */
export function useDevice(deviceId: string) {
  const client = useQueryClient();
  const listed = client
    .getQueriesData<RowsPage<Device>>({ queryKey: [devices.name, 'list'] })
    .flatMap(([, page]) => page?.rows ?? [])
    .find((device) => device.deviceId === deviceId);
  return useRow(devices, deviceId, { listed });
}

/** Whether the agent currently writes trace entries. */
export function isTraced(device: Pick<Device, 'traceExpiration'>, now: number): boolean {
  return Boolean(device.traceExpiration) && Date.parse(device.traceExpiration ?? '') > now;
}
