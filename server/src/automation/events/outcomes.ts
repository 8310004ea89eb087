/** Records what became of tries to send events, and what follows from it. */
import { backoffMs, type Backoff } from '@cloudfit/contract/backoff.ts';
import { eventSubscriptions } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { sendEventName, wakeNext, wakeSubscription, wakeWaiting } from '../../features/event-subscriptions/wake.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { OutboundAnswer } from '../../outbound/http.ts';
import { currentTime } from '../../platform/clock.ts';
import { mailResponsible } from '../notify/mail-responsible.ts';
import { noteOutcome } from '../services/links.ts';
import type { Delivery, EventParts } from './deliveries.ts';

/** Eleven tries in about three days. */
const retries: Backoff = {
  delaysMs: [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 86_400_000],
  jitter: [0.9, 1.1],
};
const triesAtMost = retries.delaysMs.length + 1;

/** How long after one more failure an event is tried again. */
export const pauseAfter = (attempts: number): number => backoffMs(attempts + 1, retries);

const storedAnswer = 2_000;

const succeed = `update event_delivery set status = 'Delivered', attempts = attempts + 1, first_attempt = coalesce(first_attempt, $2), last_attempt = $2, next_attempt = null,
  answer_status = $3, answer = $4, error = null, duration_ms = $5, claimed_by = null, claimed_until = null where event_delivery_id = any($1)`;

const delivered = `with s as (
  update event_subscription set last_delivered = now(), failing_since = null, problem = null, hold_until = null
  where event_subscription_id = $1 returning tenant_id, event_subscription_id
)
${changed(eventSubscriptions, 'update', 's', '$2')}`;

const fail = `update event_delivery set status = $6, attempts = attempts + 1, first_attempt = coalesce(first_attempt, $2), last_attempt = $2, next_attempt = $7,
  answer_status = $3, answer = $4, error = $5, duration_ms = $8, claimed_by = null, claimed_until = null where event_delivery_id = $1`;

const failing = `with s as (
  update event_subscription set failing_since = coalesce(failing_since, now()), problem = $2,
    hold_until = case when $3::int > 0 then now() + make_interval(secs => $3::int / 1000.0) else hold_until end
  where event_subscription_id = $1 returning tenant_id, event_subscription_id
)
${changed(eventSubscriptions, 'update', 's', '$4')}`;

const pause = `with s as (
  update event_subscription set paused = now() where event_subscription_id = $1 and paused is null returning tenant_id, event_subscription_id
)
${changed(eventSubscriptions, 'update', 's', '$2')}`;

const end = `with s as (
  update event_subscription set enabled = false, failing_since = null, problem = $2, modified = now(), version = version + 1
  where event_subscription_id = $1 and enabled returning tenant_id, event_subscription_id
), canceled as (
  update event_delivery d set status = 'Canceled', next_attempt = null from s where d.event_subscription_id = s.event_subscription_id and d.status = 'Waiting'
)
${changed(eventSubscriptions, 'update', 's', '$3')}`;

/** How a try ended without success. */
export interface Failure {
  error: string;
  answer?: OutboundAnswer | undefined;
  retryAfterMs?: number | undefined;
  /** The receiver refuses this event for ever, and takes others. */
  isFinal?: boolean;
  /** When it is tried again, where several events are to be tried together. */
  delayMs?: number;
}

async function auditOf(ctx: Ctx, db: Db, delivery: Delivery, verb: string, problem: string): Promise<void> {
  await recordAudit(db, {
    actor: ctx.actor,
    verb,
    entity: eventSubscriptions.name,
    entityId: delivery.eventSubscriptionId,
    tenantId: delivery.ownerId,
    after: { problem },
    correlationId: ctx.correlationId,
  });
}

/** Tells by mail that the subscription is paused or ended. */
async function tellTenant(db: Db, delivery: Delivery, publicUrl: string, text: 'paused' | 'ended', error: string): Promise<void> {
  const { ownerId, eventSubscriptionId, name, eventId } = delivery;
  const link = ownerId === null ? publicUrl : `${publicUrl}/${ownerId}/outbox?of=events&id=${eventSubscriptionId}`;
  await mailResponsible(db, {
    tenantId: ownerId,
    causeId: eventId,
    write: ({ eventSubscription }) => ({
      subject: eventSubscription[text].subject(name),
      text: eventSubscription[text].text(name, error, link),
    }),
  });
}

/** Records a failed try, and what follows from it. */
export async function recordFailure(
  ctx: Ctx,
  delivery: Delivery,
  parts: EventParts,
  { error, answer, retryAfterMs, isFinal = false, delayMs = pauseAfter(delivery.attempts) }: Failure,
): Promise<void> {
  const { eventDeliveryId: id, eventSubscriptionId, deed, attempts } = delivery;
  const number = attempts + 1;
  const isLinked = delivery.service !== 'CloudEvents';
  const isGone = answer?.status === 410 && !isLinked;
  const isLast = deed === 'test' || isFinal || number >= triesAtMost;
  // The receiver takes others and not this one, so it waits for nothing; else everything waits until somebody has looked.
  const isGivenUp = deed === 'test' || isFinal || (isLast && delivery.deliveredMeanwhile);
  const next = isLast || isGone ? null : new Date(currentTime() + Math.max(delayMs, retryAfterMs ?? 0));
  const status = isGone ? 'Canceled' : isGivenUp ? 'Failed' : 'Waiting';
  const at = ctx.now().toISOString();
  await ctx.db.transaction(async (db) => {
    await db.query({
      name: 'event-fail',
      text: fail,
      values: [
        id,
        at,
        answer?.status ?? null,
        answer?.body.slice(0, storedAnswer) ?? null,
        error.slice(0, 1_000),
        status,
        next?.toISOString() ?? null,
        answer?.durationMs ?? null,
      ],
    });
    if (isGone) {
      const problem = 'The receiver answered 410: it takes no more events.';
      await db.query({ text: end, values: [eventSubscriptionId, problem, ctx.correlationId] });
      await auditOf(ctx, db, delivery, 'disable', problem);
      await tellTenant(db, delivery, parts.publicUrl, 'ended', problem);
      return;
    }
    if (deed === 'test') return;
    if (isLinked) await noteOutcome(db, delivery, error, ctx.correlationId);
    const holdMs = Math.round(retryAfterMs ?? 0);
    if (!isFinal)
      await db.query({
        name: 'event-failing',
        text: failing,
        values: [eventSubscriptionId, error.slice(0, 1_000), holdMs, ctx.correlationId],
      });
    if (next) {
      await enqueue(db, {
        name: sendEventName,
        payload: { eventDeliveryId: id },
        tenantId: delivery.tenantId,
        correlationId: ctx.correlationId,
        runAt: next,
      });
    } else if (isGivenUp) {
      await wakeNext(db, delivery);
    } else {
      await db.query({ text: pause, values: [eventSubscriptionId, ctx.correlationId] });
      await auditOf(ctx, db, delivery, 'pause', error);
      await tellTenant(db, delivery, parts.publicUrl, 'paused', error);
    }
  });
}

/** Records that a call was taken, with the events of it: several of one subscription, or one. */
export async function recordSuccess(ctx: Ctx, deliveries: readonly Delivery[], answer: OutboundAnswer): Promise<void> {
  const [first] = deliveries;
  if (!first) return;
  const { eventSubscriptionId, deed, isFailing } = first;
  await ctx.db.transaction(async (db) => {
    const ids = deliveries.map(({ eventDeliveryId }) => eventDeliveryId);
    const values = [ids, ctx.now().toISOString(), answer.status, answer.body.slice(0, storedAnswer), answer.durationMs];
    await db.query({ name: 'event-succeed', text: succeed, values });
    if (deed === 'test') return;
    if (first.service !== 'CloudEvents') await noteOutcome(db, first, null, ctx.correlationId);
    await db.query({ name: 'event-delivered', text: delivered, values: [eventSubscriptionId, ctx.correlationId] });
    // The receiver answers again: what waits for its next try need not.
    if (isFailing) await wakeSubscription(db, eventSubscriptionId, { spares: true });
    if (first.format === 'Batch') await wakeWaiting(db, eventSubscriptionId);
    else await wakeNext(db, first);
  });
}
