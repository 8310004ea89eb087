/** The first step of an offboarding: the tenant is closed. */
import type { OffboardingFigures } from '@cloudfit/contract/customers/steps.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { grantsOfPerson } from '../../../auth/grants.ts';
import { lockOut } from '../../../auth/sessions.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { servedOf } from '../../../resources/served.ts';
import { setFields } from '../../../resources/update.ts';

/**
 * Closes the tenant: its people, tokens and agents are refused on every server. People who have rights nowhere else are signed out; the
 * others stay signed in, without their rights there. Runs in the transaction that begins the offboarding.
 */
export async function endAccess(ctx: Ctx, tenantId: string): Promise<NonNullable<OffboardingFigures['access']>> {
  let wasEnabled = true;
  await setFields(ctx, servedOf(tenants), tenantId, (now) => {
    wasEnabled = now.enabled !== false;
    return { enabled: false };
  });
  const people = await ctx.db.query<{ id: string }>({
    text: `select p.person_id as id from person p where exists (select from access_grant g where g.tenant_id = $1 and ${grantsOfPerson})
      and not exists (select from access_grant g left join tenant t on t.tenant_id = g.tenant_id
        where ${grantsOfPerson} and g.tenant_id is distinct from $1 and coalesce(t.enabled, true))`,
    values: [tenantId],
  });
  const [before] = await ctx.db.query<{ sessions: number; tokens: number }>({
    text: `select (select count(*) from identity_item where model = 'Session' and uid is not null and expires_at > now() and account_id = any($2::text[])) as sessions,
      (select count(*) from token_grant where tenant_id = $1 and revoked_on is null and (expires_on is null or expires_on > now())) as tokens`,
    values: [tenantId, people.map(({ id }) => id)],
  });
  for (const { id } of people) await lockOut(ctx.db, id);
  return { at: ctx.now().toISOString(), people: people.length, sessions: before?.sessions ?? 0, tokens: before?.tokens ?? 0, wasEnabled };
}
