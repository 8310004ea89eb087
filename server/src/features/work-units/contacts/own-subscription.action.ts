/** People of the resolution center subscribe to the communications of their tenants: each is a contact bound to the person. */
import { changeOwnSubscription, ownSubscriptions } from '@cloudfit/contract/actions/work-units/own-subscription.ts';
import { forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { communicationContacts } from '@cloudfit/contract/resources/communication-contacts.ts';
import { inTransaction, tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import type { TenantScope } from '../../../db/db.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { remove } from '../../../resources/remove.ts';
import { update } from '../../../resources/update.ts';
import { actingIn } from '../resolution-center/acting.ts';
import { servedCommunicationContacts } from './contacts.served.ts';

type Contact = Row<typeof communicationContacts>;
type ContactChoice = Pick<Contact, 'active' | 'language' | 'kinds' | 'minimumSeverity'>;

/** The tenants whose communications the caller may subscribe to. */
const tenantsOf = (ctx: Ctx): TenantScope => tenantScopeWith(ctx, [viewMine, permission('WorkUnits', 'view')]);

function personOf(ctx: Ctx): string {
  if (ctx.actor.kind !== 'person') throw forbidden('Only people subscribe by themselves. Please add a contact instead.');
  return ctx.actor.id;
}

interface Subscriber {
  name: string;
  /** Null without a confirmed address. */
  email: string | null;
}

async function subscriberOf(ctx: Ctx, personId: string): Promise<Subscriber> {
  const [row] = await ctx.db.query<Subscriber>({
    text: 'select name, case when email_verified then lower(email) end as email from person where person_id = $1',
    values: [personId],
  });
  return row ?? { name: '', email: null };
}

interface OwnSubscriptionRow extends Omit<ContactChoice, 'active'> {
  tenantId: string;
  tenantName: string;
  active: boolean;
}

// A contact that staff added with the address of the person counts too: it is the same mailbox.
const owned = `select distinct on (t.name, t.tenant_id) t.tenant_id as "tenantId", t.name as "tenantName", coalesce(c.active, false) as active,
  coalesce(c.language, p.locale ->> 'language', 'en') as language, coalesce(c.kinds, 'All') as kinds, coalesce(c.minimum_severity, 'Sev4') as "minimumSeverity"
from tenant t join person p on p.person_id = $1
left join communication_contact c on c.tenant_id = t.tenant_id and (c.person_id = p.person_id or p.email_verified and c.email = lower(p.email))
where t.enabled and ($2::uuid[] is null or t.tenant_id = any($2::uuid[]))
order by t.name, t.tenant_id, c.person_id = p.person_id desc nulls last limit 200`;

const listed = implement(ownSubscriptions, async (ctx) => {
  const personId = personOf(ctx);
  const scope = tenantsOf(ctx);
  const value = await ctx.db.query<OwnSubscriptionRow>({ text: owned, values: [personId, scope === 'all' ? null : scope] });
  return { email: (await subscriberOf(ctx, personId)).email, value };
});

const existing = `select communication_contact_id as id from communication_contact
where tenant_id = $1 and (person_id = $2 or email = $3) order by email = $3 desc for update`;

const servedOwn = (personId: string, { name, email }: { name: string; email: string }): typeof servedCommunicationContacts => ({
  ...servedCommunicationContacts,
  fill: async (ctx, change) => ({
    ...(await servedCommunicationContacts.fill?.(ctx, change)),
    ...(change.verb === 'create' ? { name: name || email } : {}),
    email,
    personId,
    unsubscribed: change.after.active ? null : (change.before?.unsubscribed ?? ctx.now().toISOString()),
  }),
});

const rights = (['view', 'create', 'edit', 'delete'] as const).map((verb) => permission('WorkUnitCommunications', verb));

const changed = implement(changeOwnSubscription, (outside, { tenantId, ...choice }) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    const scope = tenantsOf(ctx);
    if (scope !== 'all' && !scope.includes(tenantId)) throw notFound('Tenant');
    const { name, email } = await subscriberOf(ctx, personId);
    if (email === null)
      throw validationFailed([
        { target: 'active', message: 'Your account has no confirmed mail address. Please ask your administrator to invite you by mail.' },
      ]);
    const rows = await ctx.db.query<{ id: string }>({ text: existing, values: [tenantId, personId, email] });
    const acting = actingIn(ctx, tenantId, ...rights);
    const served = servedOwn(personId, { name, email });
    // After a change of the person's address there may be two: the one with the address stays.
    for (const { id } of rows.slice(1)) await remove(acting, servedCommunicationContacts, id);
    const [first] = rows;
    if (first) await update(acting, served, first.id, { ...choice });
    else if (choice.active) await create(acting, served, { ...choice, tenantId, name: name || email, email });
    return { tenantId, ...choice };
  }),
);

export const ownSubscriptionActions: readonly ImplementedAction[] = [listed, changed];
