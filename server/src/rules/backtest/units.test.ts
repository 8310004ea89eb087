/** What matches come to as work units and calls, by a course that the test supplies. */
import { describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { web } from '../testing/hits.ts';
import { loadOf, type ActingMatch, type UnitCourse } from './units.ts';

const call = (ActionDefinitionId: string): ActionCall => ({ ActionDefinitionId, Parameters: {} });
const opens = { matchActions: [call(builtInAction.createWorkUnit), call(builtInAction.email)], expirationActions: [] };
const hour = 3_600_000;
const start = Date.UTC(2026, 2, 4);

/** A match of an hour of the day, of ten minutes. */
const at = (hours: number, id = 'web', endActs = true): ActingMatch => ({
  entity: { ...web, id },
  firstMatch: start + hours * hour,
  ended: start + hours * hour + 600_000,
  endActs,
});

const course = (more: Partial<UnitCourse> = {}): UnitCourse => ({
  recurrence: 'Append',
  reopenMs: 3 * hour,
  resolvedAfterMs: 4 * hour,
  keyOf: (entity) => entity.id,
  stepsOf: undefined,
  ...more,
});

describe('the load of a rule', () => {
  it('adds matches to the open unit of their subject, without a further call', () => {
    const load = loadOf([at(5), at(0), at(1), at(3.9), at(2, 'db')], opens, course());
    expect(load).toMatchObject({ workUnits: 3, added: 2, reopened: 0, calls: 3, steps: 0 });
  });

  it('is a unit and a call for each match where the rule says so, or where it opens none', () => {
    expect(loadOf([at(0), at(1)], opens, course({ recurrence: 'New' }))).toMatchObject({ workUnits: 2, added: 0, calls: 2 });
    const mails = { matchActions: [call(builtInAction.email), call(builtInAction.setColor)], expirationActions: [] };
    expect(loadOf([at(0), at(1)], mails, course())).toMatchObject({ workUnits: 0, added: 0, calls: 2 });
  });

  it('opens again what was resolved not long ago', () => {
    expect(loadOf([at(0), at(5), at(13)], opens, course({ recurrence: 'Reopen' }))).toMatchObject({ workUnits: 2, reopened: 1, calls: 3 });
  });

  it('shares a unit among the subjects of a group', () => {
    const load = loadOf([at(0), at(0.1, 'db'), at(0.2, 'app')], opens, course({ keyOf: () => 'rack 7' }));
    expect(load).toMatchObject({ workUnits: 1, added: 2, calls: 1 });
  });

  it('ends a unit with its match where the rule resolves it', () => {
    const resolves = { ...opens, expirationActions: [call(builtInAction.resolveWorkUnit)] };
    expect(loadOf([at(0), at(0.1), at(0.2), at(1)], resolves, course())).toMatchObject({ workUnits: 2, added: 2, calls: 2 });
  });

  it('calls again after the end was told, and does not tell ends that are held', () => {
    const tells = { ...opens, expirationActions: [call(builtInAction.backToNormal)] };
    expect(loadOf([at(0), at(1, 'web', false)], tells, course())).toMatchObject({ workUnits: 1, added: 1, calls: 3 });
  });

  it('counts the steps of the protocol by day, of each unit until it is resolved', () => {
    const stepsOf = (opened: number, resolved: number) => [opened, resolved];
    const load = loadOf([at(1), at(22)], opens, course({ stepsOf }));
    expect(load).toMatchObject({ calls: 6, steps: 4, simulated: 2 });
    expect(load.days).toEqual([
      { day: '2026-03-04', workUnits: 2, calls: 5 },
      { day: '2026-03-05', workUnits: 0, calls: 1 },
    ]);
  });
});
