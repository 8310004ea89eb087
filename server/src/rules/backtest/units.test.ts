/** What matches come to as work units and calls, by a course that the test supplies. */
import { describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { web } from '../testing/hits.ts';
import { loadOf, type ActingMatch, type GroupCourse, type UnitCourse } from './units.ts';

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

/** A rule that does not group. */
const single: GroupCourse = { keyOf: undefined, stormLimit: 100, windowMs: hour / 2, summaryMs: hour / 6, until: start + 48 * hour };

const course = (more: Partial<UnitCourse> = {}): UnitCourse => ({
  recurrence: 'Append',
  reopenMs: 3 * hour,
  resolvedAfterMs: 4 * hour,
  groups: single,
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
    const load = loadOf([at(0), at(0.1, 'db'), at(0.2, 'app')], opens, course({ groups: { ...single, keyOf: () => 'rack 7' } }));
    // Summaries follow after ten and twenty minutes; the end of all is no call of this rule.
    expect(load).toMatchObject({ workUnits: 1, added: 2, calls: 3, summaries: 2 });
  });

  const rack = { ...single, keyOf: () => 'rack 7' };
  const tells = { ...opens, expirationActions: [call(builtInAction.email)] };
  /** From a minute to another. */
  const during = (from: number, to: number, id = 'web'): ActingMatch => ({
    ...at(0, id),
    firstMatch: start + from * 60_000,
    ended: start + to * 60_000,
  });

  it('calls once for a group, sums up once per interval, and tells the end of all once', () => {
    const matches = [during(0, 25), during(1, 55, 'a'), during(2, 50, 'b'), during(24, 52, 'c')];
    // Called at 0; summed up at 10 and 24 what joined, at 34 and 50 what ended; at 55 the end of all.
    expect(loadOf(matches, tells, course({ groups: rack }))).toMatchObject({ workUnits: 1, added: 3, summaries: 4, calls: 6 });
    // Colours and units are no summary.
    const quiet = { matchActions: [call(builtInAction.createWorkUnit)], expirationActions: [] };
    expect(loadOf(matches, quiet, course({ groups: rack }))).toMatchObject({ workUnits: 1, summaries: 0, calls: 0 });
  });

  it('begins another group after its window or its end, and says nothing more of a unit that is resolved', () => {
    const late = [during(0, 120), during(31, 120, 'a')];
    expect(loadOf(late, tells, course({ groups: rack, recurrence: 'New' }))).toMatchObject({
      workUnits: 2,
      added: 0,
      summaries: 0,
      calls: 4,
    });
    // The end was told, so that the second group calls again, in the same unit.
    const again = [during(0, 5), during(6, 9, 'a')];
    expect(loadOf(again, tells, course({ groups: rack }))).toMatchObject({ workUnits: 1, added: 1, summaries: 0, calls: 4 });
    const resolved = [during(0, 60), during(1, 60, 'a')];
    expect(loadOf(resolved, tells, course({ groups: rack, resolvedAfterMs: 5 * 60_000 }))).toMatchObject({ summaries: 0, calls: 2 });
  });

  it('has no end that lies after the period', () => {
    const until = start + 30 * 60_000;
    const matches = [during(0, 60), during(1, 60, 'a')].map((one) => ({ ...one, endActs: false }));
    expect(loadOf(matches, tells, course({ groups: { ...rack, until } }))).toMatchObject({ workUnits: 1, summaries: 1, calls: 2 });
  });

  it('brakes a storm: above the limit of a minute further matches are one unit and call once', () => {
    const storm = Array.from({ length: 12 }, (_, n) => during(n / 60, 5, `web-${n}`));
    const braked = loadOf(storm, tells, course({ groups: { ...single, stormLimit: 5 } }));
    expect(braked).toMatchObject({ workUnits: 6, added: 6, braked: 7, summaries: 0, calls: 6 + 6 });
    // As many over an hour are no storm.
    const slow = Array.from({ length: 12 }, (_, n) => during(n * 5, n * 5 + 4, `web-${n}`));
    expect(loadOf(slow, tells, course({ groups: { ...single, stormLimit: 5 } }))).toMatchObject({ workUnits: 12, braked: 0, calls: 24 });
  });

  it('ends a unit with its match where the rule resolves it', () => {
    const resolves = { ...opens, expirationActions: [call(builtInAction.resolveWorkUnit)] };
    expect(loadOf([at(0), at(0.1), at(0.2), at(1)], resolves, course())).toMatchObject({ workUnits: 2, added: 2, calls: 2 });
  });

  it('calls again after the end was told, and does not tell ends that are held', () => {
    const says = { ...opens, expirationActions: [call(builtInAction.backToNormal)] };
    expect(loadOf([at(0), at(1, 'web', false)], says, course())).toMatchObject({ workUnits: 1, added: 1, calls: 3 });
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
