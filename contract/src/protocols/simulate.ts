/** Simulates a protocol on a timeline. Pure; the server and the portal use it. */
import { z } from 'zod';
import { builtInAction, emailTemplates, eventOfState, protocolActionTypes, workUnitEventTypes, type WorkUnitState } from '../enums.ts';

const stepShape = z.object({
  protocolActionId: z.string(),
  /** Name of the action definition; null when that was deleted. */
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
      /** In running order; each starts after the outcome of the one before. */
      runs: z.array(stepShape.extend({ to: z.string().nullable() })),
      waits: z.array(stepShape.extend({ repeatable: z.boolean(), for: who })),
    }),
  ),
  /** Whether the timer continues after the last moment. */
  more: z.boolean(),
  unreachable: z.array(stepShape.extend({ event: z.string(), never: z.boolean(), reason: z.string() })),
  withoutAddress: z.array(stepShape.extend({ event: z.string(), reason: z.string() })),
});

export type Simulation = z.infer<typeof simulation>;

export interface SimulatedAction {
  protocolActionId: string;
  workUnitEventTypeId: number;
  sequence: number;
  summary: string | null;
  runAutomatically: boolean;
  repeatable: boolean;
  /** JSON text of an object. */
  parameters: string;
  /** Null when it was deleted or the caller may not see it. */
  definition: { actionDefinitionId: string; name: string; actionDefinitionTypeId: number; endpointUrl: string | null } | null;
}

export interface SimulationInput {
  protocol: { timerInverval: string };
  actions: readonly SimulatedAction[];
  severityId: string;
  start: string;
  /** The states after New, in the order of their times. */
  states: readonly { stateId: WorkUnitState; at: string }[];
  tenant: { name: string; internalNotificationEmailAddress: string | null } | null;
}

/** An invalid course of states. */
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
/** The maximum number of timer moments in an answer. */
const maxTimers = 200;
const dayMs = 86_400_000;

const labelOf = (id: number): string => workUnitEventTypes.find((event) => event.value === id)?.label ?? String(id);
const plain = (action: SimulatedAction) => ({
  protocolActionId: action.protocolActionId,
  name: action.definition?.name ?? null,
  summary: action.summary,
  sequence: action.sequence,
});

function intervalMs(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return Math.max(1, hours * 3_600 + minutes * 60 + seconds) * 1_000;
}

function parametersOf(action: SimulatedAction): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(action.parameters === '' ? '{}' : action.parameters);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The address of a mail or call. Placeholders for values of the unit stay unchanged. */
function addressOf(action: SimulatedAction, { tenant, severityId }: Pick<SimulationInput, 'tenant' | 'severityId'>): string | null {
  const address = rawAddressOf(action, tenant);
  return address?.replaceAll('{Severity}', severityId).replaceAll('{TenantName}', tenant?.name ?? '{TenantName}') ?? null;
}

function rawAddressOf(action: SimulatedAction, tenant: SimulationInput['tenant']): string | null {
  if (action.definition?.actionDefinitionId === builtInAction.email)
    return textOf(parametersOf(action)['To']) || tenant?.internalNotificationEmailAddress?.trim() || null;
  return action.definition?.endpointUrl ?? null;
}

function addressProblem(action: SimulatedAction, tenant: SimulationInput['tenant']): string | undefined {
  const { definition } = action;
  if (!definition || definition.actionDefinitionId === builtInAction.setColor) return undefined;
  const address = rawAddressOf(action, tenant);
  if (definition.actionDefinitionId !== builtInAction.email) return address ? undefined : 'The action has no endpoint address.';
  if (address === null) return 'The mail has no recipient, and its tenant has no address for notifications.';
  // Only a real unit has a stakeholder.
  if (/^\{StakeHolderEmailAddress\}$/.test(address)) return 'Units without an email address of their stakeholder reach nobody.';
  if (/^\{AssignedTo\}$/.test(address)) return 'Units that are assigned to nobody reach nobody.';
  return undefined;
}

function neverReason(action: SimulatedAction): string | undefined {
  const { definition } = action;
  if (!definition) return 'Its action no longer exists.';
  if (!protocolActionTypes.includes(definition.actionDefinitionTypeId)) return 'Its action is not for protocols.';
  const event = action.workUnitEventTypeId;
  if (!action.runAutomatically && (event === onTimer || event === onChange))
    return `Manual actions of ${labelOf(event)} are not offered: Pending Actions shows those of the unit's state.`;
  const template = definition.actionDefinitionId === builtInAction.email ? textOf(parametersOf(action)['Template']) : '';
  if (template !== '' && !emailTemplates.some((one) => one === template)) return `There is no mail template ${template}.`;
  return undefined;
}

interface Moment {
  at: number;
  event: number;
  stateId: WorkUnitState;
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

/** State changes and timer moments. The timer runs while the unit is open and restarts when it is reopened. */
function momentsOf(input: SimulationInput): { moments: Moment[]; more: boolean } {
  const start = Date.parse(input.start);
  const course: Moment[] = [{ at: start, event: eventOfState.New, stateId: 'New' }];
  for (const { stateId, at } of input.states) {
    const last = course.at(-1);
    if (last?.stateId !== stateId) course.push({ at: Date.parse(at), event: eventOfState[stateId], stateId });
  }
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
    for (; due !== undefined && timers < maxTimers && (last ? due <= end : due < end); due += interval) {
      timers += 1;
      moments.push({ at: due, event: onTimer, stateId: one.stateId });
    }
    if (timers === maxTimers) more = true;
    if (last && isTimed) more = true;
  }
  return { moments, more };
}

/** Throws `SimulationFault` for a course that no unit can take. */
export function simulate(input: SimulationInput): Simulation {
  checkCourse(input);
  // The sort is stable: actions of one sequence keep their order.
  const actions = input.actions.toSorted((a, b) => a.sequence - b.sequence);
  const sound = actions.filter((action) => neverReason(action) === undefined);
  const { moments, more } = momentsOf(input);
  const events = new Set(moments.map((moment) => moment.event));
  const waitingIds = new Set<string>();
  const timeline = moments
    .map(({ at, event, stateId }) => {
      const ofEvent = sound.filter((action) => action.workUnitEventTypeId === event);
      const waiting = ofEvent.filter(
        (action) => !action.runAutomatically && (action.repeatable || !waitingIds.has(action.protocolActionId)),
      );
      for (const action of waiting) waitingIds.add(action.protocolActionId);
      return {
        at: new Date(at).toISOString(),
        event: labelOf(event),
        stateId,
        runs: ofEvent.filter((action) => action.runAutomatically).map((action) => ({ ...plain(action), to: addressOf(action, input) })),
        waits: waiting.map((action) => ({
          ...plain(action),
          repeatable: action.repeatable,
          for: { permission: 'CloudFit.CFS.WorkUnits:edit', text: 'Whoever may edit the work unit' },
        })),
      };
    })
    // Omits timer moments without actions.
    .filter((moment) => moment.event !== 'OnTimer' || moment.runs.length > 0);
  return {
    timeline,
    more: more && sound.some((action) => action.workUnitEventTypeId === onTimer && action.runAutomatically),
    unreachable: actions.flatMap((action): Simulation['unreachable'] => {
      const event = labelOf(action.workUnitEventTypeId);
      const never = neverReason(action);
      if (never) return [{ ...plain(action), event, never: true, reason: never }];
      if (action.workUnitEventTypeId === onChange)
        return [{ ...plain(action), event, never: false, reason: 'This course has states alone; any other change of the unit runs it.' }];
      return events.has(action.workUnitEventTypeId)
        ? []
        : [{ ...plain(action), event, never: false, reason: `${event} does not happen in this course.` }];
    }),
    withoutAddress: sound.flatMap((action) => {
      const reason = addressProblem(action, input.tenant);
      return reason ? [{ ...plain(action), event: labelOf(action.workUnitEventTypeId), reason }] : [];
    }),
  };
}
