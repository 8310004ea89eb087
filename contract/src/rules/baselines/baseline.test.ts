import { describe, expect, it } from 'vitest';
import { explanationTexts } from '../../messages/explanations.en.ts';
import { builtWords, type ExplanationWords } from '../rule-words.ts';
import { compileRule } from '../compile.ts';
import { describeCondition } from '../describe.ts';
import { evaluate } from '../evaluate/evaluate.ts';
import { explainConditions } from '../explain-trace.ts';
import { type RuleEvent, type UsualValue } from '../facts.ts';
import { condition, type Baseline, type Condition } from '../schema.ts';
import { validateRule } from '../validate.ts';
import { satisfiedInWords } from '../satisfied-in-words.ts';
import { deviationsFrom, hoursBefore, usualOf } from './baseline.ts';

const words: ExplanationWords = { ...builtWords, why: explanationTexts, message: (text) => text };
const above: Condition = { Type: 'And', LeftOperand: 87, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '3' };
const at = Date.UTC(2026, 10, 23, 8, 17);

/**
 * Evaluates a rule with this condition for a packet with this value of Cpu; returns the outcome, the words for it and the
 * trace.
 */
function seeing(condition: Condition, Cpu: number, usual: RuleEvent['usual']) {
  const rule = compileRule({ ruleId: 'r', name: 'r', ruleTypeId: 1, tenantId: 't', conditions: [condition] });
  const event: RuleEvent = {
    entity: { id: 'e', kind: 'device', tenantId: 't' },
    packet: { timestamp: at, message: { Metrics: { Cpu } } },
    usual,
  };
  const { outcome, trace } = evaluate(rule, event, undefined, { trace: true });
  const [explained] = trace ? explainConditions(trace, [condition], words) : [];
  return { outcome, saw: explained?.saw, trace };
}

const usually = (usual: Partial<UsualValue>) => () => ({ weeks: 4, readings: 240, mean: 40, deviation: 5, ...usual });

describe('the hours of a baseline', () => {
  it('are the same hour of the week, or of each day, before the hour of the packet', () => {
    const iso = (baseline: Baseline) => hoursBefore(at, baseline).map((hour) => new Date(hour).toISOString().slice(5, 13));
    expect(iso({ Weeks: 3, Hour: 'OfWeek' })).toEqual(['11-16T08', '11-09T08', '11-02T08']);
    expect(iso({ Weeks: 1, Hour: 'OfDay' })).toEqual(['11-22T08', '11-21T08', '11-20T08', '11-19T08', '11-18T08', '11-17T08', '11-16T08']);
  });

  it('count as one history, of which the weeks are counted', () => {
    const readings = (values: number[]) => {
      const sum = values.reduce((a, b) => a + b, 0);
      return { count: values.length, sum, squares: values.reduce((a, b) => a + (b - sum / values.length) ** 2, 0) };
    };
    const [last, third] = hoursBefore(at, { Weeks: 4, Hour: 'OfWeek' }).filter((_, i) => i === 0 || i === 2);
    const byHour = new Map([
      [last, readings([1, 2, 3])],
      [third, readings([7, 7])],
    ]);
    expect(usualOf(at, { Weeks: 4, Hour: 'OfWeek' }, (hour) => byHour.get(hour))).toEqual({
      weeks: 2,
      readings: 5,
      mean: 4,
      deviation: expect.closeTo(Math.sqrt((9 + 4 + 1 + 9 + 9) / 5), 12) as number,
    });
  });
});

describe('a condition on a baseline', () => {
  it('counts deviations above, below or away', () => {
    expect(deviationsFrom(55, usually({})(), 'above')).toBe(3);
    expect(deviationsFrom(55, usually({})(), 'below')).toBe(-3);
    expect([30, 50].map((value) => deviationsFrom(value, usually({})(), 'away'))).toEqual([2, 2]);
    // For a metric that never changed, a thousandth of the mean is one deviation, and at most 1,000 deviations are counted.
    expect(deviationsFrom(40.04, usually({ deviation: 0 })(), 'above')).toBeCloseTo(1);
    expect(deviationsFrom(1, usually({ deviation: 0, mean: 0 })(), 'above')).toBe(1_000);
  });

  it('holds with the values that it saw, and says them', () => {
    expect(seeing(above, 55, usually({}))).toMatchObject({
      outcome: 'miss',
      saw: 'saw 55, 3 deviations above the usual 40 ± 5, which does not hold',
    });
    const { outcome, saw, trace } = seeing(above, 56, usually({}));
    expect([outcome, saw]).toEqual(['hit', 'saw 56, 3.2 deviations above the usual 40 ± 5, which holds']);
    expect(trace?.conditions[0]?.usual).toEqual({ value: 56, mean: 40, deviation: 5, readings: 240, weeks: 4 });
    expect(satisfiedInWords([above], trace, {}, words)).toEqual({
      condition: 'Metric Cpu > 3 standard deviations above the same hour of the last 4 weeks',
      values: 'Cpu 56 (3.2 deviations above the usual 40 ± 5)',
    });
  });

  it('does not hold with too little history, and says what is missing', () => {
    const saw = (usual: Partial<UsualValue>, item = above) => {
      const result = seeing(item, 90, usually(usual));
      expect(result.outcome).toBe('miss');
      return result.saw;
    };
    const yet = 'saw 90, which cannot be compared yet: ';
    expect(saw({ weeks: 1, readings: 60 })).toBe(`${yet}3 weeks of values of this hour are needed, there is 1`);
    expect(saw({ weeks: 2, readings: 60 })).toBe(`${yet}3 weeks of values of this hour are needed, there are 2`);
    expect(saw({ weeks: 3, readings: 4 })).toBe(`${yet}5 values of this hour are needed, there are 4`);
    const lastWeek = { ...above, Baseline: { Weeks: 1, Hour: 'OfWeek' as const } };
    expect(saw({ weeks: 0, readings: 0 }, lastWeek)).toBe(`${yet}1 week of values of this hour is needed, there is none`);
    expect(seeing(lastWeek, 90, usually({ weeks: 1, readings: 5 })).outcome).toBe('hit');
    expect(seeing(above, 90, undefined).outcome).toBe('miss');
  });

  it('is described in words', () => {
    expect(describeCondition({ ...above, LeftOperand: 89, RightOperand: '1', Baseline: { Weeks: 1, Hour: 'OfDay' } }, words)).toBe(
      'Metric Cpu > 1 standard deviation away from the same hour of each day of the last week',
    );
  });

  it('is refused without a number of deviations, with more than eight weeks, or with a reading to compare with', () => {
    const problems = (part: Partial<Condition>) =>
      validateRule({ name: 'r', ruleTypeId: 1, matchLifetime: '00:05:00', conditions: [{ ...above, ...part }] }).map(
        ({ message }) => message,
      );
    expect(problems({})).toEqual([]);
    expect(problems({ RightOperand: '0' })).toEqual(['Please enter how many standard deviations, more than 0.']);
    expect(problems({ RightReading: { Operand: 62, FieldName: 'Total' } })).toEqual([
      'Metric Above Baseline can only be compared with a fixed value.',
    ]);
    expect(condition.safeParse({ ...above, Baseline: { Weeks: 9, Hour: 'OfWeek' } }).success).toBe(false);
    expect(condition.safeParse({ ...above, Baseline: { Weeks: 8, Hour: 'OfDay' } }).success).toBe(true);
  });
});
