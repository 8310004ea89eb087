/**
 * The sign-in of agents: exchanges an assertion that the machine's key has signed for an access token of its device (RFC 7523).
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { agentTokenRequest, type agentTokenAnswer, type AgentTokenRefusal } from '@cloudfit/contract/agent/identity.ts';
import { uninstalledClaim, uninstallReport } from '@cloudfit/contract/agent/uninstall.ts';
import type { PackageKey } from '../../../auth/package-key.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { cutOffText, deviceTokenSeconds, type DeviceTokens } from '../../../auth/device-tokens.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import type { Db } from '../../../db/db.ts';
import { noteUninstalled } from '../uninstall.ts';
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
  /** Whether the tenant was closed for an offboarding that has not told its machines yet what to do. */
  is_ending: boolean;
  /** The order to uninstall the agent, while its time lasts; also of a machine whose customer was deleted. */
  order_id: string | null;
  order_until: string | null;
  is_reported: boolean;
}

const machineById = `select coalesce(p.public_key, o.public_key) as public_key, case when p.public_key is null then o.audience else p.audience end as audience, d.device_id,
    d.cut_off_on is not null or p.pending_device_id is null or p.public_key is null as is_cut_off, coalesce(t.enabled, false) as tenant_enabled,
    exists (select from offboarding e where e.customer_id = p.tenant_id and e.state = 'Running') as is_ending,
    o.uninstall_order_id as order_id, to_char(o.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as order_until, coalesce(o.reported_on is not null, false) as is_reported
  from (values ($1::uuid)) m (id) left join pending_device p on p.pending_device_id = m.id left join tenant t on t.tenant_id = p.tenant_id
  left join device d on d.device_id = p.device_id and not d.is_deleted left join uninstall_order o on o.registration_id = m.id and o.until > $2`;

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

interface SignInParts {
  database: Database;
  deviceTokens: DeviceTokens;
  packageKey: PackageKey;
  log: Logger;
}

/** Creates the sign-in. It reads rows of all tenants, because only the assertion says which machine calls. */
export function openSignIn(parts: SignInParts): SignIn {
  const db = parts.database.scoped('all');
  return async (ctx, form) => {
    const parsed = agentTokenRequest.safeParse(Object.fromEntries(form));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refusal(issue?.path[0] === 'grant_type' ? 'unsupported_grant_type' : 'invalid_request', issue?.message ?? '');
    }
    try {
      return await signIn(db, parts, ctx, parsed.data.client_assertion);
    } catch (error) {
      if (error instanceof AssertionError)
        return refusal(error instanceof WrongKeyError ? 'invalid_client' : 'invalid_grant', error.message);
      throw error;
    }
  };
}

async function signIn(db: Db, parts: SignInParts, ctx: Pick<Ctx, 'now' | 'address'>, assertion: string): Promise<SignInAnswer> {
  const registrationId = namedMachine(assertion);
  const now = ctx.now();
  const [machine] = await db.query<Machine>({ name: 'sign-in-machine', text: machineById, values: [registrationId, now.toISOString()] });
  if (!machine?.public_key || machine.audience === null)
    return refusal('invalid_client', 'This machine is not enrolled, or its key was withdrawn.');
  const { public_key: publicKey, audience, device_id: deviceId } = machine;
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
  const { order_id: orderId, order_until: until } = machine;
  const report = uninstallReport.safeParse(claims[uninstalledClaim]);
  if (report.success && orderId === report.data.orderId) {
    await noteUninstalled(systemCtx({ database: parts.database, log: parts.log, name: 'Agents' }), report.data);
    return { status: 400, body: { error: 'access_denied', error_description: 'The uninstallation is noted.', isReported: true } };
  }
  if (orderId !== null && until !== null && !machine.is_reported) {
    const signature = parts.packageKey.signUninstall({ orderId, until }, registrationId);
    const body = { error: 'access_denied' as const, error_description: 'The agent is to uninstall itself.' };
    return { status: 400, body: { ...body, uninstall: { orderId, until, signature } } };
  }
  if (machine.is_cut_off) return refusal('access_denied', cutOffText);
  // All agents of the tenant ask, not one whose admission somebody waits for.
  if (!machine.tenant_enabled)
    return {
      ...refusal('access_denied', 'The tenant of this device is disabled.'),
      ...(machine.is_ending ? {} : { retryAfterSeconds: disabledTenantSeconds }),
    };
  if (deviceId === null) return refusal('authorization_pending', 'This machine waits to be promoted.');
  return {
    status: 200,
    body: { access_token: parts.deviceTokens.issue(registrationId, deviceId), token_type: 'Bearer', expires_in: deviceTokenSeconds },
  };
}
