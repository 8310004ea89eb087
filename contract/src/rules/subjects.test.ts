/** Rules about matches, about many entities and about work units give the same results as evaluation from scratch. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, type CompiledRule, type RuleDefinition } from './compile.ts';
import { evaluate, type RuleState } from './evaluate/evaluate.ts';
import type { RuleEvent, Totals } from './facts.ts';

import { hitsFromScratch, totalsFromScratch, type CountEvent } from './testing/from-scratch.ts';
import {
  countSubject,
  randomAggregationRule,
  randomCorrelationRule,
  randomLooks,
  randomMatchEvents,
  randomUnitEvents,
  randomWorkUnitRule,
} from './testing/random-subjects.ts';

/** Adds the facts that an event needs before its evaluation. */
type Give = (rule: CompiledRule, event: RuleEvent) => RuleEvent;

function holdAgainst(definition: RuleDefinition, events: readonly RuleEvent[], give: Give = (_rule, event) => event): void {
  const compiled = compileRule(definition);
  let state: RuleState | undefined;
  for (const [i, event] of events.entries()) {
    const result = evaluate(compiled, give(compiled, event), state, { trace: true });
    const { trace } = result;
    expect([i, result.outcome === 'hit']).toEqual([i, hitsFromScratch(definition, events.slice(0, i + 1))]);
    expect(result.changed).toBe(JSON.stringify(state) !== JSON.stringify(result.state));
    expect(result.outcome === 'hit').toBe(trace?.inScope && trace.inTimeWindow !== false && trace.groups.some(Boolean));
    state = result.state && (JSON.parse(JSON.stringify(result.state)) as RuleState);
  }
}

/** Adds the sums of each counting condition; no sums for a condition that counted nothing. */
const withTotals: Give = (rule, event) => {
  const totals: Record<string, Totals> = {};
  for (const group of rule.groups) {
    const around = { rule: rule.rule, group: [...group.members, ...group.plain, ...group.withMemory].map((member) => member.source) };
    for (const condition of [...group.plain, ...group.withMemory]) {
      if (!condition.operand.measure) continue;
      const sums = totalsFromScratch(condition.source, event as CountEvent, around);
      if (sums.count > 0) totals[`${rule.ruleId} ${condition.key}`] = sums;
    }
  }
  return { ...event, totals };
};

const runs = { numRuns: 2_000 };

describe('from event to event', () => {
  it('rules about matches equal evaluation from scratch, and their trace says the same', () => {
    fc.assert(
      fc.property(randomCorrelationRule, randomMatchEvents, (rule, events) => holdAgainst(rule, events)),
      runs,
    );
  });

  it('rules about many entities do', () => {
    fc.assert(
      fc.property(randomAggregationRule, randomLooks, (rule, looks) => {
        const entity = countSubject(rule);
        holdAgainst(
          rule,
          looks.map((look) => ({ ...look, entity })),
          withTotals,
        );
      }),
      runs,
    );
  });

  it('rules about work units do', () => {
    fc.assert(
      fc.property(randomWorkUnitRule, randomUnitEvents, (rule, events) => holdAgainst(rule, events)),
      runs,
    );
  });
});
