/** The brake counts new matches of the last minute by rule and by tenant. */
import { expect, it } from 'vitest';
import { tenantStormLimit } from '@cloudfit/contract/resources/rules.ts';
import { StormBrake } from './storm-brake.ts';

const rule = { ruleId: 'r', tenantId: 't', limit: 3 };

it('lets as many pass within a minute as the rule allows, and goes on while there are more', () => {
  const brake = new StormBrake();
  const at = (seconds: number) => brake.isOver(rule, seconds * 1_000);
  expect([0, 1, 2, 3, 4].map(at)).toEqual([false, false, false, true, true]);
  // Those that were braked count too.
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
