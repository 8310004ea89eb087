/** The work units and calls that matches cause, by assumptions that the test supplies. */
import { describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { web } from '../testing/hits.ts';
import { loadOf, type ActingMatch, type GroupCourse, type UnitCourse } from './units.ts';

const call = (ActionDefinitionId: string): ActionCall => ({ ActionDefinitionId, Parameters: {} });
const opens = { matchActions: [call(builtInAction.createWorkUnit), call(builtInAction.email)], expirationActions: [] };
const hour = 3_600_000;
const start = Date.UTC(2026, 2, 4);

/** Returns a match that begins at this hour of the day and lasts ten minutes. */
const at = (hours: number, id = 'web', endActs = true): ActingMatch => ({
  entity: { ...web, id },
  firstMatch: start + hours * hour,
  ended: start + hours * hour + 600_000,
  endActs,
});

/** The settings of groups for a rule that does not group. */
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
    expect(load).toMatchObject({ workUnits: 3, added: 2, reopened: 0, calls: 3, steps: 0, simulated: 0 });
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
    // Summaries follow after ten and twenty minutes; the end of the group causes no call of this rule.
    expect(load).toMatchObject({ workUnits: 1, added: 2, calls: 3, summaries: 2 });
  });

  const rack = { ...single, keyOf: () => 'rack 7' };
  const tells = { ...opens, expirationActions: [call(builtInAction.email)] };
  /** Returns a match that lasts from one minute to another. */
  const during = (from: number, to: number, id = 'web'): ActingMatch => ({
    ...at(0, id),
    firstMatch: start + from * 60_000,
    ended: start + to * 60_000,
  });

  it('calls once for a group, sums up once per interval, and tells the end of all once', () => {
    const matches = [during(0, 25), during(1, 55, 'a'), during(2, 50, 'b'), during(24, 52, 'c')];
    // Minutes of the calls: 0 for the first match, 10 and 24 for summaries of matches that joined, 34 and 50 of matches that
    // ended, and 55 for the end of the group.
    expect(loadOf(matches, tells, course({ groups: rack }))).toMatchObject({ workUnits: 1, added: 3, summaries: 4, calls: 6 });
    // A summary repeats only mails and calls of endpoints, not changes of colours and units.
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
    // The end was reported, so the second group calls again, in the same unit.
    const again = [during(0, 5), during(6, 9, 'a')];
    expect(loadOf(again, tells, course({ groups: rack }))).toMatchObject({ workUnits: 1, added: 1, summaries: 0, calls: 4 });
    const resolved = [during(0, 60), during(1, 60, 'a')];
    expect(loadOf(resolved, tells, course({ groups: rack, resolvedAfterMs: 5 * 60_000 }))).toMatchObject({ summaries: 0, calls: 2 });
  });

  it('has no end that lies after the period', () => {
    const until = start + 30 * 60_000;
    const matches = [during(0, 60), during(1, 60, 'a')].map((item) => ({ ...item, endActs: false }));
    expect(loadOf(matches, tells, course({ groups: { ...rack, until } }))).toMatchObject({ workUnits: 1, summaries: 1, calls: 2 });
  });

  it('brakes a storm: above the limit of a minute further matches are one unit and call once', () => {
    const storm = Array.from({ length: 12 }, (_, n) => during(n / 60, 5, `web-${n}`));
    const braked = loadOf(storm, tells, course({ groups: { ...single, stormLimit: 5 } }));
    expect(braked).toMatchObject({ workUnits: 6, added: 6, braked: 7, summaries: 0, calls: 6 + 6 });
    // The same number of matches over an hour is no storm.
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

  it('adds to a unit until it is resolved, and opens it again until its time for that is over', () => {
    const loads = [239, 240].map((from) => loadOf([during(0, 10), during(from, 250)], opens, course()));
    expect(loads).toMatchObject([
      { workUnits: 1, added: 1 },
      { workUnits: 2, added: 0 },
    ]);
    const again = [420, 421].map((from) => loadOf([during(0, 10), during(from, 430)], opens, course({ recurrence: 'Reopen' })));
    expect(again).toMatchObject([
      { workUnits: 1, reopened: 1, calls: 2 },
      { workUnits: 2, reopened: 0, calls: 2 },
    ]);
  });

  it('calls again once the last of the matches of a unit has ended', () => {
    const callsOf = (...matches: ActingMatch[]) => loadOf(matches, tells, course()).calls - matches.length;
    expect([callsOf(during(0, 10), during(9, 20)), callsOf(during(0, 10), during(10, 20))]).toEqual([1, 2]);
    expect([callsOf(during(0, 60), during(10, 20), during(30, 40)), callsOf(during(0, 20), during(10, 60), during(30, 40))]).toEqual([
      1, 1,
    ]);
  });

  it('lasts as long as the longest of its matches where the rule resolves it', () => {
    const resolves = { ...opens, expirationActions: [call(builtInAction.resolveWorkUnit)] };
    const livesOf = (matches: ActingMatch[], actions = resolves, groups = single) => {
      const lives: number[][] = [];
      const stepsOf = (...life: number[]) => {
        lives.push(life.map((time) => (time - start) / 60_000));
        return [];
      };
      return { ...loadOf(matches, actions, course({ stepsOf, groups })), lives };
    };
    expect(livesOf([during(0, 60), during(10, 20), during(30, 40)])).toMatchObject({ workUnits: 1, lives: [[0, 60]] });
    expect(livesOf([during(0, 20), during(10, 60), during(30, 40)])).toMatchObject({ workUnits: 1, lives: [[0, 60]] });
    expect(livesOf([during(0, 20), during(10, 60, 'a')], resolves, rack)).toMatchObject({ workUnits: 1, lives: [[0, 60]] });
    expect(livesOf([during(0, 60), during(10, 20, 'a')], resolves, rack)).toMatchObject({ workUnits: 1, lives: [[0, 60]] });
    expect(livesOf([during(0, 20), during(10, 300)], opens as typeof resolves)).toMatchObject({ lives: [[0, 240]] });
    expect(livesOf([during(0, 20), during(10, 300, 'a')], opens as typeof resolves, rack)).toMatchObject({ lives: [[0, 240]] });
  });

  it('takes a match into a group until its window is over or its unit is resolved', () => {
    const groupsOf = (matches: ActingMatch[], more: Partial<UnitCourse> = {}) => {
      const { workUnits, added } = loadOf(matches, opens, course({ groups: rack, recurrence: 'New', ...more }));
      return [workUnits, added];
    };
    expect([30, 31].map((from) => groupsOf([during(0, 120), during(from, 120, 'a')]))).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(groupsOf([during(0, 120), during(20, 120, 'a'), during(45, 120, 'b')])).toEqual([1, 2]);
    // At the same moment one match begins and another ends.
    const [first, next] = [during(0, 10), during(10, 20, 'a')];
    expect([groupsOf([first, next]), groupsOf([next, first])]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const resolvedAfterMs = 5 * 60_000;
    expect([4, 5].map((from) => groupsOf([during(0, 120), during(from, 120, 'a')], { resolvedAfterMs }))).toEqual([
      [1, 1],
      [2, 0],
    ]);
    const mails = { matchActions: [call(builtInAction.email)], expirationActions: [] };
    expect(loadOf([during(0, 60), during(1, 60, 'a')], mails, course({ groups: rack }))).toMatchObject({
      workUnits: 0,
      added: 0,
      summaries: 2,
    });
  });

  it('remembers the last end among the matches of a group', () => {
    // With 39, people were told the end of the first group before the second begins; with 120, matches of the first group
    // continue.
    const withThird = (to: number) => loadOf([during(0, 20), during(1, to, 'a'), during(40, 50, 'b')], tells, course({ groups: rack }));
    const [before, after] = [withThird(39), withThird(120)];
    expect([before.added, after.added]).toEqual([2, 2]);
    expect([before.calls - before.summaries, after.calls - after.summaries]).toEqual([4, 3]);
  });

  it('sums up when it is due, unless the unit is resolved by then', () => {
    const matches = [during(0, 60), during(1, 60, 'a'), during(10, 60, 'b')];
    // One summary is due after ten minutes, when the third match joins; one after twenty minutes; and one when the first match
    // ends.
    expect(loadOf(matches, opens, course({ groups: rack }))).toMatchObject({ summaries: 3 });
    const summaries = [0, 1].map(
      (more) => loadOf([during(0, 60), during(1, 60, 'a')], opens, course({ groups: rack, resolvedAfterMs: 600_000 + more })).summaries,
    );
    expect(summaries).toEqual([0, 1]);
    const day = 24 * 60;
    const daysOf = (first: number, second: number) =>
      loadOf(
        [during(first, day + 60), during(second, day + 120, 'a')],
        opens,
        course({ groups: { ...rack, windowMs: hour, until: start + (day + 30) * 60_000 } }),
      ).days.map(({ calls }) => calls);
    // The summary is sent ten minutes after the first match, or at once if ten minutes have passed.
    expect([daysOf(day - 5, day - 4), daysOf(day - 40, day - 1)]).toEqual([[1, 1], [2]]);
  });

  it('tells the end of a group as its first match says, before the end of the period', () => {
    const callsOf = (first: boolean, until: number) => {
      const matches = [
        { ...during(0, 30), endActs: first },
        { ...during(0, 30, 'a'), endActs: !first },
      ];
      const { calls, summaries } = loadOf(matches, tells, course({ groups: { ...rack, summaryMs: hour, until } }));
      return calls - summaries;
    };
    const end = start + 30 * 60_000;
    expect([callsOf(true, end + 1), callsOf(false, end + 1), callsOf(true, end)]).toEqual([2, 1, 1]);
  });

  it('counts no changes of units and colours as calls, and sums up mails and endpoints only', () => {
    const loadWith = (...ids: string[]) =>
      loadOf(
        [during(0, 60), during(1, 60, 'a')],
        { matchActions: ids.map(call), expirationActions: [] },
        course({ groups: { ...rack, until: start + 30 * 60_000 } }),
      );
    const { createWorkUnit, resolveWorkUnit, changeWorkUnit, setColor, notify, backToNormal, email } = builtInAction;
    expect(loadWith(createWorkUnit, resolveWorkUnit, changeWorkUnit, setColor).calls).toBe(0);
    expect(loadWith(setColor).days).toEqual([]);
    expect(loadWith(notify, backToNormal)).toMatchObject({ calls: 2, summaries: 0 });
    expect(loadWith(email, crypto.randomUUID())).toMatchObject({ calls: 4, summaries: 1 });
  });

  it('simulates the protocol of two thousand units, by day', () => {
    const many = Array.from({ length: 2_001 }, (_, n) => during(n, n + 1));
    const load = loadOf(many, opens, course({ recurrence: 'New', stepsOf: () => [start - 1] }));
    expect(load).toMatchObject({ workUnits: 2_001, simulated: 2_000, steps: 2_000 });
    expect(load.days.map(({ day }) => day)).toEqual(['2026-03-03', '2026-03-04', '2026-03-05']);
  });
});
