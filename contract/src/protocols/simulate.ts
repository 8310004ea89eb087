/** Simulates a protocol on a timeline. Pure; the server and the portal use it. */
import { z } from 'zod';
import { dayMs } from '../durations.ts';
import { onCallAt, type OnCallTimes, type Override } from '../on-call/shifts.ts';
import { courseOf, onUnanswered, unansweredOf, type FollowUpTimes, type Moment } from './course.ts';
import { notifyTarget, type NotifyParameters } from './notify.ts';
import { endsBecause, secondsOf, skippedBecause, timesOf, type StepConditions } from './timeline.ts';
import { builtInAction, emailTemplates, protocolActionTypes, type StopWhen, workUnitEventTypes, type WorkUnitState } from '../enums.ts';

const stepShape = z.object({
  protocolActionId: z.string(),
  /** Name of the action definition; null when it was deleted or the caller may not see it. */
  name: z.string().nullable(),
  summary: z.string().nullable(),
  sequence: z.number(),
});

const who = z.object({
  permission: z.string(),
  text: z.string(),
});

export const simulation = z.object({
  timeline: z.array(
    z.object({
      at: z.string(),
      event: z.string(),
      stateId: z.string(),
      /** The wait between the event and this moment, as hh:mm:ss; null for steps without a wait. */
      after: z.string().nullable(),
      /** The steps in the order in which they run; each starts after the outcome of the previous step. */
      runs: z.array(stepShape.extend({ to: z.string().nullable() })),
      /** Steps whose conditions do not hold at this moment. */
      skipped: z.array(stepShape.extend({ reason: z.string() })),
      waits: z.array(stepShape.extend({ repeatable: z.boolean(), for: who })),
    }),
  ),
  /** Whether the timer continues after the last moment. */
  more: z.boolean(),
  /** Steps that ended while they waited, because the state of the unit changed. */
  ended: z.array(stepShape.extend({ event: z.string(), at: z.string(), reason: z.string() })),
  unreachable: z.array(stepShape.extend({ event: z.string(), never: z.boolean(), reason: z.string() })),
  withoutAddress: z.array(stepShape.extend({ event: z.string(), reason: z.string() })),
});

export type Simulation = z.infer<typeof simulation>;

export interface SimulatedAction extends StepConditions {
  wait: string | null;
  repeatEvery: string | null;
  repeatTimes: number | null;
  stopWhen: StopWhen;
  hoursScheduleId: string | null;
  protocolActionId: string;
  workUnitEventTypeId: number;
  sequence: number;
  summary: string | null;
  runAutomatically: boolean;
  repeatable: boolean;
  /** JSON text of an object. */
  parameters: string;
  /** The action; null when it was deleted or the caller may not see it. */
  definition: { actionDefinitionId: string; name: string; actionDefinitionTypeId: number; endpointUrl: string | null } | null;
}

export interface SimulationInput {
  protocol: { timerInverval: string } & FollowUpTimes;
  actions: readonly SimulatedAction[];
  severityId: string;
  start: string;
  /** The states that follow New, in the order of their times. */
  states: readonly { stateId: WorkUnitState; at: string }[];
  tenant: { name: string; internalNotificationEmailAddress: string | null } | null;
  /** Schedules that steps name. */
  schedules: readonly (OnCallTimes & { onCallScheduleId: string; name: string; overrides: readonly Override[] })[];
  /** People whom steps and schedules name; `problem`: why no message reaches the person. */
  people: ReadonlyMap<string, { name: string; problem: string | null }>;
}

/** The input has an invalid course of states; `target` names the field. */
export class SimulationFault extends Error {
  readonly target: string;
  constructor(target: string, message: string) {
    super(message);
    this.name = 'SimulationFault';
    this.target = target;
  }
}

const onTimer = 7;
const onChange = 8;
const timed: readonly string[] = ['New', 'Acknowledged', 'InProgress', 'OnHold'];
const fromNew: readonly string[] = ['New', 'Acknowledged', 'Canceled'];
/** The maximum number of OnTimer events in a simulation. */
const maxTimers = 200;

const labelOf = (id: number): string => workUnitEventTypes.find((event) => event.value === id)?.label ?? String(id);
const plain = (action: SimulatedAction) => ({
  protocolActionId: action.protocolActionId,
  name: action.definition?.name ?? null,
  summary: action.summary,
  sequence: action.sequence,
});

const intervalMs = (text: string): number => Math.max(1, secondsOf(text)) * 1_000;

function parametersOf(action: SimulatedAction): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(action.parameters === '' ? '{}' : action.parameters);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Returns whom or what address an action reaches. Placeholders stay unchanged, except {Severity} and {TenantName}. */
function addressOf(action: SimulatedAction, input: SimulationInput, at: number): string | null {
  const { tenant, severityId } = input;
  if (action.definition?.actionDefinitionId === builtInAction.notify) return notified(action, input, at).to;
  const address = rawAddressOf(action, tenant);
  return address?.replaceAll('{Severity}', severityId).replaceAll('{TenantName}', tenant?.name ?? '{TenantName}') ?? null;
}

function rawAddressOf(action: SimulatedAction, tenant: SimulationInput['tenant']): string | null {
  if (action.definition?.actionDefinitionId === builtInAction.email)
    return textOf(parametersOf(action)['To']) || tenant?.internalNotificationEmailAddress?.trim() || null;
  return action.definition?.endpointUrl ?? null;
}

/** Returns whom Notify reaches at a moment, and the problem if it may reach nobody. */
function notified(action: SimulatedAction, { schedules, people }: SimulationInput, at: number): { to: string | null; problem?: string } {
  const target = notifyTarget(parametersOf(action) as NotifyParameters);
  if (typeof target === 'string') return { to: null, problem: target };
  if (target.whom === 'Customer')
    return { to: '{StakeHolderEmailAddress}', problem: 'Units without an email address of their customer reach nobody.' };
  if (target.whom === 'Assignee') return { to: '{AssignedTo}', problem: 'Units that are assigned to nobody reach nobody.' };
  if (target.whom === 'Group') return { to: `Group ${target.group}` };
  const schedule = target.whom === 'Schedule' ? schedules.find((schedule) => schedule.onCallScheduleId === target.scheduleId) : undefined;
  if (target.whom === 'Schedule' && !schedule) return { to: null, problem: 'Its on-call schedule no longer exists.' };
  const personId = target.whom === 'Person' ? target.personId : schedule && onCallAt(schedule, schedule.overrides, at);
  const when = new Date(at).toISOString();
  if (personId === undefined) return { to: null, problem: `Nobody is on call in ${schedule?.name ?? 'the schedule'} at ${when}.` };
  const person = people.get(personId);
  if (!person) return { to: null, problem: 'The person no longer exists.' };
  const to = schedule ? `${person.name} (on call: ${schedule.name})` : person.name;
  return person.problem === null ? { to } : { to, problem: `${person.name}: ${person.problem}` };
}

function addressProblem(action: SimulatedAction, input: SimulationInput, at: number): string | undefined {
  const { definition } = action;
  const { tenant } = input;
  if (!definition || definition.actionDefinitionId === builtInAction.setColor) return undefined;
  if (definition.actionDefinitionId === builtInAction.notify) return notified(action, input, at).problem;
  const address = rawAddressOf(action, tenant);
  if (definition.actionDefinitionId !== builtInAction.email) return address ? undefined : 'The action has no endpoint address.';
  if (address === null) return 'The mail has no recipient, and its tenant has no address for notifications.';
  // These placeholders have no value here, because the simulation has no real work unit.
  if (/^\{StakeHolderEmailAddress\}$/.test(address)) return 'Units without an email address of their stakeholder reach nobody.';
  if (/^\{AssignedTo\}$/.test(address)) return 'Units that are assigned to nobody reach nobody.';
  return undefined;
}

function neverReason(action: SimulatedAction): string | undefined {
  const { definition } = action;
  if (!definition) return 'Its action no longer exists.';
  if (!protocolActionTypes.includes(definition.actionDefinitionTypeId)) return 'Its action is not for protocols.';
  const event = action.workUnitEventTypeId;
  if (!action.runAutomatically && (event === onTimer || event === onChange || event === onUnanswered))
    return `Manual actions of ${labelOf(event)} are not offered: Pending Actions shows those of the unit's state.`;
  const template = definition.actionDefinitionId === builtInAction.email ? textOf(parametersOf(action)['Template']) : '';
  if (template !== '' && !emailTemplates.some((emailTemplate) => emailTemplate === template))
    return `There is no mail template ${template}.`;
  return undefined;
}

function checkCourse({ start, states }: SimulationInput): void {
  let at = Date.parse(start);
  let stateId: WorkUnitState = 'New';
  for (const [index, next] of states.entries()) {
    if (Date.parse(next.at) < at)
      throw new SimulationFault(`states[${index}].at`, 'States must be in the order of their times, after the start.');
    if (stateId === 'New' && !fromNew.includes(next.stateId))
      throw new SimulationFault(
        `states[${index}].stateId`,
        `A New work unit can only become Acknowledged or Canceled, not ${next.stateId}.`,
      );
    at = Date.parse(next.at);
    stateId = next.stateId;
  }
}

/** Returns state changes and timer moments. The timer runs in the states of `timed`, and restarts on each return to these. */
function momentsOf(input: SimulationInput, actions: readonly SimulatedAction[]): { moments: Moment[]; more: boolean } {
  const start = Date.parse(input.start);
  const course = courseOf(input);
  const interval = intervalMs(input.protocol.timerInverval);
  const moments: Moment[] = [];
  let due: number | undefined;
  let timers = 0;
  let more = false;
  for (const [index, one] of course.entries()) {
    moments.push(one);
    const isTimed = timed.includes(one.stateId);
    due = isTimed ? (due ?? one.at + interval) : undefined;
    const last = index === course.length - 1;
    const end = last ? Math.max(one.at, start + dayMs) : (course[index + 1]?.at ?? one.at);
    if (one.stateId === 'New') moments.push(...unansweredOf(one.at, end, actions, input));
    for (; due !== undefined && timers < maxTimers && (last ? due <= end : due < end); due += interval) {
      timers += 1;
      moments.push({ at: due, event: onTimer, stateId: one.stateId });
    }
    if (timers === maxTimers) more = true;
    if (last && isTimed) more = true;
  }
  return { moments, more };
}

/** Returns why a step does not run at a moment; undefined when its conditions hold. */
function skipReason(action: SimulatedAction, { schedules, severityId }: SimulationInput, stateId: string, at: number): string | undefined {
  const schedule = schedules.find((schedule) => schedule.onCallScheduleId === action.hoursScheduleId);
  const isCovered = schedule && onCallAt(schedule, schedule.overrides, at) !== undefined;
  return skippedBecause(action, { stateId, severityId, isCovered });
}

interface Turn {
  at: number;
  event: number;
  stateId: WorkUnitState;
  after: string | null;
  actions: SimulatedAction[];
}

const pad = (value: number): string => String(value).padStart(2, '0');
const durationText = (seconds: number): string =>
  `${pad(Math.floor(seconds / 3_600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;

/** Returns the runs of the steps with a wait, and the steps that ended while they waited. */
function waitingTurns(actions: readonly SimulatedAction[], moments: readonly Moment[]): { turns: Turn[]; ended: Simulation['ended'] } {
  const course = moments.filter(({ event }) => event !== onTimer);
  const turns: Turn[] = [];
  const ended: Simulation['ended'] = [];
  for (const moment of moments)
    for (const action of actions) {
      if (action.workUnitEventTypeId !== moment.event || action.wait === null) continue;
      const { wait, repeatEvery, repeatTimes } = action;
      for (const seconds of timesOf({ wait, repeatEvery, repeatTimes })) {
        const at = moment.at + seconds * 1_000;
        const later = course.filter((item) => item.at > moment.at && item.at <= at);
        const stop = later.find((following) => endsBecause(action.stopWhen, moment.stateId, following.stateId) !== undefined);
        if (stop) {
          const reason = endsBecause(action.stopWhen, moment.stateId, stop.stateId) ?? '';
          ended.push({ ...plain(action), event: labelOf(moment.event), at: new Date(stop.at).toISOString(), reason });
          break;
        }
        const after = durationText(seconds);
        const stateId = later.at(-1)?.stateId ?? moment.stateId;
        const together = turns.find((turn) => turn.at === at && turn.event === moment.event && turn.after === after);
        if (together) together.actions.push(action);
        else turns.push({ at, event: moment.event, stateId, after, actions: [action] });
      }
    }
  return { turns, ended };
}

/** Simulates the protocol. Throws `SimulationFault` for a sequence of states that no unit can have. */
export function simulate(input: SimulationInput): Simulation {
  checkCourse(input);
  // The sort is stable: actions with an equal `sequence` keep their order.
  const actions = input.actions.toSorted((a, b) => a.sequence - b.sequence);
  const sound = actions.filter((action) => neverReason(action) === undefined);
  const { moments, more } = momentsOf(input, sound);
  const events = new Set(moments.map((moment) => moment.event));
  const waitingIds = new Set<string>();
  const withoutAddress = new Map<string, Simulation['withoutAddress'][number]>();
  const skips = new Map<string, string>();
  const { turns, ended } = waitingTurns(sound, moments);
  const immediate = moments.map(({ at, event, stateId }): Turn => {
    const ofEvent = sound.filter((action) => action.workUnitEventTypeId === event && action.wait === null);
    return { at, event, stateId, after: null, actions: ofEvent };
  });
  const timeline = [...immediate, ...turns]
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, event, stateId, after, actions: due }) => {
      const waiting = due.filter((action) => !action.runAutomatically && (action.repeatable || !waitingIds.has(action.protocolActionId)));
      for (const action of waiting) waitingIds.add(action.protocolActionId);
      const judged = due
        .filter((action) => action.runAutomatically)
        .map((action) => ({ action, reason: skipReason(action, input, stateId, at) }));
      for (const { action, reason } of judged) {
        if (reason !== undefined) skips.set(action.protocolActionId, reason);
        const problem = reason === undefined ? addressProblem(action, input, at) : undefined;
        if (problem !== undefined && !withoutAddress.has(action.protocolActionId))
          withoutAddress.set(action.protocolActionId, { ...plain(action), event: labelOf(event), reason: problem });
      }
      return {
        at: new Date(at).toISOString(),
        event: labelOf(event),
        stateId,
        after,
        runs: judged.flatMap(({ action, reason }) =>
          reason === undefined ? [{ ...plain(action), to: addressOf(action, input, at) }] : [],
        ),
        skipped: judged.flatMap(({ action, reason }) => (reason === undefined ? [] : [{ ...plain(action), reason }])),
        waits: waiting.map((action) => ({
          ...plain(action),
          repeatable: action.repeatable,
          for: { permission: 'CloudFit.CFS.WorkUnits:edit', text: 'Whoever may edit the work unit' },
        })),
      };
    })
    // Omits moments that change no state, and at which no step runs.
    .filter((moment) => (moment.event !== 'OnTimer' && moment.event !== 'OnUnanswered') || moment.runs.length > 0);
  const shown = new Set(timeline.flatMap((moment) => [...moment.runs, ...moment.waits].map((step) => step.protocolActionId)));
  for (const action of sound) {
    if (shown.has(action.protocolActionId)) continue;
    const problem = addressProblem(action, input, Date.parse(input.start));
    if (problem !== undefined)
      withoutAddress.set(action.protocolActionId, { ...plain(action), event: labelOf(action.workUnitEventTypeId), reason: problem });
  }
  return {
    timeline,
    more: more && sound.some((action) => action.workUnitEventTypeId === onTimer && action.runAutomatically),
    ended,
    unreachable: actions.flatMap((action): Simulation['unreachable'] => {
      const event = labelOf(action.workUnitEventTypeId);
      const never = neverReason(action);
      if (never) return [{ ...plain(action), event, never: true, reason: never }];
      if (shown.has(action.protocolActionId)) return [];
      const say = (reason: string): Simulation['unreachable'] => [{ ...plain(action), event, never: false, reason }];
      if (action.workUnitEventTypeId === onChange) return say('This simulation has only states; any other change of the unit runs it.');
      const ending = ended.find((candidate) => candidate.protocolActionId === action.protocolActionId);
      if (ending) return say(`Ended before its time: ${ending.reason}.`);
      const skip = skips.get(action.protocolActionId);
      if (skip !== undefined) return say(`Not run: ${skip}.`);
      return events.has(action.workUnitEventTypeId)
        ? say('Already waits for a person.')
        : say(`${event} does not happen in this simulation.`);
    }),
    withoutAddress: sound.flatMap((action) => withoutAddress.get(action.protocolActionId) ?? []),
  };
}
