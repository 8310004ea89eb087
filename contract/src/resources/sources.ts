import { severities } from '../enums.ts';
import { clockPolicies, sourceKindChoices, sourceKinds, unknownPolicies } from '../sources/kinds.ts';
import { defineResource, f, one, optional } from '../resource.ts';

/**
 * A program of somebody else that reports here in its own format. Only the answer to its creation, and to a new token, contains
 * `generatedToken`; the server stores its hash.
 */
export const sources = defineResource({
  name: 'sources',
  label: 'Source',
  plural: 'Sources',
  key: 'sourceId',
  title: 'name',
  area: 'Sources',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    sourceId: f.key('Source ID'),
    name: f.text('Name', { required: true, search: true, max: 100 }),
    kind: f.choice('Sends', sourceKinds, {
      required: true,
      write: 'create',
      choices: sourceKindChoices,
      message: 'Please choose what sends.',
    }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    subscriptionId: f.ref('Subscription', 'subscriptions', { required: true, write: 'create' }),
    enabled: f.boolean('Enabled', { initial: true }),
    opensUnits: f.boolean('Opens work units', {
      initial: true,
      write: 'create',
      help: 'Makes two rules with it: critical alerts open units of Sev1, others of Sev3; resolved ones end their matches',
    }),
    unknownEntities: f.choice('Unknown names', unknownPolicies, {
      initial: 'Create',
      choices: [
        { value: 'Refuse', label: 'Are refused' },
        { value: 'Wait', label: 'Wait as pending devices' },
        { value: 'Create', label: 'Are made at once' },
      ],
    }),
    entityCap: f.int('New names at most', {
      min: 1,
      max: 10_000,
      initial: 500,
      help: 'How many devices and blocks it may make or let wait',
    }),
    entitiesMade: f.int('New names so far', { write: 'never' }),
    deviceName: optional(f.text('Device Name', { max: 300, help: 'For instance {host.name} or {instance:host}. Empty: no device' })),
    blockName: optional(f.text('Block Name', { max: 300, help: 'What reports to a block of its own. Empty: the device reports' })),
    mapping: optional(
      f.text('Further values', {
        max: 8_000,
        input: 'multiline',
        help: 'One per line, as Metrics.Temperature = {data.temp}; also States.x, Properties.x, Value, Time, Id, Items',
      }),
    ),
    clock: f.choice('Time of packets', clockPolicies, {
      initial: 'Sent',
      choices: [
        { value: 'Sent', label: 'As sent' },
        { value: 'Received', label: 'When received' },
      ],
    }),
    /** Without data for so long, a work unit is opened, which ends when data comes. */
    reportWithin: optional(
      f.duration('Must report within', {
        help: 'After so long without data a work unit is opened; it ends when data comes. Empty: not watched',
      }),
    ),
    lateSeverity: f.choice('Severity when late', severities, { initial: 'Sev2' }),
    lateProtocolId: optional(
      f.ref('Protocol when late', 'protocols', { help: 'Whom it notifies is told. Empty: the work unit stands in the list alone' }),
    ),
    reportWatchedSince: optional(f.timestamp('Watched since', { write: 'never' })),
    lateSince: optional(f.timestamp('Late since', { write: 'never' })),
    lateWorkUnitId: optional(f.bigint('Work unit of the delay', { write: 'never' })),
    tokenHint: f.text('Token', { write: 'never' }),
    lastData: optional(f.timestamp('Last data', { write: 'never' })),
    /** Over the last five minutes, at the time of the last data. */
    perHour: f.bigint('Packets an hour', { write: 'never' }),
    packetsStored: f.bigint('Stored packets', { write: 'never' }),
    packetsRefused: f.bigint('Refused items', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    subscription: one('subscriptions', 'subscriptionId'),
    lateProtocol: one('protocols', 'lateProtocolId', 'protocolId'),
  },
});
