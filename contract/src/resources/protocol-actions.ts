import { z } from 'zod/mini';
import { afterSteps, severities, stepHours, stopReasons, workUnitEventTypes, workUnitStates } from '../enums.ts';
import { defineResource, f, one, optional } from '../resource.ts';

const choices = <const T extends string>(label: string, values: readonly T[]) =>
  f.json<T[]>(label, () => z.array(z.literal(values, { error: `${label} are of ${values.join(', ')}.` })), { initial: [], input: 'text' });

/** An action that a protocol runs on one event of its work units, automatically or on request (PACT-004..011). */
export const protocolActions = defineResource({
  name: 'protocolActions',
  label: 'Protocol Action',
  plural: 'Protocol Actions',
  key: 'protocolActionId',
  title: 'summary',
  area: 'WorkUnits.Protocols',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'sequence asc',
  portable: { by: ['protocolId', 'workUnitEventTypeId', 'actionDefinitionId', 'sequence'] },
  fields: {
    protocolActionId: f.key('Protocol action ID'),
    protocolId: f.ref('Protocol', 'protocols', { required: true, write: 'create' }),
    /** The tenant of the protocol. */
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'never' })),
    actionDefinitionId: f.ref('Action', 'actionDefinitions', { required: true }),
    workUnitEventTypeId: f.code('Event', workUnitEventTypes, { required: true }),
    parameters: f.text('Parameters', { max: 100_000, initial: '{}', sort: false, help: 'A JSON object of the action’s input parameters' }),
    sequence: f.int('Sequence', { min: 0, max: 10_000, initial: 0 }),
    summary: optional(f.text('Summary', { max: 500, input: 'text', search: true })),
    runAutomatically: f.boolean('Run automatically'),
    repeatable: f.boolean('Repeatable'),
    onFailure: f.choice('After a failure', afterSteps, {
      initial: 'Continue',
      help: 'Whether the next step starts when this one failed for good',
    }),
    onLate: f.choice('When late', afterSteps, {
      initial: 'Continue',
      help: 'Whether the next step starts while this one is still being tried',
    }),
    lateAfter: f.duration('Late after', { initial: '00:05:00', help: 'hh:mm:ss from its start' }),
    wait: optional(f.duration('Wait', { help: 'hh:mm:ss after the event; empty: after the previous step' })),
    repeatEvery: optional(f.duration('Repeat every', { help: 'hh:mm:ss; only for a step that waits' })),
    repeatTimes: optional(f.int('Repeat at most', { min: 1, max: 100, help: 'Times, besides the first' })),
    stopWhen: f.choice('Stops when', stopReasons, { initial: 'Acknowledged', help: 'Ends the waiting and the repeating' }),
    onlyStates: choices('Only in states', workUnitStates),
    onlySeverities: choices('Only for severities', severities),
    hours: f.choice('Hours', stepHours, { initial: 'Any', help: 'While somebody of the schedule is on call, or while nobody is' }),
    hoursScheduleId: optional(f.ref('Schedule of the hours', 'onCallSchedules')),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    protocol: one('protocols', 'protocolId'),
    tenant: one('tenants', 'tenantId'),
    actionDefinition: one('actionDefinitions', 'actionDefinitionId'),
    hoursSchedule: one('onCallSchedules', 'hoursScheduleId', 'onCallScheduleId'),
  },
});

/** A protocol step that waits, or waited, at a work unit until it is due. */
export const plannedSteps = defineResource({
  name: 'plannedSteps',
  label: 'Planned Step',
  plural: 'Planned Steps',
  key: 'plannedStepId',
  title: 'name',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'due asc',
  fields: {
    plannedStepId: f.key('Planned step ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    workUnitId: f.refNumber('Work unit', 'workUnits', { write: 'never' }),
    protocolActionId: f.guid('Protocol action', { write: 'never' }),
    workUnitEventTypeId: f.code('Event', workUnitEventTypes, { write: 'never' }),
    name: f.text('Name', { write: 'never' }),
    /** When the planned step runs next; for an ended step, when its last run was due or would have been due. */
    due: f.timestamp('Due', { write: 'never' }),
    runs: f.int('Runs so far', { write: 'never' }),
    runsLeft: f.int('Repetitions left', { write: 'never' }),
    ended: optional(f.timestamp('Ended', { write: 'never' })),
    /** Why the planned step was ended before its last run. */
    reason: optional(f.text('Reason', { write: 'never', max: 500 })),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
