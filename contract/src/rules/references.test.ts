import { describe, expect, it } from 'vitest';
import { circleOf, namedRules, readsStates, type NamingRule } from './references.ts';
import type { Condition } from './schema.ts';

const about = (LeftOperand: number, RightOperand: string | null): Condition => ({ Type: 'And', LeftOperand, Operator: 1, RightOperand });
/** `looksAt` returns a condition of a rule about packets, `correlates` a condition of a Correlation rule. */
const looksAt = (ruleId: string) => about(83, ruleId);
const correlates = (ruleId: string) => about(80, ruleId);
const rule = (ruleId: string, conditions: Condition[], recoveryConditions?: Condition[]): NamingRule => ({
  ruleId,
  name: ruleId.toUpperCase(),
  conditions,
  recoveryConditions,
});

describe('the rules that a rule names', () => {
  it('are those of its conditions and recovery conditions, each once', () => {
    const device = about(30, 'd1');
    const all = rule('a', [looksAt('B'), correlates('c'), device, about(83, null)], [looksAt('b'), looksAt('e')]);
    expect([...namedRules(all)]).toEqual(['b', 'c', 'e']);
    expect([...namedRules(rule('a', [device]))]).toEqual([]);
    expect([...namedRules({ conditions: [looksAt('b')], recoveryConditions: null })]).toEqual(['b']);
  });

  it('are looked at by rules about packets', () => {
    expect([
      readsStates(rule('a', [looksAt('b')])),
      readsStates(rule('a', [], [looksAt('b')])),
      readsStates(rule('a', [correlates('b'), about(30, 'd1')])),
    ]).toEqual([true, true, false]);
  });
});

describe('a circle of rules', () => {
  it('is named by the shortest way back to the rule', () => {
    const [a, b, c, e] = [
      rule('a', [looksAt('b'), looksAt('e')]),
      rule('b', [looksAt('c')]),
      rule('c', [looksAt('a')]),
      rule('e', [looksAt('a')]),
    ];
    expect(circleOf(a, [b, c, e])).toEqual(['A', 'E', 'A']);
    expect(circleOf(a, [b, c])).toEqual(['A', 'B', 'C', 'A']);
    expect(circleOf(a, [b])).toBeUndefined();
    expect(circleOf(rule('a', [looksAt('a')]), [])).toEqual(['A', 'A']);
    // The stored version of the rule itself does not count.
    expect(circleOf(rule('a', []), [a, b, c, e])).toBeUndefined();
  });

  it('needs a rule about packets', () => {
    const between = (second: Condition) => circleOf(rule('a', [correlates('b')]), [rule('b', [second])]);
    expect([between(correlates('a')), between(looksAt('a'))]).toEqual([undefined, ['A', 'B', 'A']]);
  });

  it('is found on a longer way where the shorter one has no rule about packets', () => {
    const others = [rule('b', [correlates('e')]), rule('c', [looksAt('e')]), rule('e', [correlates('a')])];
    expect(circleOf(rule('a', [correlates('b'), correlates('c')]), others)).toEqual(['A', 'C', 'E', 'A']);
  });

  it('elsewhere comes to an end', () => {
    expect(circleOf(rule('a', [looksAt('b')]), [rule('b', [looksAt('c')]), rule('c', [looksAt('b')])])).toBeUndefined();
  });
});
