/**
 * Sends one event to one subscription, at least once. Events about the same work unit, match or communication go out one after another:
 * the next is queued when the one before has ended. Tries are spread over three days; then the subscription is paused, unless the
 * receiver has taken other events meanwhile.
 */
import { z } from 'zod';
import { backoffMs, type Backoff } from '@cloudfit/contract/backoff.ts';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import type { ServiceName } from '@cloudfit/contract/events/services.ts';
import { eventSubscriptions, type EventEntity } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { eventSecretPurpose, type TenantSecrets } from '../../auth/tenant-secrets.ts';
import type { MasterKey, SealedKey } from '../../auth/master-key.ts';
import type { Ctx } from '../../context/ctx.ts';
import { hopHeader, type HopCounts } from '../../context/hop-count.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { sendEventName, wakeNext, wakeSubscription } from '../../features/event-subscriptions/wake.ts';
import { defineJob, NotDue, NotTried, requireCallSlot, type Job, type JobAttempt } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/circuit-breaker.ts';
import { originOf, type OutboundAnswer, type OutboundHttp } from '../../outbound/http.ts';
import { mailResponsible } from '../notify/mail-responsible.ts';
import type { AckLinks } from '../../platform/ack-links.ts';
import { noteOutcome } from '../services/links.ts';
import { sealFor } from '../services/seal.ts';
import { ServiceRefusal } from '../services/service.ts';
import { tellService, type ServiceDelivery } from '../services/tell-service.ts';
import { signedHeaders } from '../webhook-signature.ts';
import { composeEvent, messageOfEvent, type RecordedEvent } from './compose-event.ts';
import { currentTime } from '../../platform/clock.ts';

/** Eleven tries in about three days. */
const retries: Backoff = {
  delaysMs: [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 86_400_000],
  jitter: [0.9, 1.1],
};
const triesAtMost = retries.delaysMs.length + 1;
const storedAnswer = 2_000;

interface Delivery extends Omit<RecordedEvent, 'filter'>, Omit<ServiceDelivery, 'service'> {
  service: ServiceName;
  status: string;
  attempts: number;
  firstAttempt: string | null;
  body: string | null;
  waitMs: number;
  ownerId: string | null;
  format: string;
  filter: string | null;
  enabled: boolean;
  isPaused: boolean;
  holdMs: number;
  isFailing: boolean;
  deliveredMeanwhile: boolean;
  secret: SealedKey;
  previous: SealedKey | null;
  isEarlierOpen: boolean;
}

const load = `select d.event_delivery_id as "eventDeliveryId", d.tenant_id as "tenantId", d.event_id as "eventId", d.type, d.deed, d.subject, d.entity_id as "entityId",
  d.changes, d.occurred, d.status, d.attempts, d.first_attempt as "firstAttempt", d.body,
  greatest(0, coalesce(extract(epoch from d.next_attempt - now()), 0) * 1000)::float8 as "waitMs",
  s.event_subscription_id as "eventSubscriptionId", s.name, s.tenant_id as "ownerId", s.entity, s.address, s.format,
  case when l.unit_link_id is null then s.filter end as filter, s.enabled, s.paused is not null as "isPaused",
  greatest(0, coalesce(extract(epoch from s.hold_until - now()), 0) * 1000)::float8 as "holdMs", s.failing_since is not null as "isFailing",
  coalesce(s.last_delivered > d.first_attempt, false) as "deliveredMeanwhile", s.secret,
  case when s.previous_until > now() then s.previous_secret end as previous,
  exists (select from event_delivery e where e.event_subscription_id = d.event_subscription_id and e.subject = d.subject and e.status = 'Waiting'
    and e.event_delivery_id < d.event_delivery_id) as "isEarlierOpen",
  s.service, s.place, s.item_type as "itemType", s.creates, s.external_only as "externalOnly", s.token_secret as "tokenSecret",
  l.remote_key as "linkKey", l.name as "linkName", l.url as "linkUrl", l.remote_state as "linkState", l.remote_at as "linkAt",
  d.body is not null as "wasTried", w.reference_id as "referenceId", w.reference_url as "referenceUrl", w.state_id as "presentState"
from event_delivery d join event_subscription s on s.event_subscription_id = d.event_subscription_id
left join work_unit w on s.service <> 'CloudEvents' and d.deed <> 'test' and w.work_unit_id = case when d.entity_id ~ '^[0-9]+$' then d.entity_id::bigint end
left join unit_link l on l.event_subscription_id = s.event_subscription_id and l.work_unit_id = w.work_unit_id
where d.event_delivery_id = $1`;

// The job that claims a delivery may claim it again, after its worker was killed; another job may not, until the claim has run out.
const claim = `update event_delivery set claimed_by = $2, claimed_until = now() + interval '2 minutes'
where event_delivery_id = $1 and status = 'Waiting' and (claimed_by = $2 or claimed_until is null or claimed_until < now()) returning 1 as claimed`;

const succeed = `update event_delivery set status = 'Delivered', attempts = attempts + 1, first_attempt = coalesce(first_attempt, $2), last_attempt = $2, next_attempt = null,
  answer_status = $3, answer = $4, error = null, duration_ms = $5, claimed_by = null, claimed_until = null where event_delivery_id = $1`;

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

export interface EventParts {
  http: OutboundHttp;
  masterKey: MasterKey;
  hopCounts: HopCounts;
  publicUrl: string;
  /** For services with an API. */
  secrets: TenantSecrets;
  ackLinks: AckLinks;
}

/** How a try ended without success. */
interface Failure {
  error: string;
  answer?: OutboundAnswer | undefined;
  retryAfterMs?: number | undefined;
  /** The receiver refuses this event for ever, and takes others. */
  isFinal?: boolean;
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
async function recordFailure(
  ctx: Ctx,
  delivery: Delivery,
  parts: EventParts,
  { error, answer, retryAfterMs, isFinal = false }: Failure,
): Promise<void> {
  const { eventDeliveryId: id, eventSubscriptionId, deed, attempts } = delivery;
  const number = attempts + 1;
  const isLinked = delivery.service !== 'CloudEvents';
  const isGone = answer?.status === 410 && !isLinked;
  const isLast = deed === 'test' || isFinal || number >= triesAtMost;
  // The receiver takes others and not this one, so it waits for nothing; else everything waits until somebody has looked.
  const isGivenUp = deed === 'test' || isFinal || (isLast && delivery.deliveredMeanwhile);
  const delayMs = Math.max(backoffMs(number, retries), retryAfterMs ?? 0);
  const next = isLast || isGone ? null : new Date(currentTime() + delayMs);
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

async function recordSuccess(ctx: Ctx, delivery: Delivery, answer: OutboundAnswer): Promise<void> {
  const { eventDeliveryId: id, eventSubscriptionId, deed, isFailing } = delivery;
  await ctx.db.transaction(async (db) => {
    const values = [id, ctx.now().toISOString(), answer.status, answer.body.slice(0, storedAnswer), answer.durationMs];
    await db.query({ name: 'event-succeed', text: succeed, values });
    if (deed === 'test') return;
    if (delivery.service !== 'CloudEvents') await noteOutcome(db, delivery, null, ctx.correlationId);
    await db.query({ name: 'event-delivered', text: delivered, values: [eventSubscriptionId, ctx.correlationId] });
    // The receiver answers again: what waits for its next try need not.
    if (isFailing) await wakeSubscription(db, eventSubscriptionId, { spares: true });
    await wakeNext(db, delivery);
  });
}

/** Deletes a delivery of which nothing is to be sent. */
async function drop(ctx: Ctx, delivery: Delivery): Promise<void> {
  await ctx.db.transaction(async (db) => {
    await db.query({
      name: 'event-drop',
      text: 'delete from event_delivery where event_delivery_id = $1',
      values: [delivery.eventDeliveryId],
    });
    await wakeNext(db, delivery);
  });
}

/** Composes the event at its first try, and stores it; returns undefined, after it has deleted the delivery, if nothing is to be sent. */
async function bodyOf(ctx: Ctx, delivery: Delivery, publicUrl: string): Promise<string | undefined> {
  if (delivery.body !== null) return delivery.body;
  const { eventDeliveryId: id } = delivery;
  const event = await composeEvent(ctx, delivery, publicUrl);
  if (!event) {
    await drop(ctx, delivery);
    return undefined;
  }
  const body = JSON.stringify(event);
  await ctx.db.query({ name: 'event-body', text: 'update event_delivery set body = $2 where event_delivery_id = $1', values: [id, body] });
  return body;
}

/** Returns the answer of the receiver; undefined when there was nothing to send. */
async function send(ctx: Ctx, parts: EventParts, delivery: Delivery, stored: string): Promise<OutboundAnswer | undefined> {
  const { eventSubscriptionId, eventId, secret, previous, address, format, tenantId, service } = delivery;
  if (service !== 'CloudEvents') {
    const seal = sealFor(parts.masterKey.open(secret, eventSecretPurpose(eventSubscriptionId)));
    return tellService(ctx, parts, { ...delivery, service }, stored, seal);
  }
  const keys = [secret, ...(previous ? [previous] : [])].map((sealed) =>
    parts.masterKey.open(sealed, eventSecretPurpose(eventSubscriptionId)),
  );
  const { headers, body } = messageOfEvent(stored, format);
  return parts.http.send({
    url: address,
    method: 'POST',
    headers: { ...headers, ...signedHeaders(keys, eventId, body, ctx.now()), [hopHeader]: parts.hopCounts.header(1, tenantId) },
    body,
    messageId: eventId,
    confined: true,
    owner: tenantId,
  });
}

const isTaken = (status: number): boolean => status >= 200 && status < 300;

async function run(ctx: Ctx, parts: EventParts, id: number, attempt: JobAttempt): Promise<void> {
  const [delivery] = await ctx.db.query<Delivery & { entity: EventEntity }>({ name: 'event-load', text: load, values: [id] });
  if (!delivery || delivery.status !== 'Waiting') return;
  const isTest = delivery.deed === 'test';
  if (!isTest) {
    // Whoever enables, resumes or ends what is before it queues it again.
    if (!delivery.enabled || delivery.isPaused || delivery.isEarlierOpen) return;
    // Another job is set for the next try.
    if (delivery.waitMs > 1_000) return;
    if (delivery.holdMs > 0) throw new NotDue('The receiver asked for a pause.', delivery.holdMs);
  }
  const claimed = await ctx.db.query<{ claimed: number }>({ name: 'event-claim', text: claim, values: [id, attempt.lease?.jobId ?? 0] });
  if (claimed.length === 0) return;
  let failure: Failure;
  try {
    const stored = await bodyOf(ctx, delivery, parts.publicUrl);
    if (stored === undefined) return;
    await requireCallSlot(attempt, originOf(delivery.address), delivery.subject);
    const answer = await send(ctx, parts, delivery, stored);
    if (!answer) return await drop(ctx, delivery);
    if (isTaken(answer.status)) return await recordSuccess(ctx, delivery, answer);
    failure = { error: `The receiver answered ${answer.status}.`, answer, retryAfterMs: answer.retryAfterMs };
  } catch (error) {
    if (error instanceof NotTried) throw error;
    // While the circuit of the receiver is open, nothing was sent.
    if (error instanceof OutboundFailed && error.retryAfterMs !== undefined && !isTest)
      throw new NotTried(error.message, originOf(delivery.address), delivery.subject);
    if (error instanceof ServiceRefusal) {
      const { answer, isFinal, message } = error;
      return await recordFailure(ctx, delivery, parts, { error: message, answer, isFinal, retryAfterMs: answer?.retryAfterMs });
    }
    const isTheirs =
      error instanceof OutboundFailed || error instanceof OutboundRefused || (error instanceof ApiError && error.status < 500);
    if (!isTheirs) throw error;
    failure = { error: messageOf(error) };
  }
  await recordFailure(ctx, delivery, parts, failure);
}

export function sendEventJob(parts: EventParts): Job {
  return defineJob({
    name: sendEventName,
    schema: z.object({ eventDeliveryId: z.int() }),
    run: (ctx, { eventDeliveryId }, attempt) => run(ctx, parts, eventDeliveryId, attempt),
  });
}
