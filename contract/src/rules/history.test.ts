import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, type RuleDefinition } from './compile.ts';
import { evaluate, type RuleState } from './evaluate/evaluate.ts';
import type { Gap, RuleEvent } from './facts.ts';

import type { Condition } from './schema.ts';
import { hitsFromScratch } from './testing/from-scratch.ts';
import { randomHistoryRule, randomTimeline } from './testing/random-rules.ts';

const entity = { id: 'e1', kind: 'device' as const, tenantId: 't1', device: { id: 'e1', name: 'web' } };

function ruleOf(...conditions: Condition[]): RuleDefinition {
  return { ruleId: 'r', name: 'r', ruleTypeId: 3, tenantId: 't1', conditions };
}

function about(LeftOperand: number, Operator: number, RightOperand: string, extra: Partial<Condition> = {}): Condition {
  return { Type: 'And', LeftOperand, Operator, RightOperand, ...extra };
}

function packet(seconds: number, Cpu?: number): RuleEvent {
  return { entity, packet: { timestamp: seconds * 1_000, message: Cpu === undefined ? {} : { Metrics: { Cpu } } } };
}

function tick(seconds: number, previous: number, gaps: Gap[] = [], grace = 0): RuleEvent {
  const times = { packet: { timestamp: seconds * 1_000, message: {} }, previous: { timestamp: previous * 1_000 } };
  return { kind: 'tick', entity, ...times, gaps, graceMs: grace * 1_000 };
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

const gapOf = (from: number, until: number): Gap => ({ from: from * 1_000, until: until * 1_000 });

describe('history rules', () => {
  it('from event to event equal evaluation from scratch, and their trace says the same', () => {
    fc.assert(
      fc.property(randomHistoryRule, randomTimeline, (rule, events) => {
        const compiled = compileRule(rule);
        let state: RuleState | undefined;
        for (const [i, event] of events.entries()) {
          const result = evaluate(compiled, event, state, { trace: true });
          expect(result.outcome === 'hit').toBe(hitsFromScratch(rule, events.slice(0, i + 1)));
          expect(result.changed).toBe(JSON.stringify(state) !== JSON.stringify(result.state));
          const { trace } = result;
          expect(result.outcome === 'hit').toBe(trace?.inScope && trace.inTimeWindow !== false && trace.groups.some(Boolean));
          state = result.state && (JSON.parse(JSON.stringify(result.state)) as RuleState);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('compare what a window holds', () => {
    const cpu = (id: number, right: string) => ruleOf(about(id, 3, right, { LeftOperandFieldName: 'Cpu', WindowSeconds: 30 }));
    const packets = [packet(0, 10), packet(10, 50), packet(20), packet(29, 30), packet(31, 0), packet(70, 1)];
    expect(play(cpu(72, '25'), packets)).toBe('.xxxx.');
    expect(play(cpu(75, '85'), packets)).toBe('...x..');
    expect(play(cpu(74, '49'), packets)).toBe('.xxxx.');
    expect(play(cpu(73, '0'), packets)).toBe('xxxx.x');
    expect(play(ruleOf(about(71, 6, '4', { WindowSeconds: 30 })), packets)).toBe('...xx.');
  });

  it('say that packets are too few only once a whole window was watched', () => {
    const few = ruleOf(about(71, 4, '3', { WindowSeconds: 30 }));
    expect(play(few, [packet(0), packet(10), packet(20), packet(31), packet(60)])).toBe('....x');
    expect(play({ ...few, since: 45_000 }, [packet(0), packet(40), packet(60), packet(80)])).toBe('...x');
    expect(play(few, [packet(0), packet(29), packet(30)])).toBe('..x');
    expect(play({ ...few, since: 10_000 }, [packet(0), packet(39), packet(40)])).toBe('..x');
  });

  it('say nothing of a metric that no packet of the window has', () => {
    const notFive = ruleOf(about(72, 2, '5', { LeftOperandFieldName: 'Cpu', WindowSeconds: 60 }));
    expect(play(notFive, [packet(0), packet(1, 8), packet(2, 2)])).toBe('.x.');
    expect(play(notFive, [packet(0), tick(30, 0)])).toBe('..');
    expect(play(notFive, [packet(0, 8), tick(30, 0), tick(61, 0)])).toBe('xx.');
  });

  it('hit at the packet that ends a gap, and not after one that is as long as the gap', () => {
    const after = ruleOf(about(71, 6, '1', { WindowSeconds: 30, OccurrencePattern: { Kind: 'NotSeenFor', Seconds: 60 } }));
    const next = (seconds: number, previous: number): RuleEvent => ({ ...packet(seconds), previous: { timestamp: previous * 1_000 } });
    expect(play(after, [packet(0), next(60, 0), next(115, 60), next(176, 115)])).toBe('...x');
  });

  it('remember of packets that they count nothing but their number', () => {
    const { state } = evaluate(compileRule(ruleOf(about(71, 3, '5', { WindowSeconds: 30 }))), packet(1, 50), undefined);
    expect(Object.values(state ?? {})).toEqual([{ window: { since: 1_000, steps: [1, 1, 0, 0] } }]);
  });

  it('match silence while no packet comes', () => {
    const notSeen = { OccurrencePattern: { Kind: 'NotSeenFor' as const, Seconds: 60 } };
    const rules = [
      ruleOf(about(70, 3, '60')),
      ruleOf(about(62, 3, '0', { LeftOperandFieldName: 'Cpu', ...notSeen })),
      ruleOf(about(31, 1, 'web', notSeen)),
      ruleOf(about(31, 1, 'web'), about(71, 4, '1', { WindowSeconds: 60 })),
    ];
    for (const rule of rules) {
      expect(play(rule, [packet(0, 1), tick(30, 0), tick(57, 0), tick(61, 0), tick(5_000, 0)])).toBe('...xx');
      expect(compileRule(rule).silenceMs).toBeLessThanOrEqual(60_000);
    }
    for (const rule of rules.slice(0, 3)) expect(play(rule, [packet(0, 1), tick(60, 0)])).toBe('..');
    expect(compileRule(ruleOf(about(62, 3, '0', { LeftOperandFieldName: 'Cpu' }))).silenceMs).toBeUndefined();
    expect(compileRule(ruleOf(about(31, 1, 'web'))).silenceMs).toBeUndefined();
  });

  it('count the packets of a partial window as too few only once a whole window was watched', () => {
    const few = ruleOf(about(71, 4, '2', { WindowSeconds: 60 }));
    expect(play(few, [packet(0), tick(59, 0), tick(60, 0)])).toBe('..x');
    expect(play({ ...few, since: 30_000 }, [packet(0), tick(60, 0), tick(61, 0)])).toBe('..x');
    expect(play(few, [tick(30, 0), tick(60, 0), tick(61, 0)])).toBe('..x');
  });

  it('leave out outages, and a grace after each', () => {
    const rule = ruleOf(about(70, 3, '60'));
    const away = gapOf(20, 500);
    const hitsAt = (seconds: number, gaps: Gap[], grace: number) =>
      play(rule, [tick(seconds, 0, gaps, grace), tick(seconds + 1, 0, gaps, grace)]);
    expect(hitsAt(540, [away], 0)).toBe('.x');
    expect(hitsAt(570, [away], 30)).toBe('.x');
    expect(hitsAt(500, [gapOf(61, 500)], 30)).toBe('xx');
    // Outages that overlap, one within the grace of another, and one before the packet.
    expect(hitsAt(60 + 50 + 70 + 30, [gapOf(-90, -10), gapOf(20, 70), gapOf(60, 70), gapOf(80, 120), gapOf(130, 140)], 30)).toBe('.x');
    expect(hitsAt(100, [gapOf(40, 300)], 30)).toBe('..');
  });

  it('end the graces of an installation that is often away for a moment', () => {
    const away = Array.from({ length: 400 }, (_, i) => gapOf(10 + i * 20, 15 + i * 20));
    // Of each 20 s, 5 s are an outage; ten graces of 30 s are left out of the others.
    const left = (60 + 300) / 0.75;
    const at = (seconds: number) => tick(seconds, 0, away, 30);
    expect(play(ruleOf(about(70, 3, '60')), [at(left - 10), at(left + 10)])).toBe('.x');
  });

  it('count too few packets in a window only if outages took no more than a step of it', () => {
    const few = (seconds: number) => ruleOf(about(71, 4, '1', { WindowSeconds: seconds }));
    const away = gapOf(20, 500);
    // Until the silence is longer than the window.
    expect(play(few(60), [packet(0), tick(501, 0, [away]), tick(539, 0, [away]), tick(541, 0, [away])])).toBe('...x');
    const [brief, long] = [gapOf(1_000, 1_090), gapOf(1_000, 1_110)];
    expect(play(few(3_000), [packet(0), tick(3_085, 0, [brief])])).toBe('.x');
    expect(play(few(3_000), [packet(0), tick(3_085, 0, [long]), tick(3_111, 0, [long])])).toBe('..x');
  });

  it('compare a percentile of the window, and where its line leads', () => {
    const values = Array.from({ length: 30 }, (_, i) => packet(i * 60, i));
    const p90 = about(77, 6, '26', { LeftOperandFieldName: 'Cpu', WindowSeconds: 3_600 });
    expect(play(ruleOf(p90), values).indexOf('x')).toBe(28);
    const full = about(68, 6, '100', { LeftOperandFieldName: 'Cpu', WindowSeconds: 1_200, AheadSeconds: 4_500 });
    expect(play(ruleOf(full), values).indexOf('x')).toBe(25);
    expect(play(ruleOf({ ...full, AheadSeconds: 60 }), values)).not.toContain('x');
  });

  it('keep small what they remember of percentiles, also of many packets', () => {
    const compiled = compileRule(ruleOf(about(79, 3, '1e9', { LeftOperandFieldName: 'Cpu', WindowSeconds: 86_400 })));
    let state: RuleState | undefined;
    for (let i = 0; i < 20_000; i += 1) ({ state } = evaluate(compiled, packet(i * 5, 10_000 + i), state));
    expect(JSON.stringify(state).length).toBeLessThan(5_000);
  });

  it('remember no more than thirty steps of a window', () => {
    const compiled = compileRule(ruleOf(about(72, 3, '1e9', { LeftOperandFieldName: 'Cpu', WindowSeconds: 86_400 })));
    let state: RuleState | undefined;
    for (let i = 0; i < 5_000; i += 1) ({ state } = evaluate(compiled, packet(i * 60, i), state));
    expect(JSON.stringify(state).length).toBeLessThan(1_500);
  });
});
