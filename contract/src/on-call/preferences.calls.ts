/** Calls about how a person is notified (channels, quiet hours, browsers), for the person and for administrators. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { severities } from '../enums.ts';
import { guidSchema } from '../resource.ts';
import { isTimeZone } from '../rules/time-window.ts';
import { channels } from './preferences.ts';

const severity = z.enum(severities, { error: `A severity is one of ${severities.join(', ')}.` });
const clock = (pattern: RegExp) => z.string().regex(pattern, 'A time is written like 08:00.');

/** The preferences that a person can choose. */
const chosen = {
  timeZone: z.string().max(100).refine(isTimeZone, 'This time zone is not known.'),
  /** The phone number for SMS in international form (E.164). */
  phone: z
    .string()
    .trim()
    .regex(/^\+[1-9]\d{6,14}$/, 'A phone number is written like +4915112345678.')
    .nullable(),
  steps: z
    .array(
      z.object({
        channel: z.enum(channels, { error: `A channel is one of ${channels.join(', ')}.` }),
        afterMinutes: z
          .int('A wait is a whole number of minutes.')
          .min(0, 'A wait is at least 0 minutes.')
          .max(1_440, 'A wait is at most 1440 minutes.'),
        severities: z.array(severity).min(1, 'A step is for at least one severity.'),
      }),
    )
    .min(1, 'Choose at least one channel.')
    .max(10, 'There are at most 10 steps.'),
  quietHours: z
    .array(
      z.object({
        days: z.array(z.int().min(0).max(6)).min(1, 'Choose at least one day.').max(7),
        from: clock(/^([01]\d|2[0-3]):[0-5]\d$/),
        to: clock(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/),
      }),
    )
    .max(20, 'There are at most 20 quiet hours.'),
  /** Severities whose messages also come in quiet hours; those of Sev0 and Sev1 always do. */
  urgent: z.array(severity),
  /** When a mail says what is new in the inbox: on which day of the week, 0 is Sunday and null every day; null for no such mail. */
  digest: z
    .object({
      day: z.int('A day of the week is a number from 0 for Sunday to 6, or null for every day.').min(0).max(6).nullable(),
      hour: z.int('An hour is a whole number from 0 to 23.').min(0).max(23),
    })
    .nullable(),
};

/** What a change may say. Clients that do not know the digest leave it as it is. */
const changed = { ...chosen, digest: z.optional(chosen.digest) };

const shown = z.object({
  personId: z.string(),
  name: z.string(),
  ...chosen,
  /** Whether these are the defaults, because the person has chosen nothing yet. */
  isDefault: z.boolean(),
  email: z.string().nullable(),
  /** Whether the address is known to be the person's. No digest is sent to another. */
  emailVerified: z.boolean(),
  /** For each channel, why it would not reach the person now; null if it would. `hasAddress`: whether a test can be sent. */
  reach: z.array(z.object({ channel: z.enum(channels), problem: z.string().nullable(), hasAddress: z.boolean() })),
  browsers: z.array(
    z.object({
      pushSubscriptionId: z.string(),
      browser: z.string(),
      created: z.string(),
      lastSent: z.string().nullable(),
    }),
  ),
  /** Whether the caller may change these preferences. Only the person can change the phone number. */
  mayEdit: z.boolean(),
});
export type ShownPreferences = z.infer<typeof shown>;

export const ownNotificationPreferences = defineAction({
  name: 'ownNotificationPreferences',
  method: 'GET',
  path: '/v1/currentUser/notificationPreferences',
  access: 'signed-in',
  about: 'How the caller is notified: channels, their order and quiet hours, and the browsers that take push messages.',
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: shown.extend({
    /** The key with which a browser subscribes to push messages. */
    pushKey: z.string(),
  }),
});

export const changeOwnNotificationPreferences = defineAction({
  name: 'changeOwnNotificationPreferences',
  method: 'PUT',
  path: '/v1/currentUser/notificationPreferences',
  access: 'signed-in',
  about: 'Changes how the caller is notified.',
  input: z.object(changed),
  output: shown,
});

export const notificationPreferencesOfPerson = defineAction({
  name: 'notificationPreferencesOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/notificationPreferences',
  access: { area: 'People', verb: 'view' },
  about: 'How a person is notified.',
  input: z.object({ id: guidSchema, tenantId: z.optional(guidSchema) }),
  output: shown,
});

export const changeNotificationPreferencesOfPerson = defineAction({
  name: 'changeNotificationPreferencesOfPerson',
  method: 'PUT',
  path: '/v1/people/{id}/notificationPreferences',
  access: { area: 'People', verb: 'edit' },
  about: 'Changes how a person is notified; the phone number only the person changes.',
  input: z.object({ id: guidSchema, ...changed, phone: z.optional(chosen.phone) }),
  output: shown,
});

function isPushAddress(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname));
}

export const subscribeBrowser = defineAction({
  name: 'subscribeBrowser',
  method: 'POST',
  path: '/v1/currentUser/pushSubscriptions',
  access: 'signed-in',
  about:
    "The caller's browser subscribes to push messages. A browser that did so before gets its keys and owner replaced. The body is the subscription as the browser writes it.",
  input: z
    .object({
      // Browsers give https only; a service on this machine may do without.
      endpoint: z
        .url({ error: 'endpoint is the address that the browser gave.' })
        .max(2_000)
        .refine(isPushAddress, 'endpoint must start with https://.'),
      keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
      /** The browser's name for people, such as Firefox on Linux. */
      browser: z.string().trim().min(1).max(100),
    })
    .meta({ additionalProperties: true }),
  output: z.object({ pushSubscriptionId: z.string() }),
});

export const endOwnPushSubscription = defineAction({
  name: 'endOwnPushSubscription',
  method: 'DELETE',
  path: '/v1/currentUser/pushSubscriptions/{subscriptionId}',
  access: 'signed-in',
  about: 'Ends the push messages to one of the browsers of the caller.',
  input: z.object({ subscriptionId: guidSchema }),
});

export const endPushSubscriptionOfPerson = defineAction({
  name: 'endPushSubscriptionOfPerson',
  method: 'DELETE',
  path: '/v1/people/{id}/pushSubscriptions/{subscriptionId}',
  access: { area: 'People', verb: 'edit' },
  about: 'Ends the push messages to one of the browsers of a person.',
  input: z.object({ id: guidSchema, subscriptionId: guidSchema }),
});

export const testNotification = defineAction({
  name: 'testNotification',
  method: 'POST',
  path: '/v1/currentUser/notificationPreferences/test',
  access: 'signed-in',
  about: 'Sends the caller a test by one channel, at once and whatever the preferences say: one message for each address or browser.',
  input: z.object({ channel: z.enum(channels), tenantId: guidSchema }),
  output: z.object({ messages: z.array(z.object({ messageId: z.string(), address: z.string() })) }),
});

const testOutcome = z.enum(['Sent', 'Failed', 'Kept', 'Retrying', 'Waiting']);

export type TestOutcome = z.infer<typeof testOutcome>;

export const testNotificationOutcomes = defineAction({
  name: 'testNotificationOutcomes',
  method: 'GET',
  path: '/v1/currentUser/notificationPreferences/test/{messageId}',
  access: 'signed-in',
  about: 'What became of tests of the caller.',
  input: z.object({ messageId: guidSchema }),
  output: z.object({ outcome: testOutcome, error: z.string().nullable() }),
});
