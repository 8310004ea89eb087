/** Who is signed in, their permissions, the choice of their tenant and subscription, and the sign-out. */
import { changeOwnLocale, chooseContext, currentUser, permissionsOfCaller, signOut } from '@cloudfit/contract/actions/session.ts';
import { forbidden, notFound } from '@cloudfit/contract/errors.ts';
import { noLocale, type Locale } from '@cloudfit/contract/messages/language.ts';
import { recordAboutPerson, recordAudit } from '../../auth/audit-entry.ts';
import { endSubscription } from '../../auth/push/subscriptions.ts';
import { actorName, inTransaction, type Ctx } from '../../context/ctx.ts';
import { rememberShown } from '../../context/locale.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import type { StoredLocale } from '../../platform/language.ts';
import { isTenantInScope } from '../../resources/references.ts';

/** What a person chose, without what the portal showed. */
function chosenIn({ shown: _shown, ...chosen }: Partial<StoredLocale> = {}): Locale {
  return { ...noLocale, ...chosen };
}

const who = implement(currentUser, async (ctx) => {
  const none = {
    personId: null,
    name: ctx.actor.name,
    userName: actorName(ctx),
    tenantId: null,
    subscriptionId: null,
    photo: null,
    locale: null,
  };
  if (ctx.actor.kind !== 'person') return none;
  const [row] = await ctx.db.query<{
    tenantId: string | null;
    subscriptionId: string | null;
    photo: string | null;
    locale: StoredLocale | null;
  }>({
    name: 'current-user',
    text: 'select context_tenant_id as "tenantId", context_subscription_id as "subscriptionId", photo, locale from person where person_id = $1',
    values: [ctx.actor.id],
  });
  const chosen = chosenIn(row?.locale ?? {});
  // The portal names its language in each call. Mails to who has chosen none are written in it.
  if (ctx.language && ctx.language !== row?.locale?.shown && chosen.language === null && !ctx.seer)
    // While the database takes no writes, people still learn who they are.
    await rememberShown(ctx.db, ctx.actor.id, ctx.language).catch(() => undefined);
  const tenantInScope = row?.tenantId && isTenantInScope(ctx, row.tenantId);
  return {
    ...none,
    personId: ctx.actor.id,
    tenantId: tenantInScope ? row.tenantId : null,
    subscriptionId: tenantInScope ? row.subscriptionId : null,
    photo: row?.photo ?? null,
    locale: chosen,
  };
});

const what = implement(permissionsOfCaller, (ctx, { tenantId, everywhere }) => {
  if (everywhere === 'true') return [...(ctx.permissions.get('*') ?? [])].toSorted();
  const permissions = new Set<string>();
  for (const [tenant, set] of ctx.permissions) {
    if (tenantId === undefined || tenant === tenantId || tenant === '*') for (const p of set) permissions.add(p);
  }
  if (permissions.size === 0) throw forbidden('You do not have access. Please contact your system administrator for access.');
  return [...permissions].toSorted();
});

interface Context {
  tenantId: string | null;
  subscriptionId: string | null;
}

async function rememberContext(ctx: Ctx, personId: string, chosen: Context): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [before] = await ctx.db.query<Context>({
      text: 'select context_tenant_id as "tenantId", context_subscription_id as "subscriptionId" from person where person_id = $1 for update',
      values: [personId],
    });
    if (!before || (before.tenantId === chosen.tenantId && before.subscriptionId === chosen.subscriptionId)) return;
    await ctx.db.query({
      text: 'update person set context_tenant_id = $2, context_subscription_id = $3 where person_id = $1',
      values: [personId, chosen.tenantId, chosen.subscriptionId],
    });
    await recordAudit(ctx.db, {
      actor: { kind: 'person', id: personId, name: actorName(ctx) },
      tenantId: chosen.tenantId,
      verb: 'choose-context',
      entity: 'people',
      entityId: personId,
      before,
      after: chosen,
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  });
}

const where = implement(chooseContext, async (ctx, { tenant, subscriptionId }) => {
  const [visible] = await ctx.db.query<{ ok: boolean }>({
    text: 'select exists (select from tenant where tenant_id = $1) and ($2::uuid is null or exists (select from subscription where subscription_id = $2 and tenant_id = $1)) as ok',
    values: [tenant, subscriptionId ?? null],
  });
  requireTenant(ctx, tenant);
  if (!visible?.ok) throw notFound('Tenant');
  if (ctx.actor.kind === 'person') await rememberContext(ctx, ctx.actor.id, { tenantId: tenant, subscriptionId: subscriptionId ?? null });
  return { tenantId: tenant, subscriptionId: subscriptionId ?? null };
});

const speak = implement(changeOwnLocale, async (outside, locale) => {
  const { actor } = outside;
  if (actor.kind !== 'person') throw forbidden('Only people choose a language; sign in as a person.');
  await inTransaction(outside, async (ctx) => {
    const [before] = await ctx.db.query<{ locale: StoredLocale | null }>({
      text: 'select locale from person where person_id = $1 for update',
      values: [actor.id],
    });
    await ctx.db.query({ text: 'update person set locale = $2::jsonb where person_id = $1', values: [actor.id, JSON.stringify(locale)] });
    await recordAboutPerson(ctx.db, actor.id, {
      actor: { ...actor, name: actorName(ctx) },
      verb: 'update',
      entity: 'people',
      entityId: actor.id,
      before: { locale: chosenIn(before?.locale ?? {}) },
      after: { locale },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  });
  return locale;
});

const leave = implement(signOut, async (ctx, { pushEndpoint }) => {
  if (!ctx.endSignIn || ctx.actor.kind !== 'person') throw forbidden('Only people can sign out; a token is revoked.');
  if (pushEndpoint !== undefined) await endSubscriptionAt(ctx, ctx.actor.id, pushEndpoint);
  await ctx.endSignIn();
});

function endSubscriptionAt(outside: Ctx, personId: string, endpoint: string): Promise<void> {
  return inTransaction(outside, async (ctx) => {
    const [row] = await ctx.db.query<{ push_subscription_id: string }>({
      text: 'select push_subscription_id from push_subscription where person_id = $1 and endpoint = $2',
      values: [personId, endpoint],
    });
    const { correlationId, address } = ctx;
    const actor = { ...ctx.actor, name: actorName(ctx) };
    if (row)
      await endSubscription(ctx.db, personId, row.push_subscription_id, {
        actor,
        why: 'The person has signed out.',
        correlationId,
        address,
      });
  });
}

export const sessionActions: readonly ImplementedAction[] = [who, what, where, speak, leave];
