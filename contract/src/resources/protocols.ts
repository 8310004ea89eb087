import { z } from 'zod/mini';
import { defineResource, f, many, once, one, optional, type Field } from '../resource.ts';

const required = 'Timer Interval is required';

/** An interval as hh:mm:ss. The specification spells the name like this. */
const timerInverval: Field<string> = {
  ...f.duration('Timer Interval', { required: true, initial: '00:10:00', help: 'hh:mm:ss, at least 10 minutes' }),
  schema: once(() =>
    z.string({ error: required }).check(
      z.minLength(1, required),
      z.regex(/^\d{2}:[0-5]\d:[0-5]\d$/, 'Please enter the Timer Interval as hh:mm:ss.'),
      // Times with two digits per part compare as texts.
      z.refine((text) => text >= '00:10:00', 'Must be at least 10 minutes.'),
    ),
  ),
};

/** A run book for work units: the actions on each of their events (PROT-014..024). */
export const protocols = defineResource({
  name: 'protocols',
  label: 'Protocol',
  plural: 'Protocols',
  key: 'protocolId',
  title: 'name',
  area: 'WorkUnits.Protocols',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    protocolId: f.key('Protocol ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    tenantId: optional(f.ref('Tenant', 'tenants')),
    timerInverval,
    unansweredAfter: f.duration('Unanswered after', {
      initial: '00:05:00',
      help: 'hh:mm:ss after the last step for OnNew, while nobody has acknowledged; then OnUnanswered happens',
    }),
    repeatEvery: optional(
      f.duration('Repeat while nobody works on it', { help: 'hh:mm:ss after the last step for OnNew; empty: these steps run once' }),
    ),
    acknowledgedFor: optional(
      f.duration('An acknowledgement runs out after', {
        help: 'hh:mm:ss without a change or note by a person; then the work unit is New again; empty: never',
      }),
    ),
    manualActions: optional(
      f.text('Manual actions', {
        max: 20_000,
        help: 'May name {WorkUnitId}, {PublicWorkUnitId}, {WorkUnitUrl} and {AckUrl}, a link that acknowledges',
        sort: false,
      }),
    ),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    protocolActions: many('protocolActions', 'protocolId'),
    rules: many('rules', 'protocolId'),
  },
});
