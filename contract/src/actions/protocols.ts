/** Calls for pending manual actions, for the simulation of protocols, and to retry, stop or replay executions. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { permission } from '../permissions.ts';
import { severities, workUnitStates } from '../enums.ts';
import { guidSchema } from '../resource.ts';
import { protocolActions } from '../resources/protocol-actions.ts';
import { protocols } from '../resources/protocols.ts';
import { simulation } from '../protocols/simulate.ts';

/** `trying`: the action failed and will be retried. `kept`: the mail of the action waits for a mail server. */
const status = z.enum(['waiting', 'running', 'trying', 'kept', 'success', 'failure', 'stopped', 'rejected']);
export type PendingStatus = z.infer<typeof status>;

export const pendingActions = defineAction({
  name: 'pendingActions',
  method: 'GET',
  path: '/v1/workunits/{id}/pendingActions',
  access: { area: 'WorkUnits', verb: 'view' },
  about: "Manual actions of the event of the unit's current state, with the status of each.",
  input: z.object({ id: z.coerce.number({ error: 'id is the number of a work unit.' }).int().positive() }),
  output: z.object({
    /** The number of actions that wait for a person. */
    waiting: z.number(),
    protocolName: z.string().nullable(),
    /** The protocol's text about manual actions with its placeholders filled; null if the protocol has no such text. */
    manualActions: z.string().nullable(),
    value: z.array(
      z.object({
        protocolActionId: z.string(),
        actionDefinitionId: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        summary: z.string().nullable(),
        workUnitEventTypeId: z.number(),
        sequence: z.number(),
        repeatable: z.boolean(),
        inputParameters: z.string(),
        parameters: z.string(),
        status,
        /** The id of the latest execution of the action. */
        messageId: z.string().nullable(),
        actionHistoryId: z.number().nullable(),
        /** When a failed execution is retried. */
        nextTry: z.string().nullable(),
        actionProcessed: z.string().nullable(),
        resultDetail: z.unknown(),
        /** Whether a person may run or reject the action now: it is pending, or it is repeatable and not running. */
        mayRun: z.boolean(),
      }),
    ),
  }),
});

const state = z.enum(workUnitStates, { error: `A state is one of ${workUnitStates.join(', ')}.` });
const instant = (name: string) => z.iso.datetime({ offset: true, error: `${name} must be a date and time, as in 2026-05-01T08:00:00Z.` });

const course = {
  severityId: z.enum(severities, { error: `severityId is one of ${severities.join(', ')}.` }),
  start: instant('start'),
  /** The states after New. Default: the unit stays New for a day. */
  states: z
    .array(z.object({ stateId: state, at: instant('at') }))
    .max(50, 'At most 50 states.')
    .optional(),
  /** The tenant whose addresses a global protocol uses. */
  tenantId: z.nullish(guidSchema),
};

export const simulateProtocol = defineAction({
  name: 'simulateProtocol',
  method: 'POST',
  path: '/v1/protocols/{id}/simulate',
  reads: true,
  access: { area: 'WorkUnits.Protocols', verb: 'view' },
  about: 'Simulates a protocol for a work unit with a severity, a start time and a sequence of states. Runs nothing.',
  input: z.object({ id: guidSchema, ...course }),
  output: simulation,
});

const stepFields = protocolActions.fields;

/** A step of the protocol, in the form in which it is saved. */
const draftStep = z.object({
  /** The id by which the answer refers to the step; any text for a step that is not saved. */
  protocolActionId: z.string().min(1).max(100),
  actionDefinitionId: guidSchema,
  workUnitEventTypeId: stepFields.workUnitEventTypeId.schema(),
  sequence: stepFields.sequence.schema(),
  summary: z.nullish(stepFields.summary.schema()),
  runAutomatically: z.boolean(),
  repeatable: z.boolean().default(false),
  parameters: stepFields.parameters.schema(),
  wait: z.nullish(stepFields.wait.schema()),
  repeatEvery: z.nullish(stepFields.repeatEvery.schema()),
  repeatTimes: z.nullish(stepFields.repeatTimes.schema()),
  stopWhen: stepFields.stopWhen.schema(),
  onlyStates: stepFields.onlyStates.schema(),
  onlySeverities: stepFields.onlySeverities.schema(),
  hours: stepFields.hours.schema(),
  hoursScheduleId: z.nullish(guidSchema),
});

export type DraftStep = z.input<typeof draftStep>;

export const simulateDraft = defineAction({
  name: 'simulateDraft',
  method: 'POST',
  path: '/v1/protocols/simulate',
  reads: true,
  access: { anyOf: [permission('WorkUnits.Protocols', 'create'), permission('WorkUnits.Protocols', 'edit')] },
  about: 'Simulates a protocol that is not saved. Its steps are those of the request. Runs nothing.',
  input: z.object({
    ...course,
    /** The tenant of the protocol; null for all tenants. */
    protocolTenantId: z.nullable(guidSchema),
    timerInverval: protocols.fields.timerInverval.schema(),
    unansweredAfter: z.optional(protocols.fields.unansweredAfter.schema()),
    repeatEvery: z.nullish(protocols.fields.repeatEvery.schema()),
    acknowledgedFor: z.nullish(protocols.fields.acknowledgedFor.schema()),
    steps: z.array(draftStep).max(200, 'At most 200 steps.'),
  }),
  output: simulation,
});

const openExecution = {
  method: 'POST',
  access: { anyOf: [permission('ActionDefinitions', 'edit'), permission('WorkUnits', 'edit')] },
  input: z.object({ id: z.coerce.number({ error: 'id is the number of an execution.' }).int().positive() }),
} as const;

export const tryExecutionNow = defineAction({
  name: 'tryExecutionNow',
  path: '/v1/actionHistories/{id}/tryNow',
  ...openExecution,
  about: 'Retries a waiting execution now. `isUnderWay`: a try is already running.',
  output: z.object({ isUnderWay: z.boolean() }),
});

export const stopExecution = defineAction({
  name: 'stopExecution',
  path: '/v1/actionHistories/{id}/stop',
  ...openExecution,
  about: 'Stops an execution: it is not retried. `isUnderWay`: a running try may still arrive.',
  output: z.object({ isUnderWay: z.boolean() }),
});

export const replayExecution = defineAction({
  name: 'replayExecution',
  method: 'POST',
  path: '/v1/actionHistories/{id}/replay',
  access: { area: 'ActionDefinitions', verb: 'edit' },
  about: 'Runs a finished execution again with its original inputs. The new execution refers to the original.',
  input: z.object({ id: z.coerce.number({ error: 'id is the number of an execution.' }).int().positive() }),
  /** `id` is the `messageId` of the new history entry, `replayOf` that of the original. */
  output: z.object({ id: z.string(), replayOf: z.string() }),
});
