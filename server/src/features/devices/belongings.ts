/** The rows that belong to a device: its operations prevent its deletion, and all of them move with it to another tenant. */
import { deviceInstallations } from '@cloudfit/contract/resources/device-installations.ts';
import { deviceLogs } from '@cloudfit/contract/resources/device-logs.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { policyItems } from '@cloudfit/contract/resources/policies.ts';
import type { Ctx } from '../../context/ctx.ts';
import { movedAlong } from '../../db/changed.ts';
import type { FieldError } from '../../resources/served.ts';

interface DeviceRef {
  deviceId: string;
  name: string;
  tenantId: string;
}

/**
 * Returns ERR-029 if the device has operations other than the standard ones. The caller has locked the device, so a request
 * that adds an operation waits.
 */
export async function deletionFaults(ctx: Ctx, { deviceId, name }: DeviceRef): Promise<FieldError[]> {
  const [used] = await ctx.db.query({
    text: 'select 1 from device_operation where device_id = $1 and not is_deleted and not is_standard limit 1',
    values: [deviceId],
  });
  return used ? [{ target: 'deviceId', message: `Could not delete ${name} because it has operations assigned to it.` }] : [];
}

/** Returns errors for operations and packages of the device that belong to the old tenant: they cannot move with the device. */
export async function moveFaults(ctx: Ctx, device: DeviceRef): Promise<FieldError[]> {
  const [remaining] = await ctx.db.query<{ operations: boolean; packages: boolean }>({
    text: `select exists (select from device_operation d join operation o on o.operation_id = d.operation_id
          where d.device_id = $1 and not d.is_deleted and o.tenant_id <> $2) as operations,
        exists (select from device_installation i join package p on p.package_id = i.package_id where i.device_id = $1 and p.tenant_id <> $2) as packages`,
    values: [device.deviceId, device.tenantId],
  });
  const errors: FieldError[] = [];
  if (remaining?.operations)
    errors.push({ target: 'tenantId', message: `${device.name} runs operations that the other tenant does not have.` });
  if (remaining?.packages)
    errors.push({ target: 'tenantId', message: `${device.name} has packages installed that the other tenant does not have.` });
  return errors;
}

const served = [
  movedAlong(deviceOperations, 'device_operation', 'device_id'),
  movedAlong(deviceInstallations, 'device_installation', 'device_id'),
  movedAlong(deviceLogs, 'device_log', 'device_id'),
  movedAlong(pendingDevices, 'pending_device', 'device_id'),
  movedAlong(policyItems, 'policy_item', 'device_id'),
];

/** Moves the rows of a device, including its latest values, to the device's new tenant. */
export async function moveBelongings(ctx: Ctx, { deviceId, tenantId }: DeviceRef): Promise<void> {
  for (const text of served) await ctx.db.defer({ text, values: [deviceId, tenantId, ctx.correlationId] });
  await ctx.db.defer({
    text: `update latest_packet set tenant_id = $2
      where entity_id = $1 or entity_id in (select device_operation_id from device_operation where device_id = $1)`,
    values: [deviceId, tenantId],
  });
}
