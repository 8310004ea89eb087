import { sql } from '../../../db/sql.ts';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import { cutOffText } from '../../../auth/device-tokens.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { logDevice } from '../log.served.ts';
import { servedPendingDevices } from '../pending.served.ts';
import { clearRestartFlag } from '../restart-flag.ts';
import { audienceOf } from './assertion.ts';
import { findMachine, keepNew, ping, type KnownMachine } from './known-machine.ts';
import { noteOtherMachine } from './other-machine.ts';
import { promoteByToken } from './promote-by-token.ts';
import { answerOf, registerDevice, type RegistrationResult } from './register-device.ts';
import { requireEnrolmentToken } from './requester.ts';

export interface RegisterParts {
  /** The address at which agents reach this installation. */
  publicUrl: string;
  /** Used to read whether the owner of a token may still promote. */
  database: Database;
}

/**
 * Registers an agent: at each start by its access token, before that by an enrolment token, which adds the machine if the
 * server does not know it.
 */
export async function registerAgent(ctx: Ctx, input: RegisterRequest, parts: RegisterParts): Promise<RegistrationResult> {
  return ctx.actor.kind === 'device' ? registerDevice(ctx, ctx.actor.registrationId, input, parts.publicUrl) : enrol(ctx, input, parts);
}

async function enrol(ctx: Ctx, input: RegisterRequest, parts: RegisterParts): Promise<RegistrationResult> {
  const tenantId = requireEnrolmentToken(ctx);
  const audience = input.publicKey && audienceOf(parts.publicUrl);
  const registration = await inTransaction(ctx, async (ctx) => {
    const existing = await findMachine(ctx, tenantId, input.machineKey);
    const machine = existing ?? (await keepNew(ctx, tenantId, input, audience, { tokenGrantId: ctx.actor.id, copiedFrom: null }));
    if (machine.is_cut_off) throw forbidden(cutOffText);
    const publicKey = input.publicKey?.x ?? null;
    // The warning about the other machine must be stored, so the error is thrown after the commit.
    if (machine.public_key !== null && machine.public_key !== publicKey) return await noteOtherMachine(ctx, machine, input, tenantId);
    // A token does not prove that the caller has the key, so it changes nothing of a machine with a key, and nothing of a device.
    const isUnproven = existing !== undefined && (existing.public_key !== null || (existing.device_id !== null && publicKey === null));
    if (isUnproven)
      return {
        pendingDeviceId: existing.pending_device_id,
        deviceId: existing.device_id,
        isOfOther: existing.token_grant_id !== ctx.actor.id,
      };
    if (machine.public_key === null && publicKey !== null) await adoptKey(ctx, tenantId, machine, publicKey, audience);
    const registration = await ping(ctx, machine.pending_device_id, input);
    if (!registration) throw new Error('A machine that is locked is there.');
    if (registration.deviceId) await clearRestartFlag(ctx, registration.deviceId);
    return registration;
  });
  if (registration instanceof ApiError) throw registration;
  const isDecided = registration.deviceId !== null || ('isOfOther' in registration && registration.isOfOther);
  const promoted = isDecided ? registration : await promoteByToken(ctx, parts.database, registration, input);
  return { ...answerOf(promoted), ...(audience === undefined ? {} : { audience }) };
}

/**
 * Stores the key of a machine that registered only by a token so far, or whose old key was removed when an administrator
 * admitted it again.
 */
async function adoptKey(ctx: Ctx, tenantId: string, machine: KnownMachine, publicKey: string, audience: string | undefined): Promise<void> {
  const { pending_device_id: pendingDeviceId, device_id: deviceId } = machine;
  const write = sql`update pending_device set public_key = ${publicKey}, key_created = ${ctx.now().toISOString()}, audience = ${audience ?? null},
      token_grant_id = ${ctx.actor.id} where pending_device_id = ${pendingDeviceId} and public_key is null returning *`;
  await writeRecorded(ctx, servedPendingDevices, 'update', write, { pendingDeviceId, tenantId, publicKey: null });
  if (deviceId)
    await logDevice(ctx, {
      tenantId,
      deviceId,
      detail: `The agent enrolled its key with the token ${ctx.actor.name} from ${ctx.address ?? 'an unknown address'}.`,
    });
}
