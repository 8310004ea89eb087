/** Shows administrators that another machine uses the identity of a known one, or claims to be it. */
import { sql } from '../../../db/sql.ts';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedDevices } from '../devices.served.ts';
import { logDevice } from '../log.served.ts';
import { servedPendingDevices } from '../pending.served.ts';

/** Marks the machine and its device, at most once a minute; `detail` is written into the log of the device. */
export async function markOtherMachine(
  ctx: Ctx,
  { pendingDeviceId, deviceId, tenantId }: { pendingDeviceId: string; deviceId: string | null; tenantId: string },
  detail: string,
): Promise<void> {
  const now = ctx.now().toISOString();
  const isOld = sql`(other_machine_on is null or other_machine_on < now() - interval '1 minute')`;
  const mark = sql`update pending_device set other_machine_on = ${now} where pending_device_id = ${pendingDeviceId} and ${isOld} returning *`;
  const marked = await writeRecorded(ctx, servedPendingDevices, 'update', mark, { pendingDeviceId, tenantId });
  if (marked && deviceId) {
    const markDevice = sql`update device set other_machine_on = ${now}, version = version + 1 where device_id = ${deviceId} returning *`;
    await writeRecorded(ctx, servedDevices, 'update', markDevice, { deviceId, tenantId });
    await logDevice(ctx, { tenantId: marked.tenantId, deviceId, entryType: 'Warning', detail });
  }
}

/** Refuses a machine that claims to be a known machine but has another key; returns the error for the caller. */
export async function noteOtherMachine(
  ctx: Ctx,
  { pending_device_id: pendingDeviceId, device_id: deviceId }: { pending_device_id: string; device_id: string | null },
  { machineName }: RegisterRequest,
  tenantId: string,
): Promise<ApiError> {
  const other = `${machineName}, ${ctx.address ?? 'unknown address'}`;
  await markOtherMachine(
    ctx,
    { pendingDeviceId, deviceId, tenantId },
    `Another machine (${other}) tried to register as this one, and was refused.`,
  );
  return new ApiError(
    'Conflict',
    'Another machine is registered with this machine key, and two machines cannot be one device. ' +
      "If the state folder was copied, remove it on this machine. If this is the same machine and its agent's key was lost, " +
      'an administrator admits the device again.',
    { target: 'machineKey' },
  );
}
