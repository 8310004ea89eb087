/** What administrators do with the identity of a device: cut it off, admit it again, have its key replaced. */
import { sql } from '../../db/sql.ts';
import { admitDevice, cutOffDevice, requestDeviceKey } from '@cloudfit/contract/actions/devices.ts';
import { invalidateTokens } from '../../auth/invalidate.ts';
import { inTransaction } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { writeRecorded } from '../../resources/record.ts';
import { setFields } from '../../resources/update.ts';
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

const admit = implement(admitDevice, (ctx, { id }) =>
  inTransaction(ctx, async (ctx) => {
    const device = await setFields(ctx, servedDevices, id, { cutOffOn: null, otherMachineOn: null });
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

export const deviceIdentityActions: readonly ImplementedAction[] = [cutOff, admit, requestKey];
