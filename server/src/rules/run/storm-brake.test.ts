/** The brake counts new matches of the last minute by rule and by tenant. */
import { expect, it } from 'vitest';
import { tenantStormLimit } from '@cloudfit/contract/resources/rules.ts';
import { StormBrake } from './storm-brake.ts';

const rule = { ruleId: 'r', tenantId: 't', limit: 3 };

it('lets as many pass within a minute as the rule allows, and goes on while there are more', () => {
  const brake = new StormBrake();
  const at = (seconds: number) => brake.isOver(rule, seconds * 1_000);
  expect([0, 1, 2, 3, 4].map(at)).toEqual([false, false, false, true, true]);
  // Matches above the limit count too.
  expect([30, 45, 59, 61].map(at)).toEqual([true, true, true, true]);
  expect([200, 200, 200, 200].map(at)).toEqual([false, false, false, true]);
});

it('gives each rule of a tenant with too many one group, and leaves other tenants alone', () => {
  const brake = new StormBrake();
  const isOver = (ruleId: string, tenantId = 't') => brake.isOver({ ruleId, tenantId, limit: 20 }, 0);
  for (let n = 0; n < tenantStormLimit; n += 1) expect(isOver(`r${n}`)).toBe(false);
  expect([isOver('new'), isOver('new'), isOver('r0')]).toEqual([false, true, true]);
  expect([1, 2].map(() => brake.isOver({ ruleId: 'forwards', tenantId: 't', limit: 10_000 }, 0))).toEqual([false, false]);
  expect([isOver('other', 'u'), isOver('other', 'u')]).toEqual([false, false]);
});

it('counts by slots of ten seconds, six of them', () => {
  const one = { ruleId: 'r', tenantId: 't', limit: 1 };
  const isOver = (...seconds: number[]) => {
    const brake = new StormBrake();
    return seconds.map((at) => brake.isOver(one, at * 1_000)).at(-1);
  };
  expect([isOver(0, 59), isOver(0, 60), isOver(9, 59), isOver(9, 60), isOver(10, 69), isOver(10, 70)]).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
  // After a clock has gone back, matches count in the newest minute.
  expect([isOver(100, 95), isOver(100, 40, 101), isOver(0, 1_000)]).toEqual([true, true, false]);
  // Minutes without matches count as empty.
  expect([isOver(0, 30, 65), isOver(0, 30, 95)]).toEqual([true, false]);
});

it('counts a tenant with rules of the same limit as its own, and rules above it alone', () => {
  const many = (limit: number) => {
    const brake = new StormBrake();
    for (let n = 0; n < tenantStormLimit; n += 1) brake.isOver({ ruleId: `r${n}`, tenantId: 't', limit }, 0);
    brake.isOver({ ruleId: 'x', tenantId: 't', limit }, 0);
    return brake.isOver({ ruleId: 'x', tenantId: 't', limit }, 0);
  };
  expect([many(tenantStormLimit), many(tenantStormLimit + 1)]).toEqual([true, false]);
  const brake = new StormBrake();
  for (let n = 0; n < tenantStormLimit - 2; n += 1) brake.isOver({ ruleId: `r${n}`, tenantId: 't', limit: 20 }, 0);
  expect([1, 2, 3].map(() => brake.isOver({ ruleId: 'x', tenantId: 't', limit: 20 }, 0))).toEqual([false, false, true]);
});

it('forgets what is over a minute old first, and all where there is too much', () => {
  const key = (n: number) => ({ ruleId: `r${n}`, tenantId: 't', limit: 1 });
  const filled = (at: number) => {
    const brake = new StormBrake();
    for (let n = 0; n < 19_998; n += 1) brake.isOver(key(n), at);
    return brake;
  };
  const old = filled(0);
  old.isOver(key(1), 60_000);
  old.isOver(key(50_000), 60_000);
  expect([old.isOver(key(50_001), 60_000), old.isOver(key(1), 60_000), old.isOver(key(50_000), 60_000)]).toEqual([false, true, true]);
  const recent = filled(0);
  recent.isOver(key(50_000), 1_000);
  expect(recent.isOver(key(1), 1_000)).toBe(true);
  recent.isOver(key(50_001), 1_000);
  expect(recent.isOver(key(1), 1_000)).toBe(false);
});
