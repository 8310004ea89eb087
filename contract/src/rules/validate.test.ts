import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleTypes } from '../enums.ts';
import { compileRule } from './compile.ts';
import { operandTable } from './operands.ts';
import { condition, timeConditions, type Condition } from './schema.ts';
import type { RuleDraft } from './problems.ts';
import { starterRule } from './starter.ts';
import { randomRule } from './testing/random-rules.ts';
import { validateRule } from './validate.ts';

const valid: RuleDraft = starterRule;
const cpu = starterRule.conditions[0] as Condition;
const always = { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'America/New_York' };
const device: Condition = { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: 'd1' };

function messages(draft: RuleDraft): string[] {
  return validateRule(draft).map((problem) => problem.message);
}

function conditionProblems(changes: { [K in keyof Condition]?: Condition[K] | undefined }) {
  return validateRule({ ...valid, conditions: [{ ...cpu, ...changes }] });
}

describe('validation of rules', () => {
  it('accepts the starter rule', () => {
    expect(validateRule(valid)).toEqual([]);
  });

  it('[RULE-024] [RULE-025] requires a name', () => {
    expect(messages({ ...valid, name: ' ' })).toEqual(['Please enter a rule name']);
  });

  it('[RULE-026] [RULE-027] requires a type', () => {
    expect(messages({ ...valid, ruleTypeId: null })).toEqual(['Please select a Rule Type']);
    expect(messages({ ...valid, ruleTypeId: 7 })).toEqual(['Please select a Rule Type']);
  });

  it('[RULE-028] [RULE-029] requires a lifetime', () => {
    expect(messages({ ...valid, matchLifetime: '' })).toEqual(['Lifetime is required']);
  });

  it('[RULE-030] requires a lifetime of at least 5 minutes', () => {
    expect(messages({ ...valid, matchLifetime: '00:04:59' })).toEqual(['Must be at least 5 minutes.']);
    expect(messages({ ...valid, matchLifetime: '00:05:00' })).toEqual([]);
    expect(messages({ ...valid, matchLifetime: '00:05:01' })).toEqual([]);
    expect(messages({ ...valid, matchLifetime: '100:00:00' })).toEqual([]);
  });

  it('[RULE-031] [RULE-032] requires conditions', () => {
    expect(validateRule({ ...valid, conditions: [] })).toEqual([{ target: 'conditions', message: 'Condtions are required for rules.' }]);
    expect(messages({ ...valid, conditions: null })).toEqual(['Condtions are required for rules.']);
  });

  it('says what is wrong with a right side that is read, and with a forecast', () => {
    const problems = (RightReading: Condition['RightReading'], changes: Partial<Condition> = {}) =>
      conditionProblems({ RightOperand: null, RightReading, ...changes });
    const target = 'conditions[0].RightReading';
    expect(problems({ Operand: 62, FieldName: 'Total', Factor: 0.9 })).toEqual([]);
    expect(problems({ Operand: 64, FieldName: 'x' })).toEqual([{ target, message: 'Please select what to compare with.' }]);
    expect(problems({ Operand: 36, FieldName: ' ' })).toEqual([{ target, message: 'Device Value needs a field name.' }]);
    expect(problems({ Operand: 60, Factor: Number.NaN })).toEqual([]);
    expect(problems({ Operand: 60, Factor: 'x' as unknown as number })).toEqual([{ target, message: 'The factor must be a number.' }]);
    expect(problems({ Operand: 60 }, { LeftOperand: 31, Operator: 1 })).toEqual([
      { target, message: 'Device Name can only be compared with a fixed value.' },
    ]);
    expect(problems({ Operand: 60 }, { LeftOperand: 63, Operator: 5 })).toEqual([
      { target, message: 'Contains compares with a fixed value only.' },
    ]);
    const forecast = { ...valid, ruleTypeId: 3, conditions: [{ ...cpu, LeftOperand: 68, OccurrencePattern: null }] };
    expect(validateRule(forecast)).toEqual([{ target: 'conditions[0].AheadSeconds', message: 'Please enter how far to look ahead.' }]);
  });

  const maintenance = { ...valid, ruleTypeId: 5, conditions: [device] };

  it('[RULE-033] [RULE-034] requires time limitations of Maintenance rules', () => {
    expect(messages(maintenance)).toEqual(['Time limitations are required for Maintenance rules.']);
    expect(messages({ ...maintenance, timeConditions: always })).toEqual([]);
  });

  it('[RULE-035] [RULE-036] requires a day of Maintenance rules', () => {
    expect(messages({ ...maintenance, timeConditions: { ...always, DaysOfWeek: [] } })).toEqual([
      'At least one day should be selected when using a Maintenance rule.',
    ]);
    expect(messages({ ...valid, timeConditions: { ...always, DaysOfWeek: [] } })).toEqual([]);
  });

  const inTimeZone = (TimeZoneId: string) => messages({ ...valid, timeConditions: { ...always, TimeZoneId } });

  it('[RULE-037] requires a known timezone for time limitations', () => {
    expect(inTimeZone('Europe/Oslo')).toEqual([]);
    expect(inTimeZone('')).toHaveLength(1);
    expect(inTimeZone('Mars/Olympus')).toEqual(['The timezone "Mars/Olympus" is not known.']);
  });

  it('[RULE-038] says that the timezone is missing', () => {
    expect(inTimeZone('')).toContain('A timezone is required.');
  });

  it('requires time limitations to end after their start', () => {
    const range = (StartRange: string | null, EndRange: string | null) =>
      messages({ ...valid, timeConditions: { ...always, StartRange, EndRange } });
    expect(range('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual(['The end must be after the start.']);
    expect(range('2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z')).toEqual(['The end must be after the start.']);
    expect(range('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z')).toEqual([]);
    expect([range('2026-01-01T00:00:00Z', null), range(null, '2026-01-01T00:00:00Z')]).toEqual([[], []]);
  });

  it('names the field of the condition that is wrong', () => {
    expect(conditionProblems({ LeftOperand: 999 })).toEqual([
      { target: 'conditions[0].LeftOperand', message: 'Please select what to compare.' },
    ]);
    expect(conditionProblems({ LeftOperandFieldName: '' })).toEqual([
      { target: 'conditions[0].LeftOperandFieldName', message: 'Metric needs a field name.' },
    ]);
    expect(conditionProblems({ Operator: 15 })).toEqual([{ target: 'conditions[0].Operator', message: 'Please select an operator.' }]);
    expect(conditionProblems({ Operator: 15, RightOperand: '' })).toHaveLength(1);
    expect(conditionProblems({ Operator: 5 })).toEqual([
      { target: 'conditions[0].Operator', message: 'Contains does not make sense for Metric.' },
    ]);
    expect(conditionProblems({ RightOperand: '' })).toEqual([{ target: 'conditions[0].RightOperand', message: 'Please enter a value.' }]);
    expect(conditionProblems({ RightOperand: 'many' })).toEqual([
      { target: 'conditions[0].RightOperand', message: 'Please enter a number.' },
    ]);
    expect(conditionProblems({ LeftOperand: 63, Operator: 8, RightOperand: '(?=a)' })).toEqual([
      { target: 'conditions[0].RightOperand', message: 'Look-ahead and look-behind are not supported in patterns.' },
    ]);
    expect(conditionProblems({ OccurrencePattern: { Kind: 'TimesInRow', Times: 1 } })).toEqual([
      { target: 'conditions[0].OccurrencePattern', message: 'Please complete the occurrence pattern.' },
    ]);
    expect(conditionProblems({ Operator: 13, RightOperand: null })).toEqual([]);
  });

  it('refuses an operand that the type of the rule does not offer', () => {
    expect(conditionProblems({ LeftOperand: 82 })[0]).toEqual({
      target: 'conditions[0].LeftOperand',
      message: 'Distinct Entities is not offered by rules of type Ingestion.',
    });
    for (const operand of operandTable) {
      for (const type of ruleTypes) {
        const timeConditions = type.value === 5 ? always : null;
        const draft = {
          ...valid,
          ruleTypeId: type.value,
          timeConditions,
          conditions: [
            {
              Type: 'And' as const,
              LeftOperand: operand.id,
              LeftOperandFieldName: 'x',
              Operator: operand.operators.includes(1) ? 1 : 3,
              RightOperand: '1',
              AheadSeconds: 60,
            },
          ],
        };
        expect(validateRule(draft).length === 0).toBe(operand.ruleTypes.includes(type.value));
      }
    }
  });

  it('agrees with the compiler: what it accepts compiles, what it refuses does not', () => {
    const anyCondition = fc.record({
      Type: fc.constantFrom('And' as const, 'Or' as const),
      LeftOperand: fc.constantFrom(10, 20, 33, 60, 62, 64, 70, 72, 100, 999),
      LeftOperandFieldName: fc.constantFrom('Cpu', '', null),
      Operator: fc.integer({ min: 1, max: 14 }),
      RightOperand: fc.constantFrom('5', 'x', '', null, 'a('),
    });
    fc.assert(
      fc.property(fc.array(anyCondition, { maxLength: 3 }), (conditions) => {
        const problems = validateRule({ ...valid, conditions });
        const compile = () => compileRule({ ruleId: 'r', name: 'r', ruleTypeId: 1, tenantId: 't1', conditions });
        if (problems.length === 0) expect(compile).not.toThrow();
        else expect(compile).toThrow(/^Condition|^Condtions/);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(randomRule, (rule) => {
        expect(validateRule({ ...valid, ...rule })).toEqual([]);
      }),
    );
  });

  it('[RULE-013] a condition is its type, operands, operator and occurrence pattern', () => {
    expect(Object.keys(condition.shape)).toEqual([
      'Type',
      'LeftOperand',
      'LeftOperandFieldName',
      'Operator',
      'RightOperand',
      'RightReading',
      'OccurrencePattern',
      // Not from the specification: see decision 0004.
      'WindowSeconds',
      'AheadSeconds',
      'Baseline',
    ]);
    expect(condition.parse(cpu)).toEqual(cpu);
  });

  it('[RULE-017] time conditions are ranges, days, daily times and a zone', () => {
    expect(Object.keys(timeConditions.shape)).toEqual([
      'StartRange',
      'EndRange',
      'DaysOfWeek',
      'DaysOfMonth',
      // Not from the specification: see decision 0004.
      'LastDayOfMonth',
      'DailyStartTime',
      'DailyEndTime',
      'TimeZoneId',
    ]);
  });
});
