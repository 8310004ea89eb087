import { describe, expect, it } from 'vitest';
import { RequestFailed } from '../../api/client.ts';
import { checkPlan, nextStates, patchOf, saveFailureText } from './work-unit.rules.ts';

describe('states', () => {
  it('[WU-098] offers only New to an unsaved work unit', () => {
    expect(nextStates(undefined)).toEqual(['New']);
  });
  it('[WU-099] offers New, Acknowledged and Canceled to a saved work unit in New', () => {
    expect(nextStates('New')).toEqual(['New', 'Acknowledged', 'Canceled']);
  });
  it('[WU-097][WU-100] offers all eight states from any other', () => {
    const all = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed', 'Canceled'];
    for (const state of all.slice(1)) expect(nextStates(state as 'Closed')).toEqual(all);
  });
});

describe('patches', () => {
  it('sends only what changed, each with a test of what it was', () => {
    expect(patchOf({ title: 'a', effort: null, category: 'x' }, { title: 'b', effort: 5, category: 'x' }, ['title', 'effort'])).toEqual([
      { op: 'test', path: '/title', value: 'a' },
      { op: 'replace', path: '/title', value: 'b' },
      { op: 'test', path: '/effort', value: null },
      { op: 'replace', path: '/effort', value: 5 },
    ]);
  });
});

describe('what a refused save says', () => {
  it('[ERR-050][ERR-051] a conflict, known by its words', () => {
    const error = new RequestFailed(409, "The current value 'Closed' at path 'stateId' is not equal to the test value 'New'.");
    expect(saveFailureText(error)).toBe(
      'This Work Unit was modified by another user. Please discard your changes without saving and refresh it.',
    );
  });
  it('[ERR-052] the messages of the refused fields', () => {
    const error = new RequestFailed(400, 'Please enter the title', 'ValidationFailed', [
      { message: 'Please enter the title', target: 'title' },
    ]);
    expect(saveFailureText(error)).toBe('Please enter the title Please refresh the Work Unit and try again.');
  });
  it('[ERR-053] any other 4xx', () => {
    expect(saveFailureText(new RequestFailed(415, 'x'))).toBe(
      'Invalid user input was sent to the API. Please verify your input and try again.',
    );
  });
  it('[ERR-054] a 5xx', () => {
    expect(saveFailureText(new RequestFailed(503, 'x'))).toBe(
      'A server error prevented saving this Work Unit. These errors are often temporary. Please retry saving in just a moment.',
    );
  });
  it('[ERR-055] anything else', () => {
    expect(saveFailureText(new RequestFailed(0, 'x'))).toBe('An unknown error has occurred. Please retry saving in just a moment.');
    expect(saveFailureText(new TypeError('x'))).toBe('An unknown error has occurred. Please retry saving in just a moment.');
  });
});

it('refuses a planned finish before the planned start', () => {
  const plan = { plannedStartTime: '2026-11-25T20:00:00Z', plannedFinishTime: '2026-11-25T19:59:00Z' };
  expect(checkPlan(plan)).toEqual({ plannedFinishTime: 'Planned Finish Time must be equal to or greater than Planned Start Time.' });
  expect(checkPlan({ ...plan, plannedFinishTime: plan.plannedStartTime })).toEqual({});
});
