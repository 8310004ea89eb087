/**
 * Notices two machines with one identity. Each process of an agent has a random id, which it registers at its start. When it replaces
 * another one, the open poll of that one is answered; if the replaced process polls again, it lives, so one of both is a copy.
 */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { notify } from '../../../db/notify.ts';
import { markOtherMachine } from './other-machine.ts';

export interface Instances {
  tenant_id: string;
  instance_id: string | null;
  previous_instance: string | null;
  refused_instance: string | null;
  instance_ms: number | null;
}

/**
 * Milliseconds for which a process that replaces another gets no configuration, and so runs nothing: long enough for a process that
 * lives to poll twice.
 */
const settleMs = 2_500;
/** The number of polls by which a replaced process shows that it lives; a single one may have been under way for long. */
const provingPolls = 2;

/** The error for a copy; its agent enrols as a new pending device. */
export function copyRefused(): ApiError {
  return new ApiError(
    'Conflict',
    'Another machine runs with the identity of this one, and two machines cannot be one device: this machine has to enrol as a new one.',
    { target: 'machineKey' },
  );
}

const countReturn = `update pending_device set instance_returns = instance_returns + 1
where pending_device_id = $1 and previous_instance = $2 and instance_id is distinct from $2 returning instance_returns`;

// Refuses the process that registered last: the other one was there before.
const refuse = `update pending_device set refused_instance = instance_id, instance_id = $2, previous_instance = null, instance_returns = 0
where pending_device_id = $1 and previous_instance = $2 and instance_returns >= ${provingPolls} returning pending_device_id`;

/**
 * Judges a poll of the process `instance`; `isNew`: the poll has just begun. Returns the milliseconds for which the process must wait, 0
 * if it need not, and `superseded` if the poll is to be answered without a configuration. Throws for a copy.
 */
export async function judgeInstance(
  ctx: Ctx,
  { deviceId, registrationId }: { deviceId: string; registrationId: string },
  instances: Instances,
  instance: string,
  isNew: boolean,
): Promise<number | 'superseded'> {
  if (instance === instances.refused_instance) throw copyRefused();
  if (instances.instance_id === null) return 0;
  if (instance === instances.instance_id)
    return instances.previous_instance === null ? 0 : Math.max(0, Math.ceil(settleMs - (instances.instance_ms ?? settleMs)));
  if (!isNew) return 'superseded';
  const [row] = await ctx.db.query<{ instance_returns: number }>({
    name: 'instance-return',
    text: countReturn,
    values: [registrationId, instance],
  });
  if ((row?.instance_returns ?? 0) < provingPolls) return 'superseded';
  await inTransaction(ctx, async (ctx) => {
    const refused = await ctx.db.query({ name: 'instance-refuse', text: refuse, values: [registrationId, instance] });
    if (refused.length === 0) return;
    const detail = 'Another machine runs with a copy of the identity of this device. It is refused and enrols as a new pending device.';
    await markOtherMachine(ctx, { pendingDeviceId: registrationId, deviceId, tenantId: instances.tenant_id }, detail);
    await notify(ctx.db, 'devices', [deviceId]);
  });
  return 'superseded';
}
