/**
 * Sends one event to one subscription, at least once. Events about the same work unit, match or communication go out one after another:
 * the next is queued when the one before has ended. Tries are spread over three days; then the subscription is paused, unless the
 * receiver has taken other events meanwhile.
 */
import { z } from 'zod';
import { eventSecretPurpose } from '../../auth/tenant-secrets.ts';
import type { Ctx } from '../../context/ctx.ts';
import { sendEventName } from '../../features/event-subscriptions/wake.ts';
import { defineJob, NotDue, type Job, type JobAttempt } from '../../jobs/job.ts';
import type { OutboundAnswer } from '../../outbound/http.ts';
import { sealFor } from '../services/seal.ts';
import { tellService } from '../services/tell-service.ts';
import { messageOfEvent } from './compose-event.ts';
import { bodyOf, claim, drop, loadDeliveries, type Delivery, type EventParts } from './deliveries.ts';
import { recordFailure, recordSuccess } from './outcomes.ts';
import { sendBatch } from './send-batch.ts';
import { failureOf, sendSigned, tryToSend } from './try-to-send.ts';

/** Returns the answer of the receiver; undefined when there was nothing to send. */
async function send(ctx: Ctx, parts: EventParts, delivery: Delivery, stored: string): Promise<OutboundAnswer | undefined> {
  const { eventSubscriptionId, eventId, secret, format, service } = delivery;
  if (service !== 'CloudEvents') {
    const seal = sealFor(parts.masterKey.open(secret, eventSecretPurpose(eventSubscriptionId)));
    return tellService(ctx, parts, { ...delivery, service }, stored, seal);
  }
  return sendSigned(ctx, parts, delivery, eventId, messageOfEvent(stored, format));
}

async function run(ctx: Ctx, parts: EventParts, id: number, attempt: JobAttempt): Promise<void> {
  const [delivery] = await loadDeliveries(ctx.db, [id]);
  if (!delivery || delivery.status !== 'Waiting') return;
  const isTest = delivery.deed === 'test';
  if (!isTest) {
    // Whoever enables or resumes it queues it again.
    if (!delivery.enabled || delivery.isPaused) return;
    // Another job is set for the next try.
    if (delivery.waitMs > 1_000) return;
    if (delivery.holdMs > 0) throw new NotDue('The receiver asked for a pause.', delivery.holdMs);
    if (delivery.format === 'Batch' && !delivery.isAlone && (await sendBatch(ctx, parts, delivery, attempt))) return;
    // Whatever ends what is before it queues it again.
    if (delivery.isEarlierOpen) return;
  }
  const claimed = await ctx.db.query<{ claimed: number }>({ name: 'event-claim', text: claim, values: [id, attempt.lease?.jobId ?? 0] });
  if (claimed.length === 0) return;
  const stored = await bodyOf(ctx, delivery, parts.publicUrl).catch(failureOf);
  if (stored === undefined) return;
  if (typeof stored !== 'string') return await recordFailure(ctx, delivery, parts, stored);
  const outcome = await tryToSend(attempt, delivery, delivery.subject, () => send(ctx, parts, delivery, stored));
  if (outcome === undefined) await drop(ctx, delivery);
  else if ('error' in outcome) await recordFailure(ctx, delivery, parts, outcome);
  else await recordSuccess(ctx, [delivery], outcome);
}

export function sendEventJob(parts: EventParts): Job {
  return defineJob({
    name: sendEventName,
    schema: z.object({ eventDeliveryId: z.int() }),
    run: (ctx, { eventDeliveryId }, attempt) => run(ctx, parts, eventDeliveryId, attempt),
  });
}
