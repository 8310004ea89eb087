import { describe, expect, it } from 'vitest';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { RequestFailed } from '../../api/client.ts';
import { chunksOf, reasonsOf, undoOf } from '../../entities/work-units/unit-edits.ts';
import {
  editsOf,
  failureOf,
  lineProblems,
  massFields,
  valuesOf,
  type PreviewLine,
  type MassField,
  type MassEditUnit,
} from './mass-edit.rules.ts';

const line = (id: number, name: MassField, value: unknown): PreviewLine => ({ id, name, value });
const unit = (more: Partial<MassEditUnit>) =>
  ({ workUnitId: 7, publicWorkUnitId: 1007, title: 'Pump 4', stateId: 'New', ...more }) as MassEditUnit;

describe('the fields', () => {
  it('[MASS-012] are those that may be edited for many', () => {
    expect([...massFields].toSorted()).toEqual(
      [
        'title',
        'stateId',
        'severityId',
        'description',
        'referenceUrl',
        'implementationPlan',
        'rollbackPlan',
        'affectedResources',
        'securityConsiderations',
        'userImpact',
        'costImpact',
        'environment',
        'expectedCFSAlerts',
        'stakeHolderFullName',
        'stakeHolderPhoneNumber',
        'stakeHolderEmailAddress',
        'effort',
        'resolution',
      ].toSorted(),
    );
  });

  it('[MASS-002] a field twice is refused at the second line', () => {
    const problems = lineProblems([line(1, 'title', 'Pump 4'), line(2, 'effort', 3), line(3, 'title', 'Pump 5')]);
    expect([...problems]).toEqual([[3, t.duplicate]]);
  });

  it.each([
    ['[MASS-004]', 'title', 'Title'],
    ['[MASS-005]', 'implementationPlan', 'Implementation Plan'],
    ['[MASS-006]', 'rollbackPlan', 'Rollback Plan'],
    ['[MASS-007]', 'affectedResources', 'Affected Resources'],
    ['[MASS-008]', 'environment', 'Environment'],
    ['[MASS-009]', 'expectedCFSAlerts', 'Expected CFS Alerts'],
    ['[MASS-010]', 'resolution', 'Resolution'],
  ] as const)('%s %s is required once it is edited', (_id, name, label) => {
    for (const empty of [null, '', '  ']) expect([...lineProblems([line(1, name, empty)])]).toEqual([[1, `${label} is required.`]]);
    expect(lineProblems([line(1, name, 'Something')]).size).toBe(0);
  });

  it('asks for a field, and checks a value as the form does', () => {
    const problems = lineProblems([
      { id: 1, name: '', value: null },
      line(2, 'title', 'ab'),
      line(3, 'referenceUrl', 'ftp://example.com'),
      line(4, 'referenceUrl', 'https://example.com'),
    ]);
    expect(problems.get(1)).toBe(t.fieldRequired);
    expect(problems.get(2)).toBe('Please enter the title');
    expect(problems.get(3)).toBe('Reference URL must start with http:// or https://.');
  });

  it('[MASS-011] an empty value of the others clears them', () => {
    const lines = [line(1, 'description', ''), line(2, 'effort', null)];
    expect(lineProblems(lines).size).toBe(0);
    expect(valuesOf(lines)).toEqual({ description: null, effort: null });
  });

  it('[MASS-013][MASS-014] an empty state is New, an empty severity Sev0', () => {
    expect(valuesOf([line(1, 'stateId', ''), line(2, 'severityId', null)])).toEqual({ stateId: 'New', severityId: 'Sev0' });
  });
});

describe('what is sent', () => {
  it('is what differs of each unit, with what it was; units that have the values already are left out', () => {
    const units = [unit({}), unit({ workUnitId: 8, publicWorkUnitId: 1008, stateId: 'Acknowledged' })];
    expect(editsOf(units, { stateId: 'Acknowledged', title: 'Pump 4' })).toEqual([
      { id: 7, number: 1007, previousState: { stateId: 'New' }, newState: { stateId: 'Acknowledged' } },
    ]);
  });

  it('has what a unit on hold waited for, so that an undo brings it back', () => {
    const onHold = unit({ stateId: 'OnHold', holdReason: 'Supplier' });
    expect(editsOf([onHold], { stateId: 'InProgress' })).toMatchObject([
      { previousState: { stateId: 'OnHold', holdReason: 'Supplier' }, newState: { stateId: 'InProgress', holdReason: null } },
    ]);
    expect(editsOf([onHold], { title: 'Pump 5' })).toMatchObject([{ newState: { title: 'Pump 5' } }]);
  });

  it('is taken back by a patch that tests for the value that was set', () => {
    const edit = { id: 7, number: 1007, previousState: { effort: null }, newState: { effort: 5 } };
    expect(undoOf(edit)).toEqual({
      id: 7,
      patch: [
        { op: 'test', path: '/effort', value: 5 },
        { op: 'replace', path: '/effort', value: null },
      ],
    });
  });

  it('goes in parts of a hundred, and of what one body may hold', () => {
    expect(chunksOf(Array.from({ length: 250 }, (_, id) => ({ id }))).map((part) => part.length)).toEqual([100, 100, 50]);
    expect(chunksOf(Array.from({ length: 4 }, () => 'x'.repeat(100_000))).map((part) => part.length)).toEqual([2, 2]);
  });
});

describe('a refusal', () => {
  const field = (target: string, message: string) => ({ code: 'ValidationFailed' as const, target, message });

  it('[ERR-056] a conflict says that somebody else modified a unit', () => {
    const message = "The current value 'x' at path 'title' is not equal to the test value 'y'.";
    const error = new RequestFailed(409, message, 'TestFailed', [{ code: 'TestFailed', target: '7/title', message }]);
    expect(failureOf(error)).toMatch(/^One of the Work Units was modified by another user/);
    expect([...reasonsOf(error)]).toEqual([[7, 'Title was changed by somebody else.']]);
  });

  it('[ERR-057] with messages of fields shows them and what to do', () => {
    const error = new RequestFailed(400, 'x', 'ValidationFailed', [field('7/stateId', 'Not now.'), field('8/stateId', 'Not now.')]);
    expect(failureOf(error)).toBe('Not now. Please refresh the Work Units and try again.');
    expect([...reasonsOf(error)]).toEqual([
      [7, 'Not now.'],
      [8, 'Not now.'],
    ]);
  });

  it('[ERR-058] any other 4xx', () => {
    expect(failureOf(new RequestFailed(400, 'x'))).toMatch(/^Invalid user input was sent to the API/);
  });

  it('[ERR-059] a 5xx', () => {
    expect(failureOf(new RequestFailed(503, 'x'))).toMatch(/^A server error prevented saving these Work Units/);
  });

  it('[ERR-060] anything else', () => {
    expect(failureOf(new RequestFailed(0, 'x'))).toMatch(/^An unknown error has occurred/);
    expect(failureOf(new TypeError('x'))).toMatch(/^An unknown error has occurred/);
  });
});
