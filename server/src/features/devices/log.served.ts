/** Logs of devices and their operations. */
import { deviceLogs } from '@cloudfit/contract/resources/device-logs.ts';
import type { logEntryTypes } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../context/ctx.ts';
import { serve } from '../../resources/served.ts';

export const servedDeviceLogs = serve(deviceLogs, 'device_log');

interface DeviceLogEntry {
  tenantId: string;
  deviceId: string;
  deviceOperationId?: string;
  entryType?: (typeof logEntryTypes)[number];
  detail: string;
}

/** Adds an entry about what the server did with the device to the device's log, in the caller's transaction. */
export function logDevice(ctx: Ctx, entry: DeviceLogEntry): Promise<void> {
  return ctx.db.defer({
    name: 'device-log',
    text: 'insert into device_log (tenant_id, device_id, device_operation_id, created, entry_type, detail) values ($1, $2, $3, $4, $5, $6)',
    values: [
      entry.tenantId,
      entry.deviceId,
      entry.deviceOperationId ?? null,
      ctx.now().toISOString(),
      entry.entryType ?? 'Information',
      entry.detail,
    ],
  });
}
