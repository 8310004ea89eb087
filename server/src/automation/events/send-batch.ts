/**
 * Sends several events of a subscription in one call, in their order. An event goes with a batch only behind or beside all that is before it
 * about the same work unit, match or communication; several batches of a subscription may be under way.
 */
import type { Ctx } from '../../context/ctx.ts';
import { NotDue, type JobAttempt } from '../../jobs/job.ts';
import { wakeWaiting } from '../../features/event-subscriptions/wake.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { messageOfBatch } from './compose-event.ts';
import { bodyOf, goesAlone, loadDeliveries, type Delivery, type EventParts } from './deliveries.ts';
import { pauseAfter, recordFailure, recordSuccess } from './outcomes.ts';
import { failureOf, sendSigned, tryToSend } from './try-to-send.ts';

/** Bytes of a batch, of which one event may have more alone. */
const maxBytes = 1_000_000;

// Those who choose do so one after another, so that none misses what another has just claimed.
const lock = 'select 1 as locked from event_subscription where event_subscription_id = $1 for update';

// Among the first thousand that wait. A batch goes when it is full, or when its oldest event has waited long enough.
const choose = `with waiting as (
  select d.tenant_id, d.event_delivery_id, d.subject, d.occurred, d.tenant_id = $2 and d.deed <> 'test' and coalesce(d.next_attempt <= now() + interval '1 second', true)
    and not ${goesAlone} and (d.claimed_by = $3 or d.claimed_until is null or d.claimed_until < now()) as is_free
  from event_delivery d where d.event_subscription_id = $1 and d.status = 'Waiting' order by d.event_delivery_id limit 1000
), ready as (
  select w.*, bool_and(is_free) over (partition by subject order by event_delivery_id) as is_ready from waiting w
), chosen as (
  select * from ready where is_ready order by event_delivery_id limit $4
)
update event_delivery d set claimed_by = $3, claimed_until = now() + interval '2 minutes' from chosen c
where d.tenant_id = c.tenant_id and d.event_delivery_id = c.event_delivery_id
  and ((select count(*) from chosen) >= $4 or (select min(occurred) from chosen) <= now() - make_interval(secs => $5))
returning d.event_delivery_id as id`;

const release = `update event_delivery set claimed_by = null, claimed_until = null where event_delivery_id = any($1) and status = 'Waiting'`;

async function claimBatch(
  ctx: Ctx,
  { eventSubscriptionId, tenantId, batchSize, batchSeconds }: Delivery,
  jobId: number,
): Promise<number[]> {
  return ctx.db.transaction(async (db) => {
    await db.query({ name: 'event-batch-lock', text: lock, values: [eventSubscriptionId] });
    const values = [eventSubscriptionId, tenantId, jobId, batchSize, batchSeconds];
    const rows = await db.query<{ id: number }>({ name: 'event-batch', text: choose, values });
    return rows.map(({ id }) => id);
  });
}

interface StoredEvent {
  delivery: Delivery;
  stored: string;
}

/** The events as they are sent, as many as fit; those that do not are free for the next batch. */
async function composeBatch(ctx: Ctx, parts: EventParts, ids: readonly number[]): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let bytes = 0;
  const loaded = await loadDeliveries(ctx.db, ids);
  for (const [n, delivery] of loaded.entries()) {
    const stored = await bodyOf(ctx, delivery, parts.publicUrl).catch(failureOf);
    if (stored === undefined) continue;
    const isFailed = typeof stored !== 'string';
    if (isFailed) await recordFailure(ctx, delivery, parts, stored);
    else bytes += Buffer.byteLength(stored);
    if (isFailed || (bytes > maxBytes && events.length > 0)) {
      const left = loaded.slice(isFailed ? n + 1 : n).map(({ eventDeliveryId }) => eventDeliveryId);
      await ctx.db.query({ name: 'event-batch-release', text: release, values: [left] });
      break;
    }
    events.push({ delivery, stored });
  }
  return events;
}

/**
 * Sends the batch whose turn it is; returns false when there is none although the event of the job is due, which then goes alone. Throws
 * `NotDue` while the batch is to wait for more events.
 */
export async function sendBatch(ctx: Ctx, parts: EventParts, leader: Delivery, attempt: JobAttempt): Promise<boolean> {
  const { eventSubscriptionId, batchSeconds, ageMs } = leader;
  const ids = await claimBatch(ctx, leader, attempt.lease?.jobId ?? 0);
  if (ids.length === 0) {
    const waitMs = batchSeconds * 1_000 - ageMs;
    if (waitMs > 0) throw new NotDue('The batch waits for more events.', Math.ceil(waitMs));
    return false;
  }
  const events = await composeBatch(ctx, parts, ids);
  const deliveries = events.map(({ delivery }) => delivery);
  const [first] = deliveries;
  if (!first) {
    await wakeWaiting(ctx.db, eventSubscriptionId);
    return true;
  }
  // The same events have the same id, so that a receiver recognises a batch that comes twice.
  const others = deliveries.slice(1).map(({ eventId }) => eventId);
  const messageId = others.length === 0 ? first.eventId : uuidV5(first.eventId, others.join(' '));
  const message = messageOfBatch(events.map(({ stored }) => stored));
  const outcome = await tryToSend(attempt, leader, eventSubscriptionId, () => sendSigned(ctx, parts, leader, messageId, message));
  if (outcome && !('error' in outcome)) {
    await recordSuccess(ctx, deliveries, outcome);
    return true;
  }
  const failure = outcome ?? { error: 'Nothing was sent.' };
  // They are tried again at one time, so that they stay one batch.
  const delayMs = pauseAfter(Math.max(...deliveries.map(({ attempts }) => attempts)));
  for (const delivery of deliveries) {
    await recordFailure(ctx, delivery, parts, { ...failure, delayMs });
    // The receiver takes no more events, so those behind are canceled already.
    if (failure.answer?.status === 410) return true;
  }
  await wakeWaiting(ctx.db, eventSubscriptionId);
  return true;
}
