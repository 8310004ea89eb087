import { describe, expect, it } from 'vitest';
import { describeRule as describeIn, type NameOf } from './describe.ts';
import { conditionInputOptions, leftOperandLookup, occurrenceLookup, operatorLookup, ruleTypeLookup, timeZoneLookup } from './lookups.ts';
import { operandOf, operandTable } from './operands.ts';
import { occurrencePattern, type Condition } from './schema.ts';
import { builtWords } from './rule-words.ts';
import { starterRule } from './starter.ts';

const describeRule = (conditions: readonly Condition[], nameOf?: NameOf) => describeIn(conditions, builtWords, nameOf);
const tenant: Condition = { Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: 't1' };

describe('a rule in words', () => {
  it('names operand, field, operator, value and pattern', () => {
    expect(describeRule(starterRule.conditions)).toBe('Metric Cpu > 90, 3 times in a row and Entity Kind = Device');
    expect(describeRule([{ Type: 'And', LeftOperand: 34, Operator: 2, RightOperand: '4' }])).toBe('Operating System ≠ LinuxX64');
    expect(describeRule([{ Type: 'And', LeftOperand: 60, Operator: 13, OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 600 } }])).toBe(
      'Value is empty, not seen for 10 min',
    );
    expect(describeRule([{ Type: 'And', LeftOperand: 71, Operator: 4, RightOperand: '3' }])).toBe('Packet Count in 5 min < 3');
    expect(describeRule([{ Type: 'And', LeftOperand: 82, Operator: 3, RightOperand: '2', WindowSeconds: 90 }])).toBe(
      'Distinct Entities in 90 s > 2',
    );
  });

  it('names the right side that is read, with its factor, and how far a forecast looks', () => {
    const used: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Used', Operator: 3 };
    expect(describeRule([{ ...used, RightReading: { Operand: 62, FieldName: 'Total', Factor: 0.9 } }])).toBe(
      'Metric Used > 0.9 × Metric Total',
    );
    expect(describeRule([{ ...used, RightReading: { Operand: 36, FieldName: 'max', Factor: 1 } }])).toBe('Metric Used > Device Value max');
    expect(describeRule([{ ...used, RightReading: { Operand: 60 } }])).toBe('Metric Used > Value');
    const full: Condition = { ...used, LeftOperand: 68, Operator: 6, RightOperand: '100', WindowSeconds: 21_600, AheadSeconds: 14_400 };
    expect(describeRule([full])).toBe('Forecast of Metric Used in 4 h from the last 6 h ≥ 100');
    expect(describeRule([{ ...full, WindowSeconds: null }])).toBe('Forecast of Metric Used in 4 h from the last 4 h ≥ 100');
    expect(describeRule([{ ...used, LeftOperand: 66, RightOperand: '5' }])).toBe('Rate of Metric per Second Used > 5');
  });

  it('names what a lookup points to, and brackets And where Or is about', () => {
    const conditions: Condition[] = [...starterRule.conditions, tenant, { ...tenant, Type: 'Or', RightOperand: 't2' }];
    expect(describeRule(conditions, (resource, id) => (resource === 'tenants' && id === 't1' ? 'Acme' : undefined))).toBe(
      '(Metric Cpu > 90, 3 times in a row and Entity Kind = Device and Tenant = Acme) or Tenant = t2',
    );
  });

  it('fits into a label', () => {
    expect(describeRule(Array.from({ length: 50 }, () => tenant))).toHaveLength(500);
    const long = (length: number) => describeRule([{ ...tenant, RightOperand: 'x'.repeat(length) }]);
    const room = 500 - 'Tenant = '.length;
    expect(long(room)).toBe(`Tenant = ${'x'.repeat(room)}`);
    expect(long(room + 1)).toBe(`Tenant = ${'x'.repeat(room - 1)}…`);
  });

  it('brackets nothing where all is joined by one word', () => {
    expect(describeRule([tenant, tenant])).toBe('Tenant = t1 and Tenant = t1');
    expect(describeRule([tenant, { ...tenant, Type: 'Or' }])).toBe('Tenant = t1 or Tenant = t1');
  });

  it('says what it can of a condition that is not complete or not known', () => {
    expect(describeRule([{ ...tenant, LeftOperandFieldName: 'Cpu' }])).toBe('Tenant = t1');
    expect(describeRule([{ Type: 'And', LeftOperand: 62, Operator: 3, RightOperand: null }])).toBe('Metric > ');
    expect(describeRule([{ ...tenant, LeftOperand: 999, Operator: 15 }])).toBe('999 15 t1');
    expect(describeRule([{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 't1' }], () => 'Acme')).toBe('Device Name = t1');
  });
});

describe('lookups', () => {
  it('[RULE-018] rule types are the six of the spec', () => {
    expect(ruleTypeLookup.map((type) => `${type.id} ${type.name}`)).toEqual([
      '1 Ingestion',
      '2 Correlation',
      '3 History',
      '4 WorkUnit',
      '5 Maintenance',
      '6 Aggregation',
    ]);
  });

  it('only IsEmpty and IsNotEmpty take no value', () => {
    expect(operatorLookup.filter((operator) => operator.right === 'none').map((operator) => operator.id)).toEqual([13, 14]);
  });

  it('left operands have ids of their own, 20 is the tenant, and each type has some', () => {
    expect(new Set(operandTable.map((operand) => operand.id)).size).toBe(operandTable.length);
    expect(leftOperandLookup().find((operand) => operand.id === 20)?.name).toBe('Tenant');
    for (const type of ruleTypeLookup) expect(leftOperandLookup(type.id).length).toBeGreaterThan(1);
    for (const { id } of leftOperandLookup(1)) {
      const { read, measure, place, baseline, isIn } = operandOf(id) ?? {};
      expect(read ?? measure ?? place ?? baseline ?? isIn).toBeDefined();
    }
    expect(leftOperandLookup(4).map((operand) => operand.name)).toContain('Work Unit Severity');
  });

  it('gives the choices of select operands and the resource of lookup operands', () => {
    expect(conditionInputOptions(20)).toEqual({ resource: 'tenants' });
    expect(conditionInputOptions(33)).toMatchObject({ choices: [{ value: 0, label: 'Unknown' }, {}, {}, {}] });
    expect(conditionInputOptions(31)).toEqual({ choices: [] });
    expect(conditionInputOptions(999)).toBeUndefined();
  });

  it('occurrence options are those that a condition may hold', () => {
    expect(occurrenceLookup.map((row) => row.id)).toEqual(occurrencePattern.def.options.map((option) => option.shape.Kind.def.values[0]));
    for (const row of occurrenceLookup) {
      const numbers = Object.fromEntries(row.needs.map((name) => [name, 5]));
      expect(occurrencePattern.safeParse({ Kind: row.id, ...numbers }).success).toBe(true);
    }
  });

  it('time zones hold UTC and the zone that the form starts with', () => {
    const ids = timeZoneLookup().map((row) => row.id);
    expect(ids).toEqual(expect.arrayContaining(['UTC', 'America/New_York', 'Europe/Vienna']));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
