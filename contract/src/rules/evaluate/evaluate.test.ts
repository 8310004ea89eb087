import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, type RuleDefinition } from '../compile.ts';
import { evaluate, type RuleState } from './evaluate.ts';
import type { RuleEvent } from '../facts.ts';
import { buildRuleIndex } from '../rule-index.ts';
import type { Condition, OccurrencePattern } from '../schema.ts';
import { hitsFromScratch } from '../testing/from-scratch.ts';
import { randomEvents, randomRule } from '../testing/random-rules.ts';

const runs = { numRuns: 2_000 };

function metric(field: string, operator: number, right: string, pattern?: OccurrencePattern, type: 'And' | 'Or' = 'And'): Condition {
  return { Type: type, LeftOperand: 62, LeftOperandFieldName: field, Operator: operator, RightOperand: right, OccurrencePattern: pattern };
}

function ruleOf(...conditions: Condition[]): RuleDefinition {
  return { ruleId: 'r', name: 'r', ruleTypeId: 1, tenantId: 't1', conditions };
}

function packet(atSeconds: number, metrics: Record<string, number>, previousSeconds?: number): RuleEvent {
  return {
    entity: { id: 'e1', kind: 'device', tenantId: 't1', device: { id: 'e1', name: 'web' } },
    packet: { timestamp: atSeconds * 1_000, message: { Metrics: metrics } },
    previous: previousSeconds === undefined ? undefined : { timestamp: previousSeconds * 1_000 },
  };
}

/** Returns the outcomes as a string of `x` (hit) and `.` (miss). The state passes through JSON, as in the database. */
function play(rule: RuleDefinition, events: readonly RuleEvent[]): string {
  const compiled = compileRule(rule);
  let state: RuleState | undefined;
  return events
    .map((event) => {
      const result = evaluate(compiled, event, state);
      state = result.state && (JSON.parse(JSON.stringify(result.state)) as RuleState);
      return result.outcome === 'hit' ? 'x' : '.';
    })
    .join('');
}

function cpu(...values: number[]): RuleEvent[] {
  return values.map((Cpu, i) => packet(i * 10, { Cpu }, i === 0 ? undefined : (i - 1) * 10));
}

describe('evaluation', () => {
  it('from packet to packet equals evaluation from scratch', () => {
    fc.assert(
      fc.property(randomRule, randomEvents, (rule, events) => {
        const compiled = compileRule({ ...rule, tenantId: 't1' });
        const states = new Map<string, RuleState>();
        const past = new Map<string, RuleEvent[]>();
        for (const event of events) {
          const history = [...(past.get(event.entity.id) ?? []), event];
          past.set(event.entity.id, history);
          const before = states.get(event.entity.id);
          const result = evaluate(compiled, event, before);
          expect(result.outcome === 'hit').toBe(hitsFromScratch({ ...rule, tenantId: 't1' }, history));
          expect(result.changed).toBe(JSON.stringify(before) !== JSON.stringify(result.state));
          if (result.state) states.set(event.entity.id, JSON.parse(JSON.stringify(result.state)) as RuleState);
          else states.delete(event.entity.id);
        }
      }),
      runs,
    );
  });

  it('leaves the memory of two readings as it is when a packet repeats both', () => {
    const rule = compileRule(ruleOf({ ...metric('Rx', 1, '5'), LeftOperand: 65, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }));
    let state: RuleState | undefined;
    const changes = [7, 7, 7, 8].map((Rx) => {
      const { state: after, changed } = evaluate(rule, packet(0, { Rx }), state);
      state = after;
      return changed;
    });
    expect(changes).toEqual([true, true, false, true]);
  });

  it('compares the rate of a counter, also after a reset and after packets without it', () => {
    const rate = (id: number, operator: number, right: string) => ({ ...metric('Rx', operator, right), LeftOperand: id });
    const counted = [100, 200, 1_300, undefined, 3_300, 50, 51].map((Rx, i) => packet(i * 10, Rx === undefined ? {} : { Rx }));
    expect(play(ruleOf(rate(66, 3, '100')), counted)).toBe('..x....');
    expect(play(ruleOf(rate(66, 6, '100')), counted)).toBe('..x.x..');
    expect(play(ruleOf(rate(67, 7, '300')), counted)).toBe('.....xx');
    expect(play(ruleOf(rate(65, 4, '0')), counted)).toBe('.....x.');
    const inRow = { ...rate(65, 3, '0'), OccurrencePattern: { Kind: 'TimesInRow' as const, Times: 2 } };
    expect(play(ruleOf(inRow), counted)).toBe('..x.x..');
  });

  it('has nothing new to remember of a third packet at the same moment, where two are looked for', () => {
    const pattern = { Kind: 'TimesWithin', Times: 2, Seconds: 5 } as const;
    const at = { timestamp: 1_772_665_080_000, message: { Metrics: { Cpu: 1 } } };
    const event: RuleEvent = { ...cpu(1)[0], entity: { id: 'e2', kind: 'device', tenantId: 't1' }, packet: at };
    const condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 1, RightOperand: '1' } as const;
    const compiled = compileRule({
      ruleId: 'r',
      name: 'r',
      ruleTypeId: 1,
      tenantId: 't1',
      conditions: [{ ...condition, OccurrencePattern: pattern }],
    });
    const second = evaluate(compiled, { ...event }, evaluate(compiled, { ...event }, undefined).state);
    expect(evaluate(compiled, { ...event }, second.state)).toEqual({ outcome: 'hit', state: second.state, changed: false });
  });

  it('with only the candidates of the index has the same outcomes and memory as with all rules', () => {
    fc.assert(
      fc.property(fc.array(randomRule, { maxLength: 12 }), randomEvents, (rules, events) => {
        const compiled = rules.map((rule) => compileRule(rule));
        const index = buildRuleIndex(compiled);
        const states = new Map<string, RuleState | undefined>();
        for (const event of events) {
          const candidates = new Set(index.candidates(event));
          for (const rule of compiled) {
            const key = `${rule.ruleId} ${event.entity.id}`;
            const result = evaluate(rule, event, states.get(key));
            expect(candidates.has(rule) || (result.outcome === 'miss' && !result.changed)).toBe(true);
            states.set(key, result.state);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is explained by its trace: in scope, in its hours, and a group of which all is satisfied', () => {
    fc.assert(
      fc.property(randomRule, randomEvents, (rule, events) => {
        const compiled = compileRule({ ...rule, tenantId: 't1' });
        const states = new Map<string, RuleState | undefined>();
        for (const event of events) {
          const { outcome, state, trace } = evaluate(compiled, event, states.get(event.entity.id), { trace: true });
          expect(trace?.outcome).toBe(outcome);
          expect(outcome === 'hit').toBe(trace?.inScope && trace.inTimeWindow !== false && trace.groups.some(Boolean));
          if (trace?.inScope) {
            const memories = trace.conditions
              .filter((c) => c.after !== null)
              .map((c) => [compiled.conditions[c.index]?.key ?? '', c.after] as const);
            expect(Object.fromEntries(memories)).toEqual(state ?? {});
          }
          states.set(event.entity.id, state);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('[RULE-014] joins by And before Or, and ignores the type of the first condition', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.constantFrom('And' as const, 'Or' as const)), { minLength: 1, maxLength: 8 }),
        (parts) => {
          const rule = ruleOf(...parts.map(([, type], i) => metric(`M${i}`, 1, '1', undefined, type)));
          const values = Object.fromEntries(parts.map(([truth], i) => [`M${i}`, truth ? 1 : 0]));
          const expression = parts.map(([truth, type], i) => `${i === 0 ? '' : type === 'And' ? '&&' : '||'} ${truth}`).join(' ');
          const expected = expression.split('||').some((group) => !group.includes('false'));
          expect(play(rule, [packet(0, values)])).toBe(expected ? 'x' : '.');
        },
      ),
    );
  });

  it('keeps to the tenant and the subscription of the rule', () => {
    const rule = { ...ruleOf(metric('Cpu', 3, '90')), subscriptionId: 's1' };
    const event = packet(0, { Cpu: 95 });
    expect(play(rule, [event])).toBe('.');
    expect(play(rule, [{ ...event, entity: { ...event.entity, subscriptionId: 's1' } }])).toBe('x');
    expect(play(rule, [{ ...event, entity: { ...event.entity, subscriptionId: 's1', tenantId: 't2' } }])).toBe('.');
  });

  it('is narrowed by the time conditions, while patterns go on remembering outside them', () => {
    const rule = {
      ...ruleOf(metric('Cpu', 3, '90', { Kind: 'TimesInRow', Times: 3 })),
      timeConditions: { DailyStartTime: '00:00:20', TimeZoneId: 'UTC' },
    };
    expect(play(rule, cpu(95, 95, 95, 95))).toBe('..xx');
  });

  it('remembers for every group, also when an earlier one already holds', () => {
    const rule = ruleOf(metric('Cpu', 3, '0'), metric('Cpu', 3, '90', { Kind: 'TimesInRow', Times: 2 }, 'Or'));
    const state = evaluate(compileRule(rule), packet(0, { Cpu: 95 }), undefined).state;
    expect(Object.values(state ?? {})).toEqual([1]);
  });

  it('keeps two equal conditions apart', () => {
    const twice = metric('Cpu', 3, '90', { Kind: 'TimesInRow', Times: 3 });
    expect(play(ruleOf(twice, twice), cpu(95, 95, 95, 95))).toBe('..xx');
  });

  it('does not apply the memory of a condition to one that was changed', () => {
    const event = packet(0, { Cpu: 95 });
    const { state } = evaluate(compileRule(ruleOf(metric('Cpu', 3, '90', { Kind: 'TimesInRow', Times: 2 }))), event, undefined);
    const edited = evaluate(compileRule(ruleOf(metric('Cpu', 3, '80', { Kind: 'TimesInRow', Times: 2 }))), event, state);
    expect(edited.outcome).toBe('miss');
    expect(Object.values(edited.state ?? {})).toEqual([1]);
    expect(evaluate(compileRule(ruleOf(metric('Cpu', 3, '80'))), event, state)).toEqual({
      outcome: 'hit',
      state: undefined,
      changed: true,
    });
  });
});

describe('occurrence patterns', () => {
  it('every time: each hit counts', () => {
    expect(play(ruleOf(metric('Cpu', 3, '90', { Kind: 'EveryTime' })), cpu(95, 5, 95))).toBe('x.x');
  });

  it('N in a row: a miss starts over, a packet without the metric does not', () => {
    const rule = ruleOf(metric('Cpu', 3, '90', { Kind: 'TimesInRow', Times: 3 }));
    expect(play(rule, cpu(95, 95, 5, 95, 95, 95, 95, 5))).toBe('.....xx.');
    expect(play(rule, [packet(0, { Cpu: 95 }), packet(1, { Cpu: 95 }), packet(2, { Memory: 1 }), packet(3, { Cpu: 95 })])).toBe('...x');
  });

  it('N times within a period: misses between do not matter, the period does, its edge included', () => {
    const rule = ruleOf(metric('Cpu', 3, '90', { Kind: 'TimesWithin', Times: 3, Seconds: 40 }));
    expect(play(rule, cpu(95, 5, 95, 5, 95, 5, 5, 95))).toBe('....x...');
  });

  it('every time during a period: needs a run that is as long', () => {
    const rule = ruleOf(metric('Cpu', 3, '90', { Kind: 'EveryTimeDuring', Seconds: 20 }));
    expect(play(rule, cpu(95, 95, 95, 95, 5, 95, 95))).toBe('..xx...');
  });

  it('changed: the operator holds for a value that is not the last one; the first sight is no change', () => {
    expect(play(ruleOf(metric('Cpu', 14, '', { Kind: 'Changed' })), cpu(1, 1, 2, 2, 1))).toBe('..x.x');
    expect(play(ruleOf(metric('Cpu', 3, '90', { Kind: 'Changed' })), cpu(95, 5, 95, 95, 96))).toBe('..x.x');
  });

  it('not seen for a period: the packet that ends the silence', () => {
    const rule = ruleOf(metric('Cpu', 14, '', { Kind: 'NotSeenFor', Seconds: 60 }));
    expect(play(rule, [packet(0, { Cpu: 1 }), packet(60, { Cpu: 1 }, 0), packet(121, { Cpu: 1 }, 60)])).toBe('..x');
  });

  it('leaves no memory at rest', () => {
    for (const pattern of [
      { Kind: 'TimesInRow', Times: 3 },
      { Kind: 'TimesWithin', Times: 3, Seconds: 5 },
      { Kind: 'EveryTimeDuring', Seconds: 20 },
    ] as const) {
      const compiled = compileRule(ruleOf(metric('Cpu', 3, '90', pattern)));
      const { state } = evaluate(compiled, packet(0, { Cpu: 95 }), undefined);
      expect(state).toBeDefined();
      expect(evaluate(compiled, packet(10, { Cpu: 5 }), state).state).toBeUndefined();
    }
  });
});
