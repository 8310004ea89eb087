/** Event subscriptions and their deliveries. The value of a secret is shown only once, when it is made. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { eventDeliveries, eventSubscriptions, type EventEntity } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { escalationFaults } from '../../auth/escalation-faults.ts';
import { newEventSecret, sealEventSecret } from './event-secrets.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { createFromBody } from '../../resources/create.ts';
import { planList } from '../../resources/list.ts';
import { serve, servedNamed, type FieldError, type RowChange, type Served } from '../../resources/served.ts';
import { wakeSubscription } from './wake.ts';

export type EventSubscriptionRow = Row<typeof eventSubscriptions>;

/** Creates a subscription; returns the new row with its secret, which is stored encrypted. */
export async function createEventSubscription(ctx: Ctx, body: unknown): Promise<EventSubscriptionRow & { generatedSecret: string }> {
  const { secret, hint } = newEventSecret();
  const id = uuidV7();
  const columns = { event_subscription_id: id, secret_hint: hint, secret: JSON.stringify(sealEventSecret(id, secret)) };
  const row = await createFromBody(ctx, servedEventSubscriptions, body, { columns });
  return { ...row, generatedSecret: secret };
}

const viewOf: Readonly<Record<EventEntity, Permission>> = {
  workUnits: permission('WorkUnits', 'view'),
  ruleMatches: permission('Rules', 'view'),
  workUnitCommunications: permission('WorkUnitCommunications', 'view'),
};

function addressProblems(ctx: Ctx, address: string): FieldError[] {
  const target = 'address';
  if (!URL.canParse(address)) return [{ target, message: 'Address is not a valid address.' }];
  const { username, password } = new URL(address);
  if (username || password)
    return [
      { target, message: 'An address cannot contain a user name or password. Each delivery is signed: let the receiver check that.' },
    ];
  const refused = ctx.refusedCall?.(address);
  return refused === undefined ? [] : [{ target, message: refused }];
}

/** Why a list of the entity refuses the filter, by the caller's rights. */
function filterProblems(ctx: Ctx, { entity, filter }: EventSubscriptionRow): FieldError[] {
  if (!filter) return [];
  try {
    planList(ctx, servedNamed(requireResource(entity).name), queryText({ filter }));
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return [{ target: 'filter', message: error.details[0]?.message ?? error.message }];
  }
}

function faultsOf(ctx: Ctx, { verb, after, changed }: RowChange<EventSubscriptionRow>): FieldError[] {
  if (verb === 'delete') return [];
  const errors: FieldError[] =
    after.tenantId && after.tenantGroupId
      ? [{ target: 'tenantGroupId', message: 'A subscription is for a tenant or for a group of tenants. Clear one of the two.' }]
      : [];
  if (changed.includes('address')) errors.push(...addressProblems(ctx, after.address));
  if (!after.onOpened && !after.onState && !after.onChanged && !after.onNote)
    errors.push({ target: 'onOpened', message: 'Choose at least one kind of event.' });
  // Nobody learns by events what they may not view.
  if (ctx.actor.kind !== 'system') errors.push(...escalationFaults(ctx, after.tenantId ?? null, [viewOf[after.entity]], 'entity'));
  if (errors.length === 0 && (changed.includes('filter') || changed.includes('entity'))) errors.push(...filterProblems(ctx, after));
  return errors;
}

/** A subscription of several tenants, with its deliveries, concerns only those who see all of them. */
const seesAll = (ctx: Ctx): boolean => tenantScopeWith(ctx, [permission('Settings', 'view')]) === 'all';

export const servedEventSubscriptions: Served<typeof eventSubscriptions> = serve(eventSubscriptions, 'event_subscription', {
  rowsFor: (ctx, t): RawBuilder<boolean> | undefined => (seesAll(ctx) ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} is not null`),
  // Whoever corrects a subscription lets it send again.
  fill: (_ctx, { verb, changed }) =>
    verb === 'update' && (changed.includes('address') || changed.includes('enabled'))
      ? { paused: null, problem: null, failingSince: null }
      : {},
  check: faultsOf,
  needsAfter: ({ verb }) => verb === 'update',
  after: (ctx, { after }) => wakeSubscription(ctx.db, after.eventSubscriptionId),
});

export const servedEventDeliveries: Served<typeof eventDeliveries> = serve(eventDeliveries, 'event_delivery', {
  rowsFor: (ctx, t): RawBuilder<boolean> | undefined =>
    seesAll(ctx)
      ? undefined
      : sql<boolean>`exists (select from event_subscription s where s.event_subscription_id = ${sql.ref(`${t}.event_subscription_id`)} and s.tenant_id is not null)`,
});
