/** The steps of a protocol while they are edited: their order in time, what is wrong with them, and what has changed. Pure. */
import { builtInAction, workUnitEventTypes } from '@cloudfit/contract/enums.ts';
import { notifyTarget, type NotifyParameters } from '@cloudfit/contract/protocols/notify.ts';
import { secondsOf, timeProblems } from '@cloudfit/contract/protocols/timeline.ts';
import { protocolActions as resource } from '@cloudfit/contract/resources/protocol-actions.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { isParameterValues, namedValues, parameterNames, readParameters } from '../../../entities/executions/action-parameters.ts';
import type { ParameterValues } from '../../../entities/executions/action-parameters.ts';
import { fieldProblem, formValues } from '../../../forms/form-model.ts';
import { fieldValue, sameValue, type FormValues } from '../../../rows/row.ts';
import type { ActionChoice, ProtocolAction } from '../use-protocol-actions.ts';

export const stepFields = [
  'actionDefinitionId',
  'workUnitEventTypeId',
  'summary',
  'sequence',
  'runAutomatically',
  'repeatable',
  'wait',
  'repeatEvery',
  'repeatTimes',
  'stopWhen',
  'onlyStates',
  'onlySeverities',
  'hours',
  'hoursScheduleId',
  'onFailure',
  'onLate',
  'lateAfter',
] as const;
export type StepField = (typeof stepFields)[number];

/** What is wrong with a step, by field; parameters have one text. */
export type StepProblems = Readonly<Partial<Record<StepField | 'parameters', string>>>;

export interface TimelineStep {
  /** The id of a saved step; a generated name for a new step. */
  key: string;
  isNew: boolean;
  /** Whether saving the protocol deletes the step. */
  removed: boolean;
  values: FormValues<typeof resource>;
  parameters: ParameterValues;
}

export type ActionsById = ReadonlyMap<string, ActionChoice>;

function isSteps(stored: unknown): stored is TimelineStep[] {
  return Array.isArray(stored) && stored.every((entry: unknown) => isParameterValues(entry) && isParameterValues(entry['values']));
}

export interface EditedSteps {
  /** The saved steps at the moment of the first edit. */
  saved: readonly TimelineStep[];
  steps: readonly TimelineStep[];
}

export function isEditedSteps(stored: unknown): stored is EditedSteps {
  return isParameterValues(stored) && isSteps(stored['saved']) && isSteps(stored['steps']);
}

/** Rebases edits on steps that somebody else has saved meanwhile: fields that were not edited take the newly saved values. */
export function rebased({ saved, steps }: EditedSteps, now: readonly TimelineStep[]): EditedSteps {
  const before = new Map(saved.map((step) => [step.key, step]));
  const current = new Map(now.map((step) => [step.key, step]));
  const edited = steps.flatMap((step) => {
    const [old, other] = [before.get(step.key), current.get(step.key)];
    if (!old) return [step];
    if (!other) return [];
    const isEdited = (name: StepField) => !sameValue(step.values[name], fieldValue(old.values, name));
    const values = { ...other.values, ...Object.fromEntries(stepFields.filter(isEdited).map((name) => [name, step.values[name]])) };
    return [{ ...step, values, parameters: sameValue(step.parameters, old.parameters) ? other.parameters : step.parameters }];
  });
  return { saved: now, steps: [...edited, ...now.filter(({ key }) => !before.has(key))] };
}

export function stepOf(row: ProtocolAction): TimelineStep {
  return {
    key: row.protocolActionId,
    isNew: false,
    removed: false,
    values: formValues(resource, stepFields, row),
    parameters: readParameters(row.parameters),
  };
}

/** Returns a new step that runs at the time of the step before it; automatically, like most steps. */
export function newStep(key: string, event: number, before?: TimelineStep): TimelineStep {
  const values = { ...formValues(resource, stepFields, undefined), workUnitEventTypeId: event, runAutomatically: true };
  return { key, isNew: true, removed: false, values: { ...values, wait: before?.values.wait ?? null }, parameters: {} };
}

/** The events in the order in which they happen to a work unit. */
export const eventOrder: readonly number[] = [1, 11, 2, 9, 3, 10, 4, 5, 6, 7, 8];
export const eventName = (event: unknown): string => choiceText(workUnitEventTypes.find(({ value }) => value === event)?.label ?? '');

const duration = /^\d{2,4}:[0-5]\d:[0-5]\d$/;
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const pad = (value: number) => String(value).padStart(2, '0');

/** Converts what people type to hh:mm:ss: "10" (minutes), "10 min", "1h 30m". Any other text stays as it is. */
export function typedDuration(text: string): string {
  const plain = text.trim().toLowerCase();
  if (duration.test(plain) || !/^(\d+\s*([smhd][a-z]*)?\s*)+$/.test(plain)) return text;
  const parts = plain.matchAll(/(\d+)\s*([smhd])?/g);
  const seconds = [...parts].reduce((sum, [, count, unit = 'm']) => sum + Number(count) * (unitSeconds[unit] ?? 60), 0);
  return `${pad(Math.floor(seconds / 3_600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
}

/** When the step runs, in seconds after its event; 0 for a step that does not wait. */
export function secondsAfter({ values: { wait } }: TimelineStep): number {
  return typeof wait === 'string' && duration.test(wait) ? secondsOf(wait) : 0;
}

export interface EventGroup {
  event: number;
  steps: readonly TimelineStep[];
}

/** The steps of each event by the time at which they run, then by their order. */
export function groupsOf(steps: readonly TimelineStep[]): readonly EventGroup[] {
  return eventOrder.flatMap((event) => {
    const ofEvent = steps.filter(({ values }) => values.workUnitEventTypeId === event);
    return ofEvent.length === 0 ? [] : [{ event, steps: ofEvent.toSorted((a, b) => secondsAfter(a) - secondsAfter(b)) }];
  });
}

/**
 * Moves a step to before or after another step of its event, and gives it the time of that step: steps of the same time run in
 * their order.
 */
export function place(steps: readonly TimelineStep[], key: string, target: string, side: 'before' | 'after'): readonly TimelineStep[] {
  const step = steps.find((step) => step.key === key);
  const other = steps.find((step) => step.key === target);
  if (!step || !other || step === other || step.values.workUnitEventTypeId !== other.values.workUnitEventTypeId) return steps;
  const isSameTime = secondsAfter(step) === secondsAfter(other);
  const wait = isSameTime ? step.values.wait : step.values.repeatEvery ? (other.values.wait ?? '00:00:00') : other.values.wait;
  const moved = { ...step, values: { ...step.values, wait } };
  const others = steps.filter((item) => item !== step);
  const at = others.indexOf(other) + (side === 'after' ? 1 : 0);
  return [...others.slice(0, at), moved, ...others.slice(at)];
}

/** The step with which a step is swapped when it moves by one place; undefined at the end. */
export function neighbourOf(steps: readonly TimelineStep[], key: string, by: -1 | 1): TimelineStep | undefined {
  const group = groupsOf(steps.filter((step) => !step.removed)).find((group) => group.steps.some((step) => step.key === key))?.steps ?? [];
  const at = group.findIndex((candidate) => candidate.key === key);
  return group[at + by];
}

export function stepProblems(step: TimelineStep, definitions: ActionsById): StepProblems {
  if (step.removed) return {};
  const { values } = step;
  const problems: Partial<Record<StepField | 'parameters', string>> = {};
  for (const name of stepFields) {
    const message = fieldProblem(
      resource.fields[name],
      values[name],
      name === 'workUnitEventTypeId' ? protocolTexts.actions.eventRequired : undefined,
    );
    if (message) problems[name] = message;
  }
  if (!problems.wait && !problems.repeatEvery && !problems.repeatTimes) {
    const { wait, repeatEvery, repeatTimes } = values as { wait: string | null; repeatEvery: string | null; repeatTimes: number | null };
    for (const { target, message } of timeProblems({ runAutomatically: values.runAutomatically === true, wait, repeatEvery, repeatTimes }))
      problems[target] = message;
  }
  if (values.hours !== 'Any' && !values.hoursScheduleId) problems.hoursScheduleId = protocolTexts.timeline.scheduleRequired;
  if (values.actionDefinitionId === builtInAction.notify) {
    const target = notifyTarget(sentParameters(step, definitions) as NotifyParameters);
    if (typeof target === 'string') problems.parameters = target;
  }
  return problems;
}

/**
 * Returns the values of the parameters that the step's action declares (PACT-010); all values while the action is not loaded.
 */
export function sentParameters({ values, parameters }: TimelineStep, definitions: ActionsById): ParameterValues {
  const definition = definitions.get(String(values.actionDefinitionId));
  return definition ? namedValues(parameterNames(definition.inputParameters), parameters) : parameters;
}

/** Sets `sequence` so that steps of the same time run in their order; keeps the stored numbers that fit this order. */
function withSequences(steps: readonly TimelineStep[], saved: readonly TimelineStep[]): readonly TimelineStep[] {
  const placeOf = new Map(saved.map((step, at) => [step.key, at]));
  return groupsOf(steps.filter((step) => !step.removed)).flatMap((group) => {
    let before: TimelineStep | undefined;
    return group.steps.map((step) => {
      const stored = Number(step.values.sequence);
      const min = before && secondsAfter(before) === secondsAfter(step) ? Number(before.values.sequence) : -1;
      // Of two saved steps with the same number the older one runs first.
      const isOlder = before !== undefined && (placeOf.get(before.key) ?? Infinity) < (placeOf.get(step.key) ?? -1);
      const sequence = stored > min || (stored === min && isOlder) ? stored : min + 1;
      before = { ...step, values: { ...step.values, sequence } };
      return before;
    });
  });
}

export interface StepChanges {
  removed: readonly string[];
  /** All values of new steps, and the changed values of saved steps. */
  written: readonly { key: string; isNew: boolean; values: FormValues<typeof resource> }[];
}

export function changesOf(saved: readonly TimelineStep[], steps: readonly TimelineStep[], definitions: ActionsById): StepChanges {
  const before = new Map(saved.map((step) => [step.key, step]));
  return {
    removed: steps.filter((step) => step.removed && !step.isNew).map((step) => step.key),
    written: withSequences(steps, saved).flatMap((step) => {
      const old = before.get(step.key);
      const changed = stepFields.filter((name) => step.isNew || !sameValue(step.values[name], old && fieldValue(old.values, name)));
      const isOther = step.isNew || changed.includes('actionDefinitionId') || !sameValue(step.parameters, old?.parameters);
      const values = {
        ...Object.fromEntries(changed.map((name) => [name, step.values[name]])),
        ...(isOther ? { parameters: JSON.stringify(sentParameters(step, definitions)) } : {}),
      };
      return Object.keys(values).length === 0 ? [] : [{ key: step.key, isNew: step.isNew, values }];
    }),
  };
}
