import { describe, expect, it } from 'vitest';
import { englishWords } from '../../platform/rule-words.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate, type RuleState } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { explainConditions } from '@cloudfit/contract/rules/explain-trace.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { watchedSince } from './watched-since.ts';

const [monday, tuesday] = ['2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z'];
const few = (Operator: number, RightOperand: string): Condition => ({
  Type: 'And',
  LeftOperand: 71,
  Operator,
  RightOperand,
  WindowSeconds: 30,
});
const ofDevice = (id: string): Condition => ({ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: id });
const tagged: Condition = { Type: 'And', LeftOperand: 32, Operator: 5, RightOperand: 'prod' };
const over90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };

const stored = {
  ruleId: 'r',
  name: 'r',
  ruleTypeId: 3,
  tenantId: 't1',
  enabled: true,
  modified: monday,
  conditions: [ofDevice('e1'), few(4, '3')],
  description: null as string | null,
};
type Stored = typeof stored & { recoveryConditions?: Condition[]; subscriptionId?: string };
const changed = (more: Partial<Stored>, before: Partial<Stored> = {}) =>
  Object.values(watchedSince({ ...stored, ...before }, { ...stored, ...before, ...more }, tuesday) ?? {});

describe('a condition that needs a whole window', () => {
  it('counts since the rule was created', () => {
    expect(Object.values(watchedSince(null, stored, monday) ?? {})).toEqual([monday]);
    expect(watchedSince(null, { ...stored, conditions: [over90, few(3, '3')] }, monday)).toBeNull();
  });

  it('keeps its time when anything else changes', () => {
    expect(changed({ description: 'Which devices report too rarely' })).toEqual([monday]);
    expect(changed({ name: 'Rarely' })).toEqual([monday]);
    expect(changed({ conditions: [ofDevice('e1'), few(4, '3'), { ...over90, Type: 'Or' }] })).toEqual([monday]);
    expect(changed({ recoveryConditions: [over90] })).toEqual([monday]);
    // A rule of before has no times of its own: it counts since its latest change.
    const again = watchedSince({ ...stored, watchedSince: watchedSince(null, stored, monday), modified: tuesday }, stored, tuesday);
    expect(Object.values(again ?? {})).toEqual([monday]);
  });

  it('counts again when it changes, or what selects its packets', () => {
    expect(changed({ conditions: [ofDevice('e1'), few(4, '2')] })).toEqual([tuesday]);
    expect(changed({ conditions: [ofDevice('e2'), few(4, '3')] })).toEqual([tuesday]);
    expect(changed({ conditions: [ofDevice('e1'), tagged, few(4, '3')] })).toEqual([tuesday]);
    expect(changed({ subscriptionId: 's1' })).toEqual([tuesday]);
    expect(changed({ tenantId: 't2' })).toEqual([tuesday]);
    expect(changed({ enabled: true }, { enabled: false })).toEqual([tuesday]);
  });

  it('is told apart from others, also among recovery conditions', () => {
    expect(changed({ conditions: [ofDevice('e1'), few(4, '3'), few(4, '9')] })).toEqual([monday, tuesday]);
    expect(changed({ recoveryConditions: [few(7, '5')] })).toEqual([monday, tuesday]);
  });

  it('keeps what it counted after a change of something else, and says what it waits for after one of its own', () => {
    const entity = { id: 'e1', kind: 'device' as const, tenantId: 't1', device: { id: 'e1' } };
    const at = (seconds: number): RuleEvent => ({ entity, packet: { timestamp: Date.parse(tuesday) + seconds * 1_000, message: {} } });
    const rule = (since: string) => {
      const modified = Date.parse(tuesday) + 24_000;
      return compileRule({ ...stored, since: modified, watchedSince: watchedSince(null, stored, since) });
    };
    let state: RuleState | undefined;
    for (const seconds of [-30, 0, 12, 24]) ({ state } = evaluate(rule(monday), at(seconds), state));
    expect(evaluate(rule(monday), at(45), state).outcome).toBe('hit');
    const began = new Date(Date.parse(tuesday) + 24_000).toISOString();
    const { outcome, trace } = evaluate(rule(began), at(45), state, { trace: true });
    expect(outcome).toBe('miss');
    const [, explained] = trace ? explainConditions(trace, stored.conditions, englishWords) : [];
    expect(explained?.saw).toBe(`has no value before it has counted for 30 s; it counts since ${began}`);
    expect(evaluate(rule(began), at(54), state).outcome).toBe('hit');
  });
});
