/** A rule in two versions: which one applies to an entity, and what the index knows of both. */
import { describe, expect, it } from 'vitest';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { evaluateEntity } from './evaluate-packets.ts';
import type { IngestRule } from './ingest-rule.ts';
import { changedRule, inForce, inRings } from './rollout.ts';
import { evaluateSilence } from './silence.ts';
import { about, packetAt, ruleOf, web } from '../testing/hits.ts';

const silentFor = (seconds: number, extra: Partial<IngestRule> = {}) =>
  compileRule(ruleOf({ ruleTypeId: 3, conditions: [about(70, 3, String(seconds))], ...extra }));
const hot = compileRule(ruleOf());
const db = { ...web, id: 'db', device: { id: 'db' } };
const block = { ...web, id: 'block', device: undefined };

describe('a rule in rings', () => {
  const calmer = compileRule(ruleOf({ name: 'Calmer' }));

  it('is the new version for the devices of the rings, and the present one for everything else', () => {
    const both = inRings(hot, calmer, new Set(['web']));
    if (!both) throw new Error('The rule is missing.');
    expect([web, { ...web, id: 'scan' }, db, block].map((entity) => inForce(both, entity)?.rule.name)).toEqual([
      'Calmer',
      'Calmer',
      'High CPU',
      'High CPU',
    ]);
    expect(inForce(hot, web)).toBe(hot);
  });

  it('may apply in one version only', () => {
    const [added, removed] = [inRings(undefined, hot, new Set(['web'])), inRings(hot, undefined, new Set(['web']))];
    if (!added || !removed) throw new Error('The rule is missing.');
    expect([inForce(added, web), inForce(added, db), inForce(removed, web), inForce(removed, db)]).toEqual([
      hot,
      undefined,
      undefined,
      hot,
    ]);
    expect(inRings(undefined, undefined, new Set(['web']))).toBeUndefined();
  });

  it('is found by either version', () => {
    const both = inRings(silentFor(90), silentFor(60, { neverReported: true }), new Set());
    expect(both).toMatchObject({ silenceMs: 60_000, rule: { neverReported: true }, groups: { length: 2 }, conditions: { length: 2 } });
    expect(inRings(hot, silentFor(60), new Set())).toMatchObject({ silenceMs: 60_000, rule: { neverReported: false } });
    expect(inRings(hot, calmer, new Set())?.silenceMs).toBeUndefined();
  });

  it('does nothing to an entity for which no version applies', () => {
    const of = (rule: typeof hot) => buildRuleIndex([inRings(rule, undefined, new Set(['web']))].filter((item) => item !== undefined));
    const state = { memory: { other: { x: 1 } as never } };
    const evaluated = evaluateEntity(of(hot), web, { timestamp: 1, packetId: 'p1', state }, [packetAt(1_000, 99)]);
    expect(evaluated).toMatchObject({ hits: [], notes: [] });
    expect(evaluateEntity(of(hot), db, undefined, [packetAt(1_000, 99)]).hits).toHaveLength(1);
    expect(evaluateEntity(of(hot), web, { timestamp: 2_000, packetId: 'p1', state }, [packetAt(1_000, 99)]).notes).toEqual([]);
    const row = { at: 0, memory: null };
    expect(evaluateSilence(of(silentFor(60)), web, row, { gaps: [] }, 61_000, [])).toEqual([]);
    expect(evaluateSilence(of(silentFor(60)), db, row, { gaps: [] }, 61_000, [])).toHaveLength(1);
  });

  it('matches silence by the version that applies, not by the other', () => {
    const rules = buildRuleIndex([inRings(hot, silentFor(60), new Set(['web']))].filter((item) => item !== undefined));
    const hits = (entity: typeof web) => evaluateSilence(rules, entity, { at: 0, memory: null }, { gaps: [] }, 61_000, []).length;
    expect([hits(web), hits(db)]).toEqual([1, 0]);
  });
});

describe('a changed rule', () => {
  const email = { ActionDefinitionId: 'a1', Parameters: {} };
  const now = ruleOf({ neverReported: true, sliding: true, recoveryConditions: [about(62, 4, '50')], matchActions: [email] });

  it('differs where it says so', () => {
    expect(changedRule(now, {})).toEqual({ ...now, neverReported: true });
    const timeConditions = { TimeZoneId: 'UTC', DaysOfWeek: [1] };
    const changed = {
      name: 'Calm',
      matchLifetime: '00:02:00',
      useSlidingExpiration: false,
      neverReported: false,
      conditions: [about(62, 3, '99')],
      recoveryConditions: null,
      matchActions: [],
      timeConditions,
    };
    expect(changedRule(now, changed)).toEqual({
      ...now,
      name: 'Calm',
      lifetimeMs: 120_000,
      sliding: false,
      neverReported: false,
      conditions: changed.conditions,
      recoveryConditions: null,
      matchActions: [],
      timeConditions,
    });
    expect(changedRule(ruleOf({ timeConditions }), { timeConditions: null })).toMatchObject({
      timeConditions: null,
      recoveryConditions: null,
      neverReported: false,
    });
  });

  it('watches entities that never reported as the present one does, unless it says otherwise', () => {
    const of = (now: boolean | undefined, changed?: boolean) =>
      changedRule(ruleOf(now === undefined ? {} : { neverReported: now }), changed === undefined ? {} : { neverReported: changed })
        .neverReported;
    expect([of(undefined), of(true), of(false), of(true, false), of(false, true)]).toEqual([false, true, false, false, true]);
  });

  it('has no recovery conditions where neither version has any', () => {
    expect(changedRule(ruleOf(), {}).recoveryConditions).toBeNull();
    const low = [about(62, 4, '50')];
    expect(changedRule(ruleOf(), { recoveryConditions: low }).recoveryConditions).toEqual(low);
    expect(changedRule(ruleOf({ sliding: true, matchActions: [] }), {})).toMatchObject({ sliding: true, lifetimeMs: 1_000 });
  });
});
