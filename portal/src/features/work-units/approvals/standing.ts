/** How a change request stands, and who has to decide about it: what its card says first. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import type { PlanCollision } from '@cloudfit/contract/maintenance/calls.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

export type ApprovalSlot = 1 | 2;
const endStates: readonly string[] = ['Resolved', 'Closed', 'Canceled'];
const statesBeforeStart: readonly string[] = ['New', 'Acknowledged'];

export interface SlotState {
  slot: ApprovalSlot;
  approver: string | null;
  approvedBy: string | null;
  declinedBy: string | null;
  notes: string | null;
  isUndecided: boolean;
  /** Whether the change may start without this slot: the second slot, if only one approval is required. */
  isOptional: boolean;
}

export const isChange = (unit: PanelWorkUnit): boolean => unit.workUnitTypeId === workUnitType.changeRequest;

export function slotOf(unit: PanelWorkUnit, slot: ApprovalSlot): SlotState {
  const [approvedBy, declinedBy] = [unit[`approved${slot}By`], unit[`declined${slot}By`]];
  return {
    slot,
    approver: unit[`approver${slot}`],
    approvedBy,
    declinedBy,
    notes: unit[`decision${slot}Notes`],
    isUndecided: !approvedBy && !declinedBy,
    isOptional: slot === 2 && !unit.isApproverRequired,
  };
}

/** The slots of a change request; empty for any other unit. An optional second one for which nobody is named waits for nobody. */
export const slotsOf = (unit: PanelWorkUnit): readonly SlotState[] =>
  isChange(unit)
    ? [slotOf(unit, 1), slotOf(unit, 2)].filter((state) => !state.isOptional || state.approver !== null || !state.isUndecided)
    : [];

/** Whether a decision is still possible: not for an ended change request. */
export const takesDecisions = (unit: PanelWorkUnit): boolean => !endStates.includes(unit.stateId);

/** Whether the change lacks an approval without which it may not start, as the server judges it. */
export function awaitsApproval(unit: PanelWorkUnit): boolean {
  if (!takesDecisions(unit) || unit.approvalOverriddenBy) return false;
  return slotsOf(unit).some((state) => !state.approvedBy && !state.isOptional);
}

/** Whether the change has its approvals and has not started, so that a freeze of this moment holds it too. */
export const waitsForStart = (unit: PanelWorkUnit): boolean =>
  statesBeforeStart.includes(unit.stateId) && !unit.approvalOverriddenBy && !awaitsApproval(unit);

/** The freeze among what happens at the time of a plan, if there is one that is not over. */
export const freezeAmong = (collisions: readonly PlanCollision[] | undefined, now: number): PlanCollision | undefined =>
  collisions?.find(({ kind, until }) => kind === 'freeze' && (until === null || Date.parse(until) > now));

/** The minute that begins now, for the question which freeze is in it. */
export const thisMinute = (now: number) => ({ from: new Date(now).toISOString(), until: new Date(now + minuteMs).toISOString() });

export type Standing = 'rejected' | 'over' | 'underWay' | 'past' | 'overridden' | 'frozen' | 'mine' | 'others' | 'approved';

interface Around {
  /** Whether the signed-in person may decide now. */
  isMine: boolean;
  isFrozen: boolean;
  now: number;
}

export function standingOf(unit: PanelWorkUnit, { isMine, isFrozen, now }: Around): Standing {
  if (slotsOf(unit).some(({ declinedBy }) => declinedBy)) return 'rejected';
  if (!takesDecisions(unit)) return 'over';
  if (!statesBeforeStart.includes(unit.stateId)) return 'underWay';
  if (unit.plannedFinishTime && Date.parse(unit.plannedFinishTime) <= now) return 'past';
  if (unit.approvalOverriddenBy) return 'overridden';
  if (isFrozen) return 'frozen';
  if (isMine) return 'mine';
  return awaitsApproval(unit) ? 'others' : 'approved';
}

/** The sign-in names of those without whom the change cannot start. */
export const awaitedOf = (unit: PanelWorkUnit): readonly string[] =>
  slotsOf(unit).flatMap(({ isUndecided, isOptional, approver }) => (isUndecided && !isOptional && approver ? [approver] : []));
