/** Replaces the key of a machine by a new one; an assertion that the present key has signed confirms it. */
import { sql } from '../../../db/sql.ts';
import { z } from 'zod';
import { agentPublicKey, nextKeyClaim } from '@cloudfit/contract/agent/identity.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { announceConfiguration } from '../announce.ts';
import { logDevice } from '../log.served.ts';
import { servedPendingDevices } from '../pending.served.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { AssertionError, verifyAssertion } from './assertion.ts';
import { requireAgentDevice, requireDeviceToken } from './requester.ts';

const nextKey = z.object({ jwk: agentPublicKey });

interface PresentKey {
  publicKey: string | null;
  audience: string | null;
  tenantId: string;
}

/** Replaces the key of the calling machine. An assertion works once: the key that signed it is no longer the machine's key. */
export function replaceKey(ctx: Ctx, assertion: string): Promise<{ keyCreated: string }> {
  const { registrationId } = requireDeviceToken(ctx);
  return inTransaction(ctx, async (ctx) => {
    const { deviceId, tenantId } = await requireAgentDevice(ctx);
    const [present] = await ctx.db.query<PresentKey>({
      text: `select public_key as "publicKey", audience, tenant_id as "tenantId" from pending_device
        where pending_device_id = $1 for update`,
      values: [registrationId],
    });
    if (!present?.publicKey || !present.audience) throw new ApiError('Unauthorized', 'This machine is not enrolled any more.');
    const next = await nextKeyOf(assertion, { registrationId, publicKey: present.publicKey, audience: present.audience }, ctx.now());
    const keyCreated = ctx.now().toISOString();
    const write = sql`update pending_device set public_key = ${next}, key_created = ${keyCreated} where pending_device_id = ${registrationId} returning *`;
    const before = { pendingDeviceId: registrationId, tenantId: present.tenantId, publicKey: present.publicKey };
    await writeRecorded(ctx, servedPendingDevices, 'update', write, before);
    await logDevice(ctx, { tenantId, deviceId, detail: 'The agent replaced its key with a new one.' });
    await announceConfiguration(ctx, deviceId);
    return { keyCreated };
  });
}

async function nextKeyOf(assertion: string, machine: Parameters<typeof verifyAssertion>[1], now: Date): Promise<string> {
  try {
    const claims = await verifyAssertion(assertion, machine, now);
    const parsed = nextKey.safeParse(claims[nextKeyClaim]);
    if (parsed.success) return parsed.data.jwk.x;
    throw new AssertionError(`The claim ${nextKeyClaim} of the assertion has no jwk of an Ed25519 key.`);
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    throw validationFailed([{ target: 'assertion', message: error.message }]);
  }
}
