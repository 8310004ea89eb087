/** Bodies with rows of relations, and the messages for invalid values. */
import { expect, it } from 'vitest';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { parseInput } from './input.ts';

function reasons(resource: Resource, body: object, before: Record<string, unknown> | null = null): Record<string, string> {
  try {
    parseInput(resource, body, before);
    return {};
  } catch (error) {
    const { details } = error as { details: { target: string; message: string }[] };
    return Object.fromEntries(details.map(({ target, message }) => [target, message]));
  }
}

it('refuses rows of a relation in a new row, and ignores them in one that was read', () => {
  const matches = { ruleMatches: [{ ruleMatchId: 'x' }] };
  expect(reasons(devices, matches)['ruleMatches']).toBe(
    'Rows of ruleMatches are not created with this one; create them after it at /v1/ruleMatches.',
  );
  expect(reasons(devices, { ruleMatches: [], tenant: { name: 'x' } })).not.toHaveProperty('ruleMatches');
  expect(reasons(devices, matches, { deviceId: 'd1' })).toEqual({});
});

it('says in plain words where inside a value something is wrong, and keeps messages that say what to do', () => {
  const wrong = reasons(rules, { conditions: [{ Type: 'And', LeftOperand: 'x', Operator: 1 }], timeConditions: 'x', name: 5 });
  expect(wrong['conditions']).toBe('Conditions: 0.LeftOperand must be a number.');
  expect(wrong['timeConditions']).toBe('Time limitations must be an object.');
  expect(wrong['name']).toBe('Name must be text.');
});

it('refuses names that a value of a row does not have, but not those that the row was read with', () => {
  const field = { Name: 'Room', Type: 1 };
  expect(reasons(tenants, { workUnitFieldDef1: { ...field, zzz: 5 } }, {})).toEqual({
    'workUnitFieldDef1.zzz': 'There is no zzz here; there are Name, Type, Options.',
  });
  const stored = { ...field, earlier: true };
  expect(reasons(tenants, { workUnitFieldDef1: { earlier: true, ...field } }, { workUnitFieldDef1: stored })).toEqual({});
  expect(Object.keys(reasons(tenants, { workUnitFieldDef1: { ...field, zzz: 5 } }, { workUnitFieldDef1: field }))).toEqual([
    'workUnitFieldDef1.zzz',
  ]);
  const condition = { Type: 'And', LeftOperand: 1, Operator: 1, RightOperand: '1', Operand: 'x' };
  expect(reasons(rules, { conditions: [condition] }, {})).toHaveProperty(['conditions.0.Operand']);
});
