import {
  newEventSecret,
  redeliverEvents,
  resumeEventSubscription,
  testEventSubscription,
} from '@cloudfit/contract/events/event-subscriptions.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { destinations } from '@cloudfit/contract/resources/destinations.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { newEventSecret as makeSecret, sealEventSecret } from './event-secrets.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { sql } from '../../db/sql.ts';
import { enqueue, resumeCalls } from '../../jobs/queue.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedEventSubscriptions, type EventSubscriptionRow } from './event-subscriptions.served.ts';
import { sendEventName, wakeSubscription } from './wake.ts';

async function toEdit(ctx: Ctx, id: string): Promise<EventSubscriptionRow> {
  const row = await get(ctx, servedEventSubscriptions, id, { lock: 'edit' });
  requirePermission(ctx, 'Settings', 'edit', row.tenantId);
  return row;
}

const audit = (ctx: Ctx, verb: string, { eventSubscriptionId, tenantId }: EventSubscriptionRow, after?: object): Promise<void> =>
  recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'eventSubscriptions',
    entityId: eventSubscriptionId,
    tenantId,
    ...(after ? { after } : {}),
    correlationId: ctx.correlationId,
    address: ctx.address,
  });

const renew = implement(newEventSecret, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const before = await toEdit(ctx, id);
    const { secret, hint } = makeSecret();
    const previousUntil = new Date(ctx.now().getTime() + dayMs).toISOString();
    const write = sql`update event_subscription set previous_secret = secret, previous_until = ${previousUntil}::timestamptz,
      secret = ${JSON.stringify(sealEventSecret(id, secret))}::jsonb, secret_hint = ${hint}, modified = now(), version = version + 1
      where event_subscription_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedEventSubscriptions, 'update', write, before);
    if (!row) throw notFound('Event Subscription');
    return { eventSubscriptionId: id, generatedSecret: secret, previousUntil };
  }),
);

const addTest = `insert into event_delivery (tenant_id, event_subscription_id, event_id, type, deed, subject, entity_id, correlation_id)
values ($1, $2::uuid, uuidv7(), 'cloudfit.test', 'test', 'eventSubscriptions/' || $2::uuid, $2::uuid::text, $3) returning event_delivery_id as id`;

/** The tenant in whose name a test of a subscription of many goes out: one of those that the caller sees. */
async function tenantOf(ctx: Ctx, { tenantId, tenantGroupId }: EventSubscriptionRow): Promise<string> {
  if (tenantId) return tenantId;
  const [row] = await ctx.db.query<{ id: string }>({
    text: `select t.tenant_id as id from tenant t where t.enabled and ($1::uuid is null or exists (
      select from tenant_group g where g.tenant_group_id = $1 and g.tenant_ids ? t.tenant_id::text)) order by t.tenant_id limit 1`,
    values: [tenantGroupId],
  });
  if (!row) throw notFound('Tenant');
  return row.id;
}

const test = implement(testEventSubscription, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const subscription = await toEdit(ctx, id);
    const tenantId = await tenantOf(ctx, subscription);
    const [delivery] = await ctx.db.query<{ id: number }>({ text: addTest, values: [tenantId, id, ctx.correlationId] });
    if (!delivery) throw notFound('Event Subscription');
    await enqueue(ctx.db, {
      name: sendEventName,
      payload: { eventDeliveryId: delivery.id },
      tenantId,
      correlationId: ctx.correlationId,
    });
    await audit(ctx, 'test', subscription);
    return { eventDeliveryId: delivery.id };
  }),
);

// Whoever resumes a subscription also wants calls to its receiver, which may be disabled after a day of failures.
const spare = `with closed as (
  delete from destination where origin = $1 and ($2::uuid is null or tenant_id = $2) returning destination_id, tenant_id
)
${changed(destinations, 'delete', 'closed', 'uuidv7()')}`;

const waitingOf = `select count(*)::int as waiting from event_delivery where event_subscription_id = $1 and status = 'Waiting'`;

const resume = implement(resumeEventSubscription, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const before = await toEdit(ctx, id);
    const write = sql`update event_subscription set enabled = true, paused = null, problem = null, failing_since = null, hold_until = null,
      modified = now(), version = version + 1 where event_subscription_id = ${id}::uuid returning *`;
    await writeRecorded(ctx, servedEventSubscriptions, 'update', write, before);
    const { origin } = new URL(before.address);
    await ctx.db.query({ text: spare, values: [origin, before.tenantId] });
    if (before.tenantId) await resumeCalls(ctx.db, before.tenantId, origin);
    await wakeSubscription(ctx.db, id);
    const [row] = await ctx.db.query<{ waiting: number }>({ text: waitingOf, values: [id] });
    return { waiting: row?.waiting ?? 0 };
  }),
);

// The event is not composed again: the receiver gets the same bytes under the same id.
const again = `with chosen as (
  select tenant_id, event_delivery_id from event_delivery
  where event_subscription_id = $1 and status <> 'Waiting' and deed <> 'test'
    and ($2::bigint[] is null or event_delivery_id = any($2))
    and ($3::timestamptz is null or occurred >= $3) and ($4::timestamptz is null or occurred < $4) and (not $5 or status <> 'Delivered')
  order by event_delivery_id limit 10000 for update
), queued as (
  update event_delivery d set status = 'Waiting', attempts = 0, first_attempt = null, next_attempt = null, claimed_by = null, claimed_until = null
  from chosen c where d.tenant_id = c.tenant_id and d.event_delivery_id = c.event_delivery_id returning 1
)
select count(*)::int as queued from queued`;

const redeliver = implement(redeliverEvents, (outside, { id, eventDeliveryIds, from, to, failedOnly }) =>
  inTransaction(outside, async (ctx) => {
    const subscription = await toEdit(ctx, id);
    const [row] = await ctx.db.query<{ queued: number }>({
      text: again,
      values: [id, eventDeliveryIds ?? null, from ?? null, to ?? null, failedOnly],
    });
    const queued = row?.queued ?? 0;
    await audit(ctx, 'redeliver', subscription, { queued, eventDeliveryIds, from, to });
    await wakeSubscription(ctx.db, id);
    return { queued };
  }),
);

export const eventSubscriptionActions: readonly ImplementedAction[] = [renew, test, resume, redeliver];
