/** Events that go out to other systems: who gets which, and each delivery. */
import { services } from '../events/services.ts';
import { limits } from '../limits.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';
import { secretName } from './tenant-secrets.ts';

export const eventEntities = ['workUnits', 'ruleMatches', 'workUnitCommunications'] as const;
export type EventEntity = (typeof eventEntities)[number];

const eventFormats = ['Structured', 'Binary', 'Batch'] as const;

export const deliveryStatuses = ['Waiting', 'Delivered', 'Failed', 'Canceled'] as const;

const secretMessage = 'Please enter the name of a secret of the tenant.';

/**
 * A receiver of events as CloudEvents (of a tenant, of a group of tenants, or of all: without a tenant). Only the answers to its
 * creation, and to a new secret, contain `generatedSecret`.
 */
export const eventSubscriptions = defineResource({
  name: 'eventSubscriptions',
  label: 'Event Subscription',
  plural: 'Event Subscriptions',
  about:
    'A receiver to which changes of work units, matches or communications are sent: as CloudEvents 1.0, signed by Standard Webhooks, or in the form of a service, which calls back.',
  key: 'eventSubscriptionId',
  title: 'name',
  area: 'Settings',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    eventSubscriptionId: f.key('Event subscription ID'),
    name: f.text('Name', { required: true, search: true, max: 100 }),
    /** CloudEvents to any receiver, or a service in whose form it sends, and from which it takes calls. */
    service: f.choice('Receiver', services, { write: 'create', initial: 'CloudEvents' }),
    entity: f.choice('Events of', eventEntities, {
      required: true,
      write: 'create',
      initial: 'workUnits',
      choices: [
        { value: 'workUnits', label: 'WorkUnit' },
        { value: 'ruleMatches', label: 'Matches of rules' },
        { value: 'workUnitCommunications', label: 'Communications' },
      ],
    }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    /** Without a tenant: the group whose tenants' events it gets; null for all tenants. */
    tenantGroupId: optional(f.ref('Tenant group', 'tenantGroups', { write: 'create' })),
    address: f.text('Address', {
      required: true,
      search: true,
      max: 2_000,
      input: 'text',
      pattern: /^https?:\/\/\S+$/i,
      message: 'Address must start with http:// or https://.',
      help: 'Of a service the address of its API, such as https://api.github.com or https://slack.com/api',
    }),
    place: optional(
      f.text('Place', {
        max: 200,
        input: 'text',
        help: 'GitHub: owner/repository. Jira: key of the project. ServiceNow: table. Slack, Mattermost: id of the channel',
      }),
    ),
    itemType: optional(
      f.text('Type or close code', {
        max: 100,
        input: 'text',
        help: 'Jira: the type of new issues, else Task. ServiceNow: the close code, else Solved (Permanently)',
      }),
    ),
    tokenSecret: optional(
      f.text('Secret of the calls', {
        max: 100,
        input: 'text',
        pattern: secretName,
        message: secretMessage,
        help: 'The secret with the token or login (name:token) for calls there; for Teams, what follows ? in the address',
      }),
    ),
    signingSecret: optional(
      f.text('Secret of its signatures', {
        max: 100,
        input: 'text',
        pattern: secretName,
        message: secretMessage,
        help: 'The secret by which Slack signs, or with the token of a Mattermost outgoing webhook',
      }),
    ),
    creates: f.boolean('Makes one for each unit', {
      initial: true,
      help: 'For each unit of the filter; else only for tickets that are the reference of a unit',
    }),
    externalOnly: f.boolean('External notes only', { initial: false, help: 'Internal notes stay here' }),
    reopens: f.boolean('Opens units again', { initial: true, help: 'When their ticket is opened again; else a note says so' }),
    onOpened: f.boolean('When opened', { initial: true }),
    onState: f.boolean('When the state changes', { initial: true, help: 'For matches: when they end' }),
    onChanged: f.boolean('On other changes', { initial: true }),
    onNote: f.boolean('On notes', { initial: true, help: 'Of work units' }),
    filter: optional(
      f.text('Only those with', {
        max: limits.filterLength,
        input: 'multiline',
        help: "A filter of lists, such as severityId eq 'Sev1'; it is asked when an event is sent first",
      }),
    ),
    /** The mode of CloudEvents: the event as one JSON document, its attributes in headers, or several events in one call. */
    format: f.choice('Mode of CloudEvents', eventFormats, {
      initial: 'Structured',
    }),
    batchSize: f.int('Events of a batch', { min: 1, max: 100, initial: 20, help: 'At most so many in one call' }),
    batchSeconds: f.int('Wait for a batch in s', {
      min: 0,
      max: 60,
      initial: 5,
      help: 'After so long a batch goes although it is not full',
    }),
    enabled: f.boolean('Enabled', { initial: true }),
    /** Since when nothing is sent, because deliveries failed for days; events wait meanwhile. */
    paused: optional(f.timestamp('Paused', { write: 'never' })),
    problem: optional(f.text('Problem', { write: 'never', max: 1_000 })),
    failingSince: optional(f.timestamp('Failing since', { write: 'never' })),
    lastDelivered: optional(f.timestamp('Last delivery', { write: 'never' })),
    lastCall: optional(f.timestamp('Last call from there', { write: 'never' })),
    secretHint: f.text('Secret', { write: 'never' }),
    /** Until when the secret before the present one signs too. */
    previousUntil: optional(f.timestamp('Old secret signs until', { write: 'never' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    tenantGroup: one('tenantGroups', 'tenantGroupId'),
    deliveries: many('eventDeliveries', 'eventSubscriptionId'),
  },
});

/** An event for one subscription, with its last try. */
export const eventDeliveries = defineResource({
  name: 'eventDeliveries',
  label: 'Event Delivery',
  plural: 'Event Deliveries',
  about: 'An event for one subscription: what is sent, and what the receiver answered to each try.',
  key: 'eventDeliveryId',
  title: 'type',
  area: 'Settings',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'eventDeliveryId desc',
  fields: {
    eventDeliveryId: f.serial('Event delivery ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    eventSubscriptionId: f.guid('Event subscription ID', { write: 'never' }),
    /** The id of the CloudEvent, and the `webhook-id`: the same on each try, and for each subscription. */
    eventId: f.guid('Event ID', { write: 'never' }),
    type: f.text('Type', { write: 'never', search: true }),
    subject: f.text('Subject', { write: 'never', search: true }),
    occurred: f.timestamp('Occurred', { write: 'never' }),
    status: f.choice('Status', deliveryStatuses, {
      write: 'never',
      choices: deliveryStatuses.map((value) => ({ value, label: value === 'Delivered' ? 'Sent' : value })),
    }),
    attempts: f.int('Attempts', { write: 'never' }),
    lastAttempt: optional(f.timestamp('Last attempt', { write: 'never' })),
    nextAttempt: optional(f.timestamp('Next attempt', { write: 'never' })),
    answerStatus: optional(f.int('Answered', { write: 'never' })),
    answer: optional(f.text('Answer', { write: 'never', max: 4_000, sort: false })),
    error: optional(f.text('Failure', { write: 'never', max: 1_000, sort: false })),
    durationMs: optional(f.int('Duration in ms', { write: 'never' })),
    /** The event as it is sent; null until it is sent first. */
    body: optional(f.text('Event', { write: 'never', max: 1_000_000, sort: false })),
    correlationId: f.guid('Correlation ID', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
