/** The registration of an agent that has signed in, at each of its starts; also that of a copy, by the access of its original. */
import { changedFacts, factNames, factsOfAnotherMachine, type MachineFacts } from '@cloudfit/contract/agent/machine-facts.ts';
import type { RegisterAnswer, RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { notify } from '../../../db/notify.ts';
import { logDevice } from '../log.served.ts';
import { clearRestartFlag } from '../restart-flag.ts';
import { audienceOf } from './assertion.ts';
import { copyRefused } from './instances.ts';
import { findMachine, keepNew, ping, type Registration } from './known-machine.ts';
import { markOtherMachine } from './other-machine.ts';

export type RegistrationResult = Omit<RegisterAnswer, 'packageKeys'>;

interface SignedInMachine {
  tenant_id: string;
  machine_key: string;
  token_grant_id: string | null;
  device_id: string | null;
  device_name: string | null;
  refused_instance: string | null;
  facts: MachineFacts | null;
}

/**
 * Updates the registration of a machine that has signed in. The machine of a deleted device waits for a new promotion. A copy is refused,
 * and enrols by a new `machineKey` with the access token of the machine that it is a copy of.
 */
export async function registerDevice(
  ctx: Ctx,
  registrationId: string,
  input: RegisterRequest,
  publicUrl: string,
): Promise<RegistrationResult> {
  const audience = audienceOf(publicUrl);
  const registration = await inTransaction(ctx, async (ctx) => {
    const [machine] = await ctx.db.query<SignedInMachine>({
      name: 'agent-signed-in',
      text: `select p.tenant_id, p.machine_key, p.token_grant_id, p.device_id, d.name as device_name, p.refused_instance, p.facts
        from pending_device p left join device d on d.device_id = p.device_id where p.pending_device_id = $1 for update of p`,
      values: [registrationId],
    });
    if (!machine) throw new ApiError('Unauthorized', 'This machine is not enrolled any more.');
    const { tenant_id: tenantId, device_id: deviceId, token_grant_id: tokenGrantId } = machine;
    const other = `${input.machineName}, ${ctx.address ?? 'unknown address'}`;
    if (input.machineKey !== machine.machine_key && input.publicKey) {
      const existing = await findMachine(ctx, tenantId, input.machineKey);
      const copy = existing ?? (await keepNew(ctx, tenantId, input, audience, { tokenGrantId, copiedFrom: machine.device_name }));
      if (copy.public_key !== input.publicKey.x) throw copyRefused();
      const detail = `A copy of this machine (${other}) has enrolled as a new pending device.`;
      if (!existing) await markOtherMachine(ctx, { pendingDeviceId: registrationId, deviceId, tenantId }, detail);
      return { pendingDeviceId: copy.pending_device_id, deviceId: copy.device_id, audience };
    }
    const changed = changedFacts(machine.facts ?? {}, input.facts ?? {});
    if (changed.length >= factsOfAnotherMachine || (input.instanceId !== undefined && input.instanceId === machine.refused_instance)) {
      const detail = `Another machine (${other}) runs with a copy of the identity of this device. It is refused and enrols as a new pending device.`;
      await markOtherMachine(ctx, { pendingDeviceId: registrationId, deviceId, tenantId }, detail);
      // The warning must be stored, so the error is thrown after the commit.
      return copyRefused();
    }
    const registered = await ping(ctx, registrationId, input);
    if (!registered) throw new ApiError('Unauthorized', 'This machine is not enrolled any more.');
    if (!registered.deviceId) return registered;
    const logged = { tenantId, deviceId: registered.deviceId, entryType: 'Warning' as const };
    for (const fact of changed)
      await logDevice(ctx, { ...logged, detail: `This machine has changed: ${factNames[fact]} is another one than before.` });
    await clearRestartFlag(ctx, registered.deviceId);
    // Answers the open poll of the process before this one; if that one polls again, it lives.
    if (registered.isReplacing) await notify(ctx.db, 'devices', [registered.deviceId]);
    return registered;
  });
  if (registration instanceof ApiError) throw registration;
  return { ...answerOf(registration), ...(registration.audience === undefined ? {} : { audience: registration.audience }) };
}

/** The answer to an agent whose machine is registered. */
export function answerOf({ pendingDeviceId, deviceId }: Registration): RegistrationResult {
  return deviceId ? { status: 'promoted', pendingDeviceId, deviceId } : { status: 'pending', pendingDeviceId };
}
