/** When a protocol step runs: its times, conditions and end; and the seconds of a duration. Pure. */
import type { StepHours, StopWhen, WorkUnitState } from '../enums.ts';

const endedStates: readonly WorkUnitState[] = ['Resolved', 'Closed', 'Canceled'];

/**
 * Returns why a waiting step ends, given the unit's state at the step's event and its current state; undefined while the step
 * continues to wait.
 */
export function endsBecause(stopWhen: StopWhen, atEvent: WorkUnitState, now: WorkUnitState): string | undefined {
  if (stopWhen === 'Never') return undefined;
  // A step on the end of the unit, such as a survey a day after Resolved, ends when the unit is reopened.
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

/** Returns why a step does not run when it is due; undefined when it runs. */
export function skippedBecause({ onlyStates, onlySeverities, hours }: StepConditions, unit: StepMoment): string | undefined {
  if (onlyStates.length > 0 && !onlyStates.includes(unit.stateId))
    return `it is for ${onlyStates.join(', ')}, and the work unit is ${unit.stateId}`;
  if (onlySeverities.length > 0 && !onlySeverities.includes(unit.severityId))
    return `it is for ${onlySeverities.join(', ')}, and the work unit is ${unit.severityId}`;
  // If the schedule was deleted, the step runs: a superfluous run is better than a missing one.
  if (hours === 'Any' || unit.isCovered === undefined || (hours === 'Covered') === unit.isCovered) return undefined;
  return hours === 'Covered' ? 'nobody of its schedule is on call now' : 'somebody of its schedule is on call now';
}

/** Converts hh:mm:ss to seconds. */
export function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

/** Returns the times at which a step with a wait runs, in seconds after its event. */
export function timesOf(step: { wait: string; repeatEvery: string | null; repeatTimes: number | null }): number[] {
  const first = secondsOf(step.wait);
  const every = step.repeatEvery === null ? 0 : secondsOf(step.repeatEvery);
  const repeats = every > 0 ? (step.repeatTimes ?? 0) : 0;
  return Array.from({ length: repeats + 1 }, (_, turn) => first + turn * every);
}

const longestWaitSeconds = 30 * 86_400;
const shortestFollowUpSeconds = 60;

/** How a protocol goes on while nobody works on a unit, as hh:mm:ss. */
export interface FollowUps {
  unansweredAfter: string;
  repeatEvery: string | null;
  acknowledgedFor: string | null;
}

/** Returns the problems of these times of a protocol or rule, each with the field to change. */
export function followUpProblems(times: { [K in keyof FollowUps]?: string | null | undefined }): {
  target: keyof FollowUps;
  message: string;
}[] {
  return (['unansweredAfter', 'repeatEvery', 'acknowledgedFor'] as const).flatMap((target) => {
    const time = times[target] ?? '';
    const seconds = time.trim() === '' ? shortestFollowUpSeconds : secondsOf(time);
    return seconds < shortestFollowUpSeconds || seconds > longestWaitSeconds
      ? [{ target, message: 'Enter a time from 00:01:00 to 30 days.' }]
      : [];
  });
}

export interface StepTimes {
  runAutomatically: boolean;
  wait?: string | null;
  repeatEvery?: string | null;
  repeatTimes?: number | null;
}

/** Returns the problems of a step's times, each with the field to change. */
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
