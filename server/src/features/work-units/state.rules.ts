/** The state machine of a work unit, and the checks that need more than one field (WU-098..100, CHG). */
import { workUnitType } from '@cloudfit/contract/enums.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { FieldError } from '../../resources/served.ts';

export type WorkUnitRow = Row<typeof workUnits>;

const fromNew: readonly string[] = ['New', 'Acknowledged', 'Canceled'];

/** States that end a unit; the time is stored in `resolved`. */
const ending: readonly string[] = ['Resolved', 'Closed', 'Canceled'];

export function isEnded(state: string): boolean {
  return ending.includes(state);
}

const beforeStart: readonly string[] = ['New', 'Acknowledged', 'Canceled'];

/** Whether the unit is a change request that has started. */
export function hasStarted(unit: WorkUnitRow): boolean {
  return unit.workUnitTypeId === workUnitType.changeRequest && !beforeStart.includes(unit.stateId);
}

/** Whether all required approvers have approved the change, or an emergency override exists. */
export function isApproved(unit: WorkUnitRow): boolean {
  return unit.approvalOverriddenBy !== null || (unit.approved1By !== null && (!unit.isApproverRequired || unit.approved2By !== null));
}

/** The fields that make up the plan of a change request. The person who edits them last may not approve it. */
export const planFields = [
  'implementationPlan',
  'rollbackPlan',
  'affectedResources',
  'securityConsiderations',
  'userImpact',
  'costImpact',
  'environment',
  'expectedCFSAlerts',
  'plannedStartTime',
  'plannedFinishTime',
  'requestedChangeWindow',
  'affectedDevices',
  'expectedRules',
  'expectsSilence',
  'resolution',
] as const;

/** The fields that approvers decide about. `resolution` is not among them, because it is written at the end of a change. */
export const judgedFields = ['title', 'description', 'implementer', ...planFields.filter((name) => name !== 'resolution')] as const;

const planned = [
  'implementationPlan',
  'rollbackPlan',
  'affectedResources',
  'environment',
  'expectedCFSAlerts',
  'plannedStartTime',
  'plannedFinishTime',
  'approver1',
  'resolution',
] as const;

function stateFaults(before: WorkUnitRow | null, after: WorkUnitRow, byRule: boolean): FieldError[] {
  if (!before) {
    // Only a spam call is closed while it is being recorded (README of the spec, 10).
    const spam = after.isSpamCall && after.stateId === 'Resolved';
    return after.stateId === 'New' || spam ? [] : [{ target: 'stateId', message: 'A new work unit can only be New.' }];
  }
  // A person acknowledges first; a rule may resolve a unit that nobody acknowledged.
  if (before.stateId === 'New' && !fromNew.includes(after.stateId) && !(byRule && after.stateId === 'Resolved')) {
    return [{ target: 'stateId', message: `A New work unit can only become Acknowledged or Canceled, not ${after.stateId}.` }];
  }
  return [];
}

function changeRequestFaults(after: WorkUnitRow): FieldError[] {
  if (after.workUnitTypeId !== workUnitType.changeRequest) return [];
  const names: readonly (keyof WorkUnitRow & string)[] = after.isApproverRequired ? [...planned, 'approver2'] : planned;
  return names
    .filter((name) => after[name] === null || after[name] === undefined || String(after[name]).trim() === '')
    .map((name) => ({ target: name, message: `${workUnits.fields[name].label} is required for a Change Request.` }));
}

/** The fixed values of a spam call; values in the request are ignored (INTK-030..033). */
export function spamCall(after: WorkUnitRow): Partial<WorkUnitRow> {
  return after.isSpamCall ? { stateId: 'Resolved', source: 'Spam', title: 'Spam Call', severityId: 'Sev4' } : {};
}

/** Returns the form in which people are compared: a sign-in email in lower case, any other name unchanged. */
function personKey(text: string | null | undefined): string | null {
  const value = text?.trim() ?? '';
  return value.includes('@') ? value.toLowerCase() : value || null;
}

const undecided1 = { approved1By: null, declined1By: null, decision1Notes: null };
const undecided2 = { approved2By: null, declined2By: null, decision2Notes: null };

/** The values that clear the decisions of both approvers, because the plan was edited after them. */
export const withoutApprovals: Partial<WorkUnitRow> = { ...undecided1, ...undecided2 };

/** Whether a write edits the plan of an open change request that an approver has approved. */
export function editsApproved(before: WorkUnitRow | null, after: WorkUnitRow, changed: readonly string[]): boolean {
  if (!before || after.workUnitTypeId !== workUnitType.changeRequest || isEnded(after.stateId)) return false;
  return (before.approved1By !== null || before.approved2By !== null) && judgedFields.some((name) => changed.includes(name));
}

/**
 * Returns the fields that name approvers, in the form in which they are compared. For a new approver, the decision of the
 * previous one is cleared.
 */
export function approvers(before: WorkUnitRow | null, after: WorkUnitRow, changed: readonly string[]): Partial<WorkUnitRow> {
  const first = personKey(after.approver1);
  const second = personKey(after.approver2);
  const differs = (was: string | null | undefined, is: string | null): boolean => before !== null && personKey(was) !== is;
  return {
    ...(changed.includes('approver1') ? { approver1: first, ...(differs(before?.approver1, first) ? undecided1 : {}) } : {}),
    ...(changed.includes('approver2') ? { approver2: second, ...(differs(before?.approver2, second) ? undecided2 : {}) } : {}),
  };
}

/** Returns the errors of a work unit as it would be saved that its own fields show. */
export function workUnitFaults(before: WorkUnitRow | null, after: WorkUnitRow, changed: readonly string[], byRule = false): FieldError[] {
  const errors = stateFaults(before, after, byRule);
  if (after.plannedStartTime && after.plannedFinishTime && Date.parse(after.plannedFinishTime) < Date.parse(after.plannedStartTime)) {
    errors.push({ target: 'plannedFinishTime', message: 'Planned Finish Time must be equal to or greater than Planned Start Time.' });
  }
  if (after.holdReason && after.stateId !== 'OnHold')
    errors.push({
      target: 'holdReason',
      message: 'Only a work unit that is On Hold waits for something. Set the state to OnHold, or leave this empty.',
    });
  if (changed.includes('source') && after.source === 'Spam' && !after.isSpamCall)
    errors.push({ target: 'source', message: 'Only a spam call sets Spam.' });
  if (!before && after.isSpamCall && !after.stakeHolderPhoneNumber?.trim())
    errors.push({ target: 'stakeHolderPhoneNumber', message: 'Stakeholder phone number is required.' });
  return [...errors, ...changeRequestFaults(after)];
}
