/** The state machine of a work unit and the checks of several fields, each at its limit. */
import { describe, expect, it } from 'vitest';
import { workUnitStates, workUnitType } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import {
  approvers,
  editsApproved,
  hasStarted,
  isApproved,
  isEnded,
  judgedFields,
  planFields,
  spamCall,
  withoutApprovals,
  workUnitFaults,
  type WorkUnitRow,
} from './state.rules.ts';

const empty = Object.fromEntries(Object.keys(workUnits.fields).map((name) => [name, null])) as unknown as WorkUnitRow;
const unit = (over: Partial<WorkUnitRow> = {}): WorkUnitRow => ({
  ...empty,
  workUnitTypeId: workUnitType.incident,
  stateId: 'New',
  isSpamCall: false,
  isApproverRequired: true,
  ...over,
});
const change = (over: Partial<WorkUnitRow> = {}) => unit({ workUnitTypeId: workUnitType.changeRequest, ...over });
const faults = (before: WorkUnitRow | null, after: WorkUnitRow, changed: readonly string[] = [], byRule = false) =>
  workUnitFaults(before, after, changed, byRule).map(({ target, message }) => `${target}: ${message}`);

describe('the state of a work unit', () => {
  it('begins as New, that of a spam call as Resolved', () => {
    const allowed = workUnitStates.filter((stateId) => faults(null, unit({ stateId })).length === 0);
    expect(allowed).toEqual(['New']);
    expect(faults(null, unit({ stateId: 'Closed' }))).toEqual(['stateId: A new work unit can only be New.']);
    const spam = { isSpamCall: true, stakeHolderPhoneNumber: '1' };
    expect(faults(null, unit({ ...spam, stateId: 'Resolved' }))).toEqual([]);
    expect(faults(null, unit({ ...spam, stateId: 'Closed' }))).toEqual(['stateId: A new work unit can only be New.']);
  });

  it('goes from New to Acknowledged or Canceled, by a rule also to Resolved', () => {
    const allowed = (byRule: boolean) =>
      workUnitStates.filter((stateId) => faults(unit(), unit({ stateId }), ['stateId'], byRule).length === 0);
    expect(allowed(false)).toEqual(['New', 'Acknowledged', 'Canceled']);
    expect(allowed(true)).toEqual(['New', 'Acknowledged', 'Resolved', 'Canceled']);
    const refusal = 'stateId: A New work unit can only become Acknowledged or Canceled, not OnHold.';
    expect(faults(unit(), unit({ stateId: 'OnHold' }), ['stateId'])).toEqual([refusal]);
  });

  it('goes from any other state to any', () => {
    for (const from of workUnitStates.filter((stateId) => stateId !== 'New'))
      for (const to of workUnitStates)
        expect([from, to, faults(unit({ stateId: from }), unit({ stateId: to }), ['stateId'])]).toEqual([from, to, []]);
  });

  it('has ended as Resolved, Closed or Canceled', () => {
    expect(workUnitStates.filter(isEnded)).toEqual(['Resolved', 'Closed', 'Canceled']);
  });

  it('tells whether a change request has started', () => {
    const started = workUnitStates.filter((stateId) => hasStarted(change({ stateId })));
    expect(started).toEqual(['InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed']);
    expect(hasStarted(unit({ stateId: 'InProgress' }))).toBe(false);
  });
});

describe('the fields of a work unit', () => {
  it('have a planned finish at or after the planned start', () => {
    const planned = (start: string | null, finish: string | null) =>
      faults(unit(), unit({ plannedStartTime: start, plannedFinishTime: finish }));
    const noon = '2026-11-26T12:00:00.000Z';
    expect(planned(noon, noon)).toEqual([]);
    expect(planned(noon, '2026-11-26T11:59:59.999Z')).toEqual([
      'plannedFinishTime: Planned Finish Time must be equal to or greater than Planned Start Time.',
    ]);
    expect(planned(noon, null)).toEqual([]);
    expect(planned(null, noon)).toEqual([]);
  });

  it('have the source Spam in a spam call only', () => {
    const spam = unit({ source: 'Spam' });
    expect(faults(unit(), spam, ['source'])).toEqual(['source: Only a spam call sets Spam.']);
    expect(faults(unit(), spam)).toEqual([]);
    expect(faults(unit(), { ...spam, isSpamCall: true }, ['source'])).toEqual([]);
  });

  it('have the number of the caller in a new spam call', () => {
    const call = (stakeHolderPhoneNumber: string | null) =>
      unit({ ...spamCall(unit({ isSpamCall: true })), isSpamCall: true, stakeHolderPhoneNumber });
    const missing = ['stakeHolderPhoneNumber: Stakeholder phone number is required.'];
    expect(faults(null, call(null))).toEqual(missing);
    expect(faults(null, call(' '))).toEqual(missing);
    expect(faults(null, call('1'))).toEqual([]);
    expect(faults(call(null), call(null))).toEqual([]);
    expect(spamCall(unit())).toEqual({});
    expect(spamCall(unit({ isSpamCall: true }))).toEqual({ stateId: 'Resolved', source: 'Spam', title: 'Spam Call', severityId: 'Sev4' });
  });

  it('have a whole plan in a change request', () => {
    const targets = (after: WorkUnitRow) => workUnitFaults(after, after, []).map(({ target }) => target);
    const plan = [
      'implementationPlan',
      'rollbackPlan',
      'affectedResources',
      'environment',
      'expectedCFSAlerts',
      'plannedStartTime',
      'plannedFinishTime',
      'approver1',
      'resolution',
    ];
    expect(targets(change({ isApproverRequired: false }))).toEqual(plan);
    expect(targets(change())).toEqual([...plan, 'approver2']);
    expect(targets(unit())).toEqual([]);
    const noon = '2026-11-26T12:00:00.000Z';
    const filled = {
      ...Object.fromEntries([...plan, 'approver2'].map((name) => [name, 'x'])),
      plannedStartTime: noon,
      plannedFinishTime: noon,
    };
    expect(targets(change(filled))).toEqual([]);
    expect(faults(null, change({ ...filled, environment: ' ' }))).toEqual(['environment: Environment is required for a Change Request.']);
  });
});

describe('the approval of a change request', () => {
  it('needs the second approver only if that is required, and nobody after an override', () => {
    const by = (approved1By: string | null, approved2By: string | null, isApproverRequired: boolean) =>
      isApproved(change({ approved1By, approved2By, isApproverRequired }));
    expect([by('a', 'b', true), by('a', null, true), by('a', null, false), by(null, 'b', true), by(null, 'b', false)]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(isApproved(change({ approvalOverriddenBy: 'c' }))).toBe(true);
  });

  it('is touched by an edit of the plan of an open change that somebody has approved', () => {
    const edits = (was: WorkUnitRow | null, is = change(), changed = 'rollbackPlan') => editsApproved(was, is, [changed]);
    for (const approval of [{ approved1By: 'a' }, { approved2By: 'b' }]) {
      const approved = change(approval);
      expect(edits(approved)).toBe(true);
      expect(edits(approved, unit())).toBe(false);
      expect(edits(approved, change({ stateId: 'Mitigated' }))).toBe(true);
      expect(edits(approved, change({ stateId: 'Resolved' }))).toBe(false);
      for (const name of judgedFields) expect([name, edits(approved, change(), name)]).toEqual([name, true]);
      for (const name of ['resolution', 'stateId', 'assignedTo']) expect([name, edits(approved, change(), name)]).toEqual([name, false]);
    }
    expect(edits(change())).toBe(false);
    expect(edits(null)).toBe(false);
    expect(judgedFields).toEqual(expect.arrayContaining(planFields.filter((name) => name !== 'resolution')));
  });

  it('of a previous approver is cleared when another person is named', () => {
    const was = change({ approver1: 'Mara@example.com', approver2: 'Noor' });
    const changed = (over: Partial<WorkUnitRow>) => approvers(was, { ...was, ...over }, Object.keys(over));
    const cleared1 = { approved1By: null, declined1By: null, decision1Notes: null };
    const cleared2 = { approved2By: null, declined2By: null, decision2Notes: null };
    // Addresses are compared without case, other names with it.
    expect(changed({ approver1: ' MARA@example.com ' })).toEqual({ approver1: 'mara@example.com' });
    expect(changed({ approver1: 'other@example.com' })).toEqual({ approver1: 'other@example.com', ...cleared1 });
    expect(changed({ approver2: 'noor' })).toEqual({ approver2: 'noor', ...cleared2 });
    expect(changed({ approver2: ' ' })).toEqual({ approver2: null, ...cleared2 });
    expect(changed({ approver2: 'Noor' })).toEqual({ approver2: 'Noor' });
    expect(changed({ title: 'Other' })).toEqual({});
    expect(approvers(null, change({ approver1: 'A@b' }), ['approver1'])).toEqual({ approver1: 'a@b' });
    expect(withoutApprovals).toEqual({ ...cleared1, ...cleared2 });
  });
});
