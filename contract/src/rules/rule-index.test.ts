import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule } from './compile.ts';
import { evaluate, type RuleState } from './evaluate/evaluate.ts';
import type { RuleEvent } from './facts.ts';

import { buildRuleIndex } from './rule-index.ts';
import type { Condition } from './schema.ts';
import { randomEvents, randomRule } from './testing/random-rules.ts';

const cpuOver90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };

function ruleOf(ruleId: string, conditions: Condition[], scope: { tenantId?: string; subscriptionId?: string; ruleTypeId?: number } = {}) {
  return compileRule({ ruleId, name: ruleId, ruleTypeId: 1, tenantId: 't1', ...scope, conditions });
}

function about(operand: number, value: string): Condition {
  return { Type: 'And', LeftOperand: operand, Operator: 1, RightOperand: value };
}

function eventOf(metrics: Record<string, number>, deviceId = 'd1'): RuleEvent {
  return {
    entity: { id: deviceId, kind: 'device', tenantId: 't1', subscriptionId: 's1', device: { id: deviceId, deviceTypeId: 2 } },
    packet: { timestamp: 0, message: { Metrics: metrics } },
  };
}

describe('rule index', () => {
  it('finds by tenant, subscription, device and metric', () => {
    const index = buildRuleIndex([
      ruleOf('any', [cpuOver90]),
      ruleOf('other tenant', [cpuOver90], { tenantId: 't2' }),
      ruleOf('own subscription', [cpuOver90], { subscriptionId: 's1' }),
      ruleOf('other subscription', [cpuOver90], { subscriptionId: 's2' }),
      ruleOf('own device', [cpuOver90, about(30, 'D1')]),
      ruleOf('other device', [cpuOver90, about(30, 'd2')]),
      ruleOf('device type', [cpuOver90, about(33, '2.0')]),
      ruleOf('other metric', [{ ...cpuOver90, LeftOperandFieldName: 'Memory' }]),
      ruleOf('empty metric', [{ ...cpuOver90, LeftOperandFieldName: 'Memory', Operator: 13 }]),
    ]);
    const names = (event: RuleEvent) =>
      index
        .candidates(event)
        .map((rule) => rule.ruleId)
        .sort();
    expect(names(eventOf({ Cpu: 1 }))).toEqual(['any', 'device type', 'empty metric', 'own device', 'own subscription']);
    expect(names(eventOf({ Memory: 1 }))).toEqual(['empty metric', 'other metric']);
    expect(names(eventOf({}))).toEqual(['empty metric']);
  });

  it('finds by the first reading where none has a limit', () => {
    const state = (name: string): Condition => ({ ...cpuOver90, LeftOperand: 63, LeftOperandFieldName: name, Operator: 1 });
    const index = buildRuleIndex([ruleOf('both', [state('Health'), state('Door')])]);
    const named = (States: Record<string, string>) => {
      const event = eventOf({});
      return index.candidates({ ...event, packet: { ...event.packet, message: { States } } }).length;
    };
    expect([named({ Health: 'ok' }), named({ Door: 'open' }), named({})]).toEqual([1, 0, 0]);
  });

  it('finds every rule at a check of sums, whatever selects the entities that it counts', () => {
    const counting = ruleOf('counting', [about(30, 'd1'), { ...cpuOver90, LeftOperand: 72 }], { ruleTypeId: 6 });
    const entity = { id: 's1', kind: 'subscription' as const, tenantId: 't1', subscriptionId: 's1' };
    const event: RuleEvent = { kind: 'count', entity, packet: { timestamp: 0, message: {} } };
    expect(buildRuleIndex([counting]).candidates(event)).toEqual([counting]);
  });

  it('lists all its rules and finds each by its id', () => {
    const rules = [ruleOf('r1', [cpuOver90]), ruleOf('r2', [cpuOver90], { tenantId: 't2' })];
    const index = buildRuleIndex(rules);
    expect([...index.all()]).toEqual(rules);
    expect([index.size, index.get('r2'), index.get('r3')]).toEqual([2, rules[1], undefined]);
  });

  it('gives a rule once, however many ways lead to it', () => {
    const either = ruleOf('either', [
      cpuOver90,
      { ...cpuOver90, Type: 'Or', LeftOperandFieldName: 'Memory' },
      { ...about(30, 'd1'), Type: 'Or' },
    ]);
    const index = buildRuleIndex([either]);
    expect(index.candidates(eventOf({ Cpu: 1, Memory: 1 }))).toEqual([either]);
    expect(index.candidates(eventOf({ Cpu: 1, Memory: 1 }))).toEqual([either]);
  });

  it('needs any one of the readings whose memory it must keep up', () => {
    const inRow = { OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } } as const;
    const index = buildRuleIndex([
      ruleOf('both', [
        { ...cpuOver90, ...inRow },
        { ...cpuOver90, LeftOperandFieldName: 'Memory', ...inRow },
      ]),
    ]);
    expect(index.candidates(eventOf({ Cpu: 1 }))).toHaveLength(1);
    expect(index.candidates(eventOf({ Memory: 1 }))).toHaveLength(1);
    expect(index.candidates(eventOf({ Disk: 1 }))).toHaveLength(0);
  });

  it('leaves out what fails its limit only where nothing is remembered', () => {
    const index = buildRuleIndex([
      ruleOf('over 90', [cpuOver90]),
      ruleOf('over 50', [{ ...cpuOver90, RightOperand: '50' }]),
      ruleOf('second reading decides', [
        { Type: 'And', LeftOperand: 63, LeftOperandFieldName: 'Health', Operator: 1, RightOperand: 'ok' },
        { ...cpuOver90, RightOperand: '80' },
      ]),
      ruleOf('in a row', [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }]),
      ruleOf('within', [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesWithin', Times: 2, Seconds: 60 } }]),
      ruleOf('during', [{ ...cpuOver90, OccurrencePattern: { Kind: 'EveryTimeDuring', Seconds: 60 } }]),
      ruleOf('changed', [{ ...cpuOver90, OccurrencePattern: { Kind: 'Changed' } }]),
    ]);
    const names = (cpu: number, remembered?: string[]) =>
      index
        .candidates(eventOf({ Cpu: cpu }), remembered)
        .map((rule) => rule.ruleId)
        .sort();
    expect(names(60)).toEqual(['changed', 'during', 'in a row', 'over 50', 'over 90', 'second reading decides', 'within']);
    expect(names(60, [])).toEqual(['changed', 'over 50']);
    expect(names(60, ['in a row', 'another'])).toEqual(['changed', 'in a row', 'over 50']);
    expect(names(95, [])).toEqual(['changed', 'during', 'in a row', 'over 50', 'over 90', 'second reading decides', 'within']);
  });

  it('leaving out by limits changes no outcome and no memory', () => {
    fc.assert(
      fc.property(fc.array(randomRule, { maxLength: 6 }), randomEvents, (rules, events) => {
        const index = buildRuleIndex(rules.map((rule) => compileRule(rule)));
        /** Runs all events as ingest does; returns every hit and the memory at the end. */
        const run = (limited: boolean) => {
          const states = new Map<string, Map<string, RuleState>>();
          const holding = new Map<string, Set<string>>();
          const hits: string[] = [];
          for (const [i, event] of events.entries()) {
            const memory = states.get(event.entity.id) ?? new Map<string, RuleState>();
            const holdingIds = holding.get(event.entity.id) ?? new Set<string>();
            states.set(event.entity.id, memory);
            holding.set(event.entity.id, holdingIds);
            for (const rule of index.candidates(event, limited ? [...memory.keys(), ...holdingIds] : undefined)) {
              const { outcome, state } = evaluate(rule, event, memory.get(rule.ruleId));
              if (state) memory.set(rule.ruleId, state);
              else memory.delete(rule.ruleId);
              if (outcome === 'hit') {
                holdingIds.add(rule.ruleId);
                hits.push(`${i} ${rule.ruleId}`);
              } else holdingIds.delete(rule.ruleId);
            }
          }
          return { hits: hits.toSorted(), states, holding };
        };
        expect(run(true)).toEqual(run(false));
      }),
      { numRuns: 500 },
    );
  });

  it('changed one by one equals built at once, and leaves the index before untouched', () => {
    const changes = fc.array(fc.record({ rule: randomRule, slot: fc.integer({ min: 0, max: 5 }), remove: fc.boolean() }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(changes, randomEvents, (list, events) => {
        let index = buildRuleIndex<ReturnType<typeof compileRule>['rule']>([]);
        const empty = index;
        const compiledById = new Map<string, ReturnType<typeof compileRule>>();
        for (const { rule, slot, remove } of list) {
          const ruleId = `rule ${slot}`;
          const compiled = compileRule({ ...rule, ruleId });
          index = remove ? index.withoutRule(ruleId) : index.withRule(compiled);
          if (remove) compiledById.delete(ruleId);
          else compiledById.set(ruleId, compiled);
        }
        const fresh = buildRuleIndex(compiledById.values());
        expect(index.size).toBe(fresh.size);
        for (const event of events) {
          expect(new Set(index.candidates(event))).toEqual(new Set(fresh.candidates(event)));
          expect(empty.candidates(event)).toEqual([]);
        }
        for (const [ruleId, compiled] of compiledById) expect(index.get(ruleId)).toBe(compiled);
      }),
    );
  });

  it('looks at the rules of the device only, among ten thousand', () => {
    const rules = Array.from({ length: 10_000 }, (_, i) => ruleOf(`r${i}`, [cpuOver90, about(30, `d${Math.floor(i / 20)}`)]));
    expect(buildRuleIndex(rules).candidates(eventOf({ Cpu: 1 }, 'd7'))).toHaveLength(20);
  });
});
