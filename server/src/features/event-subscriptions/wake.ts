/** Queues the jobs of deliveries that may be sent now: of each work unit, match or communication the first that waits. */
import type { Db } from '../../db/db.ts';
import { notify } from '../../db/notify.ts';
import { jobsOf } from '../../jobs/queue.ts';
import type { Periodic } from '../../jobs/schedule.ts';

export const sendEventName = 'send-event';

const payload = "jsonb_build_object('eventDeliveryId', event_delivery_id)";
const job = jobsOf('first', `'${sendEventName}'`, payload);

const wake = `with due as (
  update event_delivery d set next_attempt = null from event_subscription s
  where s.event_subscription_id = d.event_subscription_id and s.enabled and s.paused is null and d.event_subscription_id = $1 and d.status = 'Waiting'
    and (not $2 or d.last_attempt is null or d.last_attempt < now() - interval '1 minute')
  returning d.event_delivery_id, d.tenant_id, d.subject, d.correlation_id
), first as (
  select distinct on (subject) * from due order by subject, event_delivery_id
)
${job}`;

/**
 * Makes what waits at a subscription due; of that, with `spares`, nothing that was tried in the last minute, so that an event that its
 * receiver refuses is not sent again with each other one.
 */
export async function wakeSubscription(db: Db, eventSubscriptionId: string, { spares = false } = {}): Promise<void> {
  await db.query({ name: 'event-wake', text: wake, values: [eventSubscriptionId, spares] });
  await notify(db, 'jobs');
}

const next = `with first as (
  select event_delivery_id, tenant_id, correlation_id from event_delivery
  where event_subscription_id = $1 and subject = $2 and status = 'Waiting' order by event_delivery_id limit 1
)
${job}`;

/** Queues the next event about the same subject, after the one before has ended. */
export async function wakeNext(db: Db, { eventSubscriptionId, subject }: { eventSubscriptionId: string; subject: string }): Promise<void> {
  await db.query({ name: 'event-next', text: next, values: [eventSubscriptionId, subject] });
  await notify(db, 'jobs');
}

const waiting = `with first as (
  select event_delivery_id, tenant_id, correlation_id from event_delivery
  where event_subscription_id = $1 and status = 'Waiting' and next_attempt is null and (claimed_until is null or claimed_until < now())
  order by event_delivery_id limit 1
)
${job}`;

/** Queues the first event that nothing holds back, after a batch has ended: those behind a full one have used up their jobs. */
export async function wakeWaiting(db: Db, eventSubscriptionId: string): Promise<void> {
  await db.query({ name: 'event-waiting', text: waiting, values: [eventSubscriptionId] });
  await notify(db, 'jobs');
}

// What has waited for ten minutes longer than it had to has lost its job: to a server of before that knew no such job, or to an error that
// was none of the receiver.
const lost = `with first as (
  select distinct on (d.event_subscription_id, d.subject) d.event_delivery_id, d.tenant_id, d.correlation_id, coalesce(d.next_attempt, d.occurred) as due
  from event_delivery d join event_subscription s on s.event_subscription_id = d.event_subscription_id
  where d.status = 'Waiting' and s.enabled and s.paused is null
  order by d.event_subscription_id, d.subject, d.event_delivery_id
)
${jobsOf("first where due < now() - interval '10 minutes'", `'${sendEventName}'`, payload, "'event-' || event_delivery_id")}`;

export const lostEventsWork: Periodic = {
  name: 'lost-events',
  everyMs: 300_000,
  run: async (db) => {
    await db.query({ text: lost });
  },
};
