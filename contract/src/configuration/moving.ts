/** What moves in from other products: their documents become a configuration, and what has no counterpart is listed. */
import { z } from 'zod';
import { configurationDocument } from '../configuration.ts';

export const movingProducts = ['Opsgenie', 'PagerDuty', 'GrafanaOnCall', 'Zabbix', 'Zammad', 'OsTicket'] as const;
export type MovingProduct = (typeof movingProducts)[number];

/** What the documents of other products contain. */
export const movingKinds = [
  'schedules',
  'escalations',
  'users',
  'integrations',
  'services',
  'hosts',
  'templates',
  'triggers',
  'tickets',
  'articles',
] as const;
export type MovingKind = (typeof movingKinds)[number];

/** Why something has no counterpart here, or only nearly the same one. */
export const movingReasons = [
  'unread-file',
  'missing-answer',
  'add-source',
  'by-service',
  'by-route',
  'disabled',
  'ended',
  'ical',
  'ical-overrides',
  'monthly',
  'by-day-hours',
  'overlapping-turns',
  'rotation-start',
  'first-week',
  'odd-length',
  'seconds',
  'unreadable-time',
  'unreadable-zone',
  'mixed-zones',
  'too-many-turns',
  'too-many-hours',
  'too-many-layers',
  'team-turn',
  'no-people',
  'part-override',
  'long-override',
  'hour-turns',
  'differs',
  'step-kind',
  'step-condition',
  'step-recipient',
  'notify-type',
  'close-after',
  'round-robin',
  'important',
  'needs-agent',
  'rules-off',
  'tags-cut',
  'trigger-expression',
  'trigger-hosts',
  'trigger-silence',
  'trigger-dependencies',
  'discovery',
  'web-scenarios',
  'ticket-state',
  'ticket-priority',
  'ticket-files',
  'ticket-articles',
  'ticket-merged',
  'ticket-times',
] as const;
export type MovingReason = (typeof movingReasons)[number];

export const movingOutcome = z.object({
  product: z.enum(movingProducts),
  counts: z.array(z.object({ kind: z.enum(movingKinds), count: z.number() })),
  document: configurationDocument,
  /** What is not in the document, or nearly the same only. */
  without: z.array(
    z.object({
      /** The thing, such as `Schedule Ops / Nights`. */
      name: z.string(),
      reason: z.enum(movingReasons),
      /** What the reason is about, such as the kind of a step. */
      detail: z.string(),
      /** The reason as an English sentence. */
      text: z.string(),
    }),
  ),
});

export type MovingOutcome = z.infer<typeof movingOutcome>;
