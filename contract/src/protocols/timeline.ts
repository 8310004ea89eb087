/** When a step of a protocol runs, and when it does not: its time, conditions and end. Pure; server, simulation and portal use it. */
import type { StepHours, StopWhen, WorkUnitState } from '../enums.ts';

const endedStates: readonly WorkUnitState[] = ['Resolved', 'Closed', 'Canceled'];

/**
 * Why a waiting step ends, given the state of the unit at the step's event and now; undefined while the step continues to
 * wait.
 */
export function endsBecause(stopWhen: StopWhen, atEvent: WorkUnitState, now: WorkUnitState): string | undefined {
  if (stopWhen === 'Never') return undefined;
  // A step whose event was the end of the unit, such as a question a day after it was resolved, ends when the unit is open
  // again.
  if (endedStates.includes(atEvent)) return endedStates.includes(now) ? undefined : `the work unit is ${now} again`;
  if (endedStates.includes(now)) return `the work unit is ${now}`;
  return stopWhen === 'Acknowledged' && atEvent === 'New' && now !== 'New' ? `the work unit is ${now}` : undefined;
}

export interface StepConditions {
  onlyStates: readonly string[];
  onlySeverities: readonly string[];
  hours: StepHours;
}

export interface StepMoment {
  stateId: string;
  severityId: string;
  /** Whether somebody is on call in the schedule that the step names; undefined when the schedule does not exist. */
  isCovered: boolean | undefined;
}

/** Why a step does not run when its time comes; undefined when it runs. */
export function skippedBecause({ onlyStates, onlySeverities, hours }: StepConditions, unit: StepMoment): string | undefined {
  if (onlyStates.length > 0 && !onlyStates.includes(unit.stateId))
    return `it is for ${onlyStates.join(', ')}, and the work unit is ${unit.stateId}`;
  if (onlySeverities.length > 0 && !onlySeverities.includes(unit.severityId))
    return `it is for ${onlySeverities.join(', ')}, and the work unit is ${unit.severityId}`;
  // Without its schedule, nobody knows whether it is covered: the step runs, because that is better than not running.
  if (hours === 'Any' || unit.isCovered === undefined || (hours === 'Covered') === unit.isCovered) return undefined;
  return hours === 'Covered' ? 'nobody of its schedule is on call now' : 'somebody of its schedule is on call now';
}

/** Seconds of hh:mm:ss. */
export function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

/** The times of a step that waits, in seconds after its event. */
export function timesOf(step: { wait: string; repeatEvery: string | null; repeatTimes: number | null }): number[] {
  const first = secondsOf(step.wait);
  const every = step.repeatEvery === null ? 0 : secondsOf(step.repeatEvery);
  const repeats = every > 0 ? (step.repeatTimes ?? 0) : 0;
  return Array.from({ length: repeats + 1 }, (_, turn) => first + turn * every);
}

const longestWaitSeconds = 30 * 86_400;

export interface StepTimes {
  runAutomatically: boolean;
  wait?: string | null;
  repeatEvery?: string | null;
  repeatTimes?: number | null;
}

/** The problems of a step's times, each at the field that should be changed. */
export function timeProblems({
  runAutomatically,
  wait,
  repeatEvery,
  repeatTimes,
}: StepTimes): { target: keyof StepTimes; message: string }[] {
  const repeats = { every: repeatEvery ?? null, times: repeatTimes ?? null };
  if (wait === undefined || wait === null)
    return repeats.every === null && repeats.times === null
      ? []
      : [{ target: 'wait', message: 'A step that repeats needs a wait. Set Wait; 00:00:00 stands for at once.' }];
  if (!runAutomatically && (repeats.every !== null || repeats.times !== null))
    return [{ target: 'repeatEvery', message: 'Only a step that runs automatically can repeat.' }];
  if (secondsOf(wait) > longestWaitSeconds) return [{ target: 'wait', message: 'A step waits at most 30 days.' }];
  if ((repeats.every === null) !== (repeats.times === null))
    return [
      repeats.every === null
        ? { target: 'repeatEvery', message: 'Set the time after which the step repeats.' }
        : { target: 'repeatTimes', message: 'Set how often the step repeats at most.' },
    ];
  if (repeats.every !== null && secondsOf(repeats.every) < 60)
    return [{ target: 'repeatEvery', message: 'A step repeats at most once a minute.' }];
  return [];
}
