/** Calls of event subscriptions: a new secret, a test, and sending again. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const instant = (name: string) => z.iso.datetime({ offset: true, error: `${name} must be a date and time, as in 2026-05-01T08:00:00Z.` });

export const newEventSecret = defineAction({
  name: 'newEventSecret',
  method: 'PUT',
  path: '/v1/eventSubscriptions/{id}/secret',
  access: { area: 'Settings', verb: 'edit' },
  about:
    'Gives a subscription a new secret, which the answer alone contains. The one before signs too for a day; one before that no longer.',
  input: z.object({ id: guidSchema }),
  output: z.object({ eventSubscriptionId: z.string(), generatedSecret: z.string(), previousUntil: z.string() }),
  noStore: true,
});

export const testEventSubscription = defineAction({
  name: 'testEventSubscription',
  method: 'POST',
  path: '/v1/eventSubscriptions/{id}/test',
  access: { area: 'Settings', verb: 'edit' },
  about: 'Sends an event of the type cloudfit.test once. The delivery with the returned id says how the receiver answered.',
  input: z.object({ id: guidSchema }),
  output: z.object({ eventDeliveryId: z.number() }),
});

export const resumeEventSubscription = defineAction({
  name: 'resumeEventSubscription',
  method: 'POST',
  path: '/v1/eventSubscriptions/{id}/resume',
  access: { area: 'Settings', verb: 'edit' },
  about: 'Sends what waits at a subscription that is paused or failing, now and in order.',
  input: z.object({ id: guidSchema }),
  output: z.object({ waiting: z.number() }),
});

export const redeliverEvents = defineAction({
  name: 'redeliverEvents',
  method: 'POST',
  path: '/v1/eventSubscriptions/{id}/redeliver',
  access: { area: 'Settings', verb: 'edit' },
  about:
    'Sends events again under their ids: those of `eventDeliveryIds`, or those that occurred from `from` to before `to` and were delivered, failed or canceled; at most 10,000 at once, the oldest first.',
  input: z
    .object({
      id: guidSchema,
      eventDeliveryIds: z.array(z.int()).min(1).max(1_000).optional(),
      from: instant('from').optional(),
      to: instant('to').optional(),
      /** Only those whose delivery failed. */
      failedOnly: z.boolean().default(false),
    })
    .refine(({ eventDeliveryIds, from }) => (eventDeliveryIds === undefined) !== (from === undefined), {
      error: 'Say either eventDeliveryIds, or from which time.',
      path: ['eventDeliveryIds'],
    }),
  output: z.object({ queued: z.number() }),
});
