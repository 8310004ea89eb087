import { describe, expect, it } from 'vitest';
import { explanationTexts } from '../messages/explanations.en.ts';
import { explainConditions as explainIn, whatFailed as failedIn, type ExplainedCondition } from './explain-trace.ts';
import type { NameOf } from './describe.ts';
import { builtWords, type ExplanationWords } from './rule-words.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './evaluate/trace.ts';

const words: ExplanationWords = { ...builtWords, why: explanationTexts, message: (text) => text };
const explainConditions = (trace: Trace, conditions: readonly Condition[], nameOf?: NameOf) => explainIn(trace, conditions, words, nameOf);
const whatFailed = (trace: Trace, explained: readonly ExplainedCondition[]) => failedIn(trace, explained, words);
const cpu: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const satisfiedTrace: ConditionTrace = {
  index: 0,
  group: 0,
  value: 95,
  observed: true,
  held: true,
  satisfied: true,
  before: null,
  after: null,
};

const traceOf = (...conditions: ConditionTrace[]): Trace => ({
  at: 0,
  inScope: true,
  inTimeWindow: null,
  groups: [conditions.every((condition) => condition.satisfied)],
  conditions,
  outcome: 'miss',
});

const saw = (trace: Partial<ConditionTrace>) => explainConditions(traceOf({ ...satisfiedTrace, ...trace }), [cpu])[0]?.saw;

describe('a condition in words', () => {
  it.each<[Partial<ConditionTrace>, string]>([
    [{}, 'saw 95, which holds'],
    [{ held: false, satisfied: false }, 'saw 95, which does not hold'],
    [{ satisfied: false }, 'saw 95, which holds, but not often enough yet'],
    [{ held: false }, 'saw 95, which does not hold, but has often enough'],
    [{ value: null }, 'saw nothing, which holds'],
    [{ value: '' }, 'saw nothing, which holds'],
    [{ value: 0 }, 'saw 0, which holds'],
    [{ observed: false, value: null }, 'was not reported'],
    [{ observed: false }, 'saw 95, which was not asked for'],
    [{ right: 90 }, 'saw 95 against 90, which holds'],
    [{ observed: false, value: null, right: null }, 'has nothing to compare with'],
  ])('%j', (trace, words) => {
    expect(saw(trace)).toBe(words);
  });

  it('says of a rate that it needs two readings', () => {
    const trace = traceOf({ ...satisfiedTrace, observed: false, value: null });
    expect(explainConditions(trace, [{ ...cpu, LeftOperand: 66 }])[0]?.saw).toBe('did not have two readings to compare');
  });

  it('shows 80 characters of a long value', () => {
    expect(saw({ value: 'x'.repeat(80) })).toBe(`saw ${'x'.repeat(80)}, which holds`);
    expect(saw({ value: 'x'.repeat(81) })).toBe(`saw ${'x'.repeat(79)}…, which holds`);
  });

  it('says what is asked, and leaves out conditions that are no longer there', () => {
    const explained = explainConditions(traceOf(satisfiedTrace, { ...satisfiedTrace, index: 1 }), [cpu]);
    expect(explained).toEqual([{ ...satisfiedTrace, text: 'Metric Cpu > 90', saw: 'saw 95, which holds', progress: null }]);
  });
});

describe('how far a pattern has come', () => {
  it.each<[Condition['OccurrencePattern'], ConditionTrace['after'], string | null]>([
    [undefined, null, null],
    [{ Kind: 'TimesInRow', Times: 3 }, 2, '2 of 3 in a row'],
    [{ Kind: 'TimesInRow', Times: 3 }, null, '0 of 3 in a row'],
    [{ Kind: 'TimesWithin', Times: 4, Seconds: 60 }, [1, 2], '2 of 4'],
    [{ Kind: 'TimesWithin', Times: 4, Seconds: 60 }, null, '0 of 4'],
    [{ Kind: 'EveryTimeDuring', Seconds: 60 }, 0, 'since 1970-01-01T00:00:00.000Z'],
    [{ Kind: 'EveryTimeDuring', Seconds: 60 }, null, null],
    [{ Kind: 'Changed' }, '5', null],
  ])('%j after %j', (pattern, after, progress) => {
    const [one] = explainConditions(traceOf({ ...satisfiedTrace, after }), [{ ...cpu, OccurrencePattern: pattern }]);
    expect(one?.progress).toBe(progress);
  });

  it('names the row that a condition saw', () => {
    const id = '7de8991c-4e5f-5a3b-adaa-47c4b7f9a210';
    const ofTenant: Condition = { Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: id };
    const nameOf = (resource: string) => (resource === 'tenants' ? 'Alder Water' : undefined);
    const [one] = explainConditions(traceOf({ ...satisfiedTrace, value: id }), [ofTenant], nameOf);
    expect(one).toMatchObject({ value: 'Alder Water', saw: 'saw Alder Water, which holds' });
  });
});

describe('what kept a rule from matching', () => {
  it('are the conditions that are not satisfied', () => {
    const trace = traceOf(satisfiedTrace, { ...satisfiedTrace, index: 1, held: false, satisfied: false, value: 5 });
    expect(whatFailed(trace, explainConditions(trace, [cpu, cpu]))).toEqual(['Condition 2 (Metric Cpu > 90) saw 5, which does not hold.']);
  });

  it('is nothing while a group holds', () => {
    const trace = { ...traceOf(satisfiedTrace, { ...satisfiedTrace, index: 1, satisfied: false }), groups: [false, true] };
    expect(whatFailed(trace, explainConditions(trace, [cpu, cpu]))).toEqual([]);
  });
});
