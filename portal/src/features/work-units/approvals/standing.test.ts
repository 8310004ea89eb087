import { expect, it } from 'vitest';
import { change } from '../panel/panel.fixtures.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { awaitedOf, freezeAmong, slotsOf, standingOf, waitsForStart } from './standing.ts';

const now = Date.parse('2026-12-05T19:00:00Z');
const unit = (more: object = {}) => ({ ...change, ...more }) as unknown as PanelWorkUnit;
const approved = { approved1By: 'mara@northwind.example', approved2By: 'second@northwind.example' };
const free = { isMine: false, isFrozen: false, now };

it.each([
  ['rejected', { declined2By: 'second@northwind.example', stateId: 'Canceled' }, { isMine: true, isFrozen: true }],
  ['over', { stateId: 'Resolved' }, {}],
  ['underWay', { stateId: 'InProgress' }, {}],
  ['past', { plannedFinishTime: '2026-12-05T19:00:00Z' }, { isMine: true }],
  ['others', { plannedFinishTime: '2026-12-05T19:00:00.001Z' }, {}],
  ['overridden', { approvalOverriddenBy: 'root@northwind.example' }, { isFrozen: true }],
  ['frozen', approved, { isFrozen: true, isMine: true }],
  ['mine', {}, { isMine: true }],
  ['others', { approved1By: 'mara@northwind.example' }, {}],
  ['approved', { approved1By: 'mara@northwind.example', isApproverRequired: false }, {}],
  ['approved', approved, {}],
])('a change stands as %s with %o', (standing, more, around) => {
  expect(standingOf(unit(more), { ...free, ...around })).toBe(standing);
});

it('has no optional approver whom nobody has named', () => {
  const slots = (more: object) => slotsOf(unit(more)).map(({ slot }) => slot);
  const unnamed = { approver2: null, approved2By: null, declined2By: null };
  expect(slots({ ...unnamed, isApproverRequired: false })).toEqual([1]);
  expect(slots({ ...unnamed, isApproverRequired: true })).toEqual([1, 2]);
  expect(slots({ ...unnamed, isApproverRequired: false, declined2By: 'second@northwind.example' })).toEqual([1, 2]);
});

it('waits for those who have to decide and have not', () => {
  expect(awaitedOf(unit())).toEqual(['mara@northwind.example', 'second@northwind.example']);
  expect(awaitedOf(unit({ approved1By: 'mara@northwind.example' }))).toEqual(['second@northwind.example']);
  expect(awaitedOf(unit({ isApproverRequired: false }))).toEqual(['mara@northwind.example']);
});

it('a freeze of now holds only a change that has its approvals and has not started', () => {
  expect(waitsForStart(unit())).toBe(false);
  expect(waitsForStart(unit(approved))).toBe(true);
  expect(waitsForStart(unit({ ...approved, stateId: 'InProgress' }))).toBe(false);
  expect(waitsForStart(unit({ approvalOverriddenBy: 'root@northwind.example' }))).toBe(false);
});

it('a freeze that is over holds nothing', () => {
  const freeze = {
    kind: 'freeze' as const,
    id: 'f',
    name: 'End',
    from: null,
    workUnitId: null,
    publicWorkUnitId: null,
    devices: 0,
    first: [],
  };
  const over = { ...freeze, until: '2026-12-05T19:00:00Z' };
  const last = { ...freeze, until: '2026-12-05T19:00:01Z' };
  expect(freezeAmong([{ ...freeze, kind: 'window', until: last.until }, over], now)).toBeUndefined();
  expect(freezeAmong([over, last], now)).toBe(last);
});
