/** What happens to a unit in a simulation: its states, and what follows while nobody works on it. Pure. */
import { eventOfState, type WorkUnitState } from '../enums.ts';
import { secondsOf, timesOf, type FollowUps } from './timeline.ts';

/** The times of a protocol; without one of them, its consequence does not happen. */
export type FollowUpTimes = { [Name in keyof FollowUps]?: FollowUps[Name] | undefined };

interface CourseInput {
  protocol: FollowUpTimes;
  start: string;
  states: readonly { stateId: WorkUnitState; at: string }[];
}

interface CourseStep {
  workUnitEventTypeId: number;
  runAutomatically: boolean;
  wait: string | null;
  repeatEvery: string | null;
  repeatTimes: number | null;
}

export interface Moment {
  at: number;
  event: number;
  stateId: WorkUnitState;
}

const onNew = 1;
export const onUnanswered = 11;
/** The maximum number of times that the steps for New run again in a simulation. */
const maxRounds = 50;

const msOf = (duration: string | null | undefined): number | undefined => (duration ? secondsOf(duration) * 1_000 : undefined);

/** The states of the unit: those of the input, and New where an acknowledgement runs out before the next of them. */
export function courseOf({ start, states, protocol }: CourseInput): Moment[] {
  const course: Moment[] = [{ at: Date.parse(start), event: eventOfState.New, stateId: 'New' }];
  const lasts = msOf(protocol.acknowledgedFor);
  const push = (stateId: WorkUnitState, at: number) => course.push({ at, event: eventOfState[stateId], stateId });
  const runOut = (before: number) => {
    const last = course.at(-1);
    if (lasts !== undefined && last?.stateId === 'Acknowledged' && last.at + lasts < before) push('New', last.at + lasts);
  };
  for (const { stateId, at } of states) {
    runOut(Date.parse(at));
    if (course.at(-1)?.stateId !== stateId) push(stateId, Date.parse(at));
  }
  runOut(Infinity);
  return course;
}

/**
 * Returns what happens while a unit stays New from `from` until `until`: it is unanswered some time after the last step, and the
 * steps run again if the protocol says so.
 */
export function unansweredOf(from: number, until: number, actions: readonly CourseStep[], { protocol }: CourseInput): Moment[] {
  const ofNew = actions.filter((action) => action.workUnitEventTypeId === onNew);
  const waits = ofNew.flatMap(({ wait, repeatEvery, repeatTimes }) => (wait === null ? [] : timesOf({ wait, repeatEvery, repeatTimes })));
  const chainMs = Math.max(0, ...waits) * 1_000;
  const [after, again] = [msOf(protocol.unansweredAfter), msOf(protocol.repeatEvery)];
  if (after === undefined || !ofNew.some((action) => action.runAutomatically)) return [];
  const moments: Moment[] = [];
  let ended = from + chainMs;
  let isUnanswered = false;
  for (let round = 0; round < maxRounds; round += 1) {
    const at = ended + after;
    // Steps that run again before the unit counts as unanswered count from the beginning.
    if (!isUnanswered && at < until && (again === undefined || after <= again)) {
      moments.push({ at, event: onUnanswered, stateId: 'New' });
      isUnanswered = true;
    }
    if (again === undefined || ended + again >= until) break;
    moments.push({ at: ended + again, event: onNew, stateId: 'New' });
    ended += again + chainMs;
  }
  return moments;
}
