/** What administrators do with the identity of a device: cut it off, admit it again, have its key replaced. */
import { sql } from '../../db/sql.ts';
import { admitDevice, cutOffDevice, requestDeviceKey, uninstallDevice } from '@cloudfit/contract/actions/devices.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import { orderUninstalls, withdrawUninstall } from '../../auth/agents/uninstall-orders.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import { inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import type { FieldError } from '../../resources/served.ts';
import { setFields } from '../../resources/update.ts';
import { dependentFaults } from './dependency.ts';
import { servedDevices } from './devices.served.ts';
import { logDevice } from './log.served.ts';
import { servedPendingDevices } from './pending.served.ts';

const cutOff = implement(cutOffDevice, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const device = await setFields(ctx, servedDevices, id, (before) => (before.cutOffOn ? {} : { cutOffOn: ctx.now().toISOString() }));
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: id, entryType: 'Warning', detail: 'The device was cut off.' });
    await invalidateTokens(ctx.db);
    return device;
  }),
);

const listeners = `select o.label from device_operation o join operation c on c.operation_id = o.operation_id join package p on p.package_id = c.package_id
where o.device_id = $1 and o.enabled and not o.is_deleted and p.name = 'Gateway' and p.tenant_id is null order by o.label limit 1`;

/** Why others still need the machine of a device. */
async function usesElsewhere(ctx: Ctx, device: Row<typeof devices>): Promise<FieldError[]> {
  const [listener] = await ctx.db.query<{ label: string }>({ name: 'uninstall-listeners', text: listeners, values: [device.deviceId] });
  const message = `${device.name} receives for other machines by its operation ${listener?.label}: disable it first.`;
  return [...(await dependentFaults(ctx, device, 'id')), ...(listener ? [{ target: 'id', message }] : [])];
}

const uninstall = implement(uninstallDevice, (ctx, { id, name }) =>
  inTransaction(ctx, async (ctx) => {
    const device = await get(ctx, servedDevices, id, { lock: 'edit' });
    requirePermission(ctx, 'Devices', 'delete', device.tenantId);
    if (name.trim().toLowerCase() !== device.name.trim().toLowerCase())
      throw validationFailed([{ target: 'name', message: `Please enter the name of the device to confirm: ${device.name}.` }]);
    const faults = await usesElsewhere(ctx, device);
    if (faults.length > 0) throw validationFailed(faults);
    if (device.uninstallOn) throw new ApiError('Conflict', 'The agent of this device was told to uninstall itself already.');
    const at = ctx.now().toISOString();
    if ((await orderUninstalls(ctx, [id], { from: at })).length === 0)
      throw new ApiError('Conflict', 'No agent of this device has enrolled, so there is none to uninstall. Delete the device instead.');
    const row = await setFields(ctx, servedDevices, id, ({ cutOffOn }) => ({ cutOffOn: cutOffOn ?? at, uninstallOn: at, enabled: false }));
    const detail = 'The agent is told to uninstall itself; the device is disabled and refused.';
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: id, entryType: 'Warning', detail });
    await invalidateTokens(ctx.db);
    return row;
  }),
);

const admit = implement(admitDevice, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const nowhere = { cutOffOn: null, otherMachineOn: null, uninstallOn: null, uninstalledOn: null };
    const device = await setFields(ctx, servedDevices, id, nowhere);
    await withdrawUninstall(ctx, id);
    // The device's key may be known to others, so it is removed and the agent enrols a new one.
    const write = sql`update pending_device set public_key = null, key_created = null, other_machine_on = null
      where device_id = ${id}::uuid and public_key is not null returning *`;
    await writeRecorded(ctx, servedPendingDevices, 'update', write, null);
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: id, detail: 'The device was admitted: its agent may enrol a new key.' });
    await invalidateTokens(ctx.db);
    return device;
  }),
);

const requestKey = implement(requestDeviceKey, (ctx, { id }) =>
  setFields(ctx, servedDevices, id, { keyWantedOn: ctx.now().toISOString() }),
);

export const deviceIdentityActions: readonly ImplementedAction[] = [cutOff, uninstall, admit, requestKey];
