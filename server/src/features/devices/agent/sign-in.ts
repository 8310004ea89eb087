/**
 * The sign-in of agents: exchanges an assertion that the machine's key has signed for an access token of its device (RFC 7523).
 */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { agentTokenRequest, type agentTokenAnswer, type AgentTokenRefusal } from '@cloudfit/contract/agent/identity.ts';
import { cutOffText, deviceTokenSeconds, type DeviceTokens } from '../../../auth/device-tokens.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import type { Db } from '../../../db/db.ts';
import { AssertionError, namedMachine, verifyAssertion, WrongKeyError } from './assertion.ts';

export interface SignInAnswer {
  status: 200 | 400 | 401;
  body: z.infer<typeof agentTokenAnswer> | AgentTokenRefusal;
  /** When to ask again, if that is not soon. */
  retryAfterSeconds?: number;
}

export type SignIn = (ctx: Pick<Ctx, 'now' | 'address'>, form: URLSearchParams) => Promise<SignInAnswer>;

interface Machine {
  public_key: string | null;
  audience: string | null;
  /** Null while the machine waits for promotion. */
  device_id: string | null;
  is_cut_off: boolean;
  tenant_enabled: boolean;
}

const machineById = `select p.public_key, p.audience, d.device_id, d.cut_off_on is not null as is_cut_off, t.enabled as tenant_enabled
  from pending_device p join tenant t on t.tenant_id = p.tenant_id left join device d on d.device_id = p.device_id and not d.is_deleted
  where p.pending_device_id = $1`;

// If two servers get the same assertion, the unique key lets only one of them use it. The ping records that the machine waits
// for promotion; the machine of a deleted device waits again. A device that is being promoted at the same time is not visible
// in this statement, so `device_id` is cleared only for deleted devices.
const useAssertion = `with used as (
  insert into used_assertion (assertion_id, expires_on) values ($1, $2) on conflict do nothing returning 1
), pinged as (
  update pending_device p set last_ping = $4, ip_address = $5,
    device_id = case when not exists (select from device d where d.device_id = p.device_id and d.is_deleted) then p.device_id end
  where pending_device_id = $3 and $6 and exists (select from used)
)
select exists (select from used) as is_first`;

/** Seconds after which an agent of a disabled tenant asks again. */
const disabledTenantSeconds = 240;

const refusal = (error: AgentTokenRefusal['error'], description: string): SignInAnswer => ({
  status: error === 'invalid_client' ? 401 : 400,
  body: { error, error_description: description },
});

/** Creates the sign-in. It reads rows of all tenants, because only the assertion says which machine calls. */
export function openSignIn({ database, deviceTokens }: { database: Database; deviceTokens: DeviceTokens }): SignIn {
  const db = database.scoped('all');
  return async (ctx, form) => {
    const parsed = agentTokenRequest.safeParse(Object.fromEntries(form));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refusal(issue?.path[0] === 'grant_type' ? 'unsupported_grant_type' : 'invalid_request', issue?.message ?? '');
    }
    try {
      return await signIn(db, deviceTokens, ctx, parsed.data.client_assertion);
    } catch (error) {
      if (error instanceof AssertionError)
        return refusal(error instanceof WrongKeyError ? 'invalid_client' : 'invalid_grant', error.message);
      throw error;
    }
  };
}

async function signIn(db: Db, tokens: DeviceTokens, ctx: Pick<Ctx, 'now' | 'address'>, assertion: string): Promise<SignInAnswer> {
  const registrationId = namedMachine(assertion);
  const [machine] = await db.query<Machine>({ name: 'sign-in-machine', text: machineById, values: [registrationId] });
  if (!machine?.public_key || machine.audience === null)
    return refusal('invalid_client', 'This machine is not enrolled, or its key was withdrawn.');
  const { public_key: publicKey, audience, device_id: deviceId } = machine;
  const now = ctx.now();
  const claims = await verifyAssertion(assertion, { registrationId, publicKey, audience }, now);
  const [use] = await db.query<{ is_first: boolean }>({
    name: 'sign-in-use',
    text: useAssertion,
    values: [
      createHash('sha256').update(`${registrationId} ${claims.jti}`).digest(),
      new Date((claims.exp + 60) * 1_000).toISOString(),
      registrationId,
      now.toISOString(),
      ctx.address ?? null,
      deviceId === null,
    ],
  });
  if (!use?.is_first) return refusal('invalid_grant', 'This assertion was used before.');
  if (machine.is_cut_off) return refusal('access_denied', cutOffText);
  // All agents of the tenant ask, not one whose admission somebody waits for.
  if (!machine.tenant_enabled)
    return { ...refusal('access_denied', 'The tenant of this device is disabled.'), retryAfterSeconds: disabledTenantSeconds };
  if (deviceId === null) return refusal('authorization_pending', 'This machine waits to be promoted.');
  return {
    status: 200,
    body: { access_token: tokens.issue(registrationId, deviceId), token_type: 'Bearer', expires_in: deviceTokenSeconds },
  };
}
