/** The order of rules that depend on each other, and their states from rows and from hits. The test supplies the rows. */
import { describe, expect, it } from 'vitest';
import { compileRule, type Dependency } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db, Statement } from '../../db/db.ts';
import { recoveryOf } from './compiled-rules.ts';
import type { Entity } from './entity.ts';
import type { RuleHit } from './evaluate-entity.ts';
import type { IngestRule } from './ingest-rule.ts';
import { dependenciesOf, levelsOf, readStates } from './rule-states.ts';
import { about, hitAt, indexOf, ruleOf, web } from '../testing/hits.ts';

/** Returns a rule about packets that depends on matches of other rules on the same device. */
const dependsOn = (ruleId: string, ...others: string[]): IngestRule =>
  ruleOf({ ruleId, conditions: [about(62, 3, '90', { LeftOperandFieldName: 'Cpu' }), ...others.map((id) => about(83, 1, id))] });
const levelIds = (...rules: IngestRule[]) =>
  levelsOf(indexOf(...rules)).map((level) => [...level.all()].map(({ ruleId }) => ruleId).toSorted());

describe('the order of rules', () => {
  it('has each rule after those that it depends on, in whatever order they come', () => {
    const rules = [dependsOn('c', 'b', 'a'), dependsOn('b', 'a'), dependsOn('a'), dependsOn('d', 'a')];
    for (const some of [rules, rules.toReversed()]) expect(levelIds(...some)).toEqual([['a'], ['b', 'd'], ['c']]);
  });

  it('is one level for rules that depend on none of them', () => {
    const index = indexOf(dependsOn('a', 'elsewhere'), dependsOn('b'));
    expect(levelsOf(index)).toEqual([index]);
    expect(levelsOf(index)[0]).toBe(index);
    expect(levelIds()).toEqual([]);
  });

  it('is worked out once for an index', () => {
    const index = indexOf(dependsOn('a'), dependsOn('b', 'a'));
    expect(levelsOf(index)).toBe(levelsOf(index));
  });

  it('has recovery conditions with their rule', () => {
    const rule = { ...dependsOn('b1', 'a1'), recoveryConditions: [about(62, 4, '50', { LeftOperandFieldName: 'Cpu' })] };
    const recovery = recoveryOf(rule);
    if (!recovery) throw new Error('The recovery is missing.');
    expect(levelIds(rule, recovery, dependsOn('a1'))).toEqual([['a1'], ['b1', recovery.ruleId].toSorted()]);
  });

  it('ends in a circle', () => {
    expect(levelIds(dependsOn('a', 'b'), dependsOn('b', 'a')).flat().toSorted()).toEqual(['a', 'b']);
  });

  it('knows each dependency once', () => {
    const rules = [dependsOn('b', 'a'), dependsOn('c', 'a', 'b')].map((rule) => compileRule(rule));
    expect(dependenciesOf(buildRuleIndex(rules).all())).toEqual([
      { place: 'device', ruleId: 'a' },
      { place: 'device', ruleId: 'b' },
    ]);
  });
});

describe('the state of a rule', () => {
  const scan: Entity = { ...web, id: 'scan', device: { id: 'web', locationId: 'l1', parentId: 'switch' }, subscriptionId: 's1' };
  const block: Entity = { ...web, id: 'block', device: undefined };
  const on = (place: Dependency['place'], ruleId = 'a'): Dependency => ({ place, ruleId });
  const period = (from: number, until: number, more: object = {}) => ({
    ruleMatchId: `m${from}`,
    ruleId: 'a',
    place: 'device',
    key: 'web',
    from,
    until,
    ...more,
  });
  const openRow = {
    rule_match_id: 'm1000',
    rule_id: 'a',
    tenant_id: 't1',
    subject_id: 'web',
    expires: new Date(2_000).toISOString(),
    last_match: new Date(1_000).toISOString(),
    match_count: 1,
  };

  async function states(depends: Dependency[], entities: Entity[], answers: Record<string, object[]> = {}, hits?: RuleHit[]) {
    const sent: Statement[] = [];
    const query = (statement: Statement) => {
      sent.push(statement);
      return Promise.resolve(answers[statement.name ?? ''] ?? []);
    };
    const matching = await readStates({ query } as unknown as Db, depends, entities, 0, hits && { hits, now: 0 });
    return { matching, sent: sent.map(({ name, values = [] }) => [name, values[0], values[2]]) };
  }

  it('is read for the devices, what they depend on, their locations and subscriptions', async () => {
    const depends = [on('device'), on('parent', 'b'), on('location', 'c'), on('subscription', 'd')];
    expect((await states(depends, [scan, block])).sent).toEqual([
      ['rule-states-device', ['a', 'b'], ['web', 'switch', 'block']],
      ['rule-states-location', ['c'], ['l1']],
      ['rule-states-subscription', ['d'], ['s1']],
    ]);
    expect((await states(depends.slice(1), [block])).sent).toEqual([]);
  });

  it('holds from the first packet of a match until before its end, for each of its matches', async () => {
    const { matching } = await states([on('device')], [scan], { 'rule-states-device': [period(1_000, 2_000), period(3_000, 4_000)] });
    const at = (time: number, entity: Entity = scan, ruleId = 'a') => matching(entity, time)('device', ruleId);
    expect([999, 1_000, 1_999, 2_000, 3_000, 4_000].map((time) => at(time))).toEqual([false, true, true, false, true, false]);
    expect([at(1_000, web), at(1_000, block), at(1_000, scan, 'b')]).toEqual([true, false, false]);
    const onParent = await states([on('parent')], [scan], { 'rule-states-device': [period(1_000, 2_000, { key: 'switch' })] });
    expect([onParent.matching(scan, 1_000)('parent', 'a'), onParent.matching(scan, 1_000)('device', 'a')]).toEqual([true, false]);
    expect([onParent.matching(block, 1_000)('parent', 'a'), onParent.matching(web, 1_000)('location', 'a')]).toEqual([false, false]);
  });

  it('follows the hits of the batch: they open a match at each place, make it longer, and end it', async () => {
    const rows = { 'rule-states-device': [period(1_000, 2_000)], 'ingest-open-matches-read': [openRow] };
    const sliding = ruleOf({ ruleId: 'a', sliding: true });
    const depends = [on('device'), on('location'), on('subscription')];
    const opened = await states(depends, [scan], {}, [hitAt(1_000, sliding, scan)]);
    const heldAt = (time: number) =>
      (['device', 'location', 'subscription'] as const).map((place) => opened.matching(scan, time)(place, 'a'));
    expect([999, 1_000, 1_999, 2_000].map(heldAt)).toEqual([
      [false, false, false],
      [true, true, true],
      [true, true, true],
      [false, false, false],
    ]);
    const onDevice = async (...hits: RuleHit[]) => {
      const { matching } = await states([on('device')], [web], rows, hits);
      return [1_400, 1_600, 2_400, 2_600].map((time) => matching(web, time)('device', 'a'));
    };
    expect(await onDevice(hitAt(1_500, sliding))).toEqual([true, true, true, false]);
    expect(await onDevice(hitAt(1_500, ruleOf({ ruleId: 'recovery', recovers: 'a' })))).toEqual([true, false, false, false]);
    expect(await onDevice(hitAt(2_500, sliding))).toEqual([true, true, false, true]);
  });

  it('does not read open matches for hits of other rules', async () => {
    expect((await states([on('device')], [web], {}, [hitAt(1_000, ruleOf({ ruleId: 'b' }))])).sent.map(([name]) => name)).toEqual([
      'rule-states-device',
    ]);
    expect((await states([on('device')], [web], {}, [hitAt(1_000, ruleOf({ ruleId: 'a' }))])).sent.map(([name]) => name)).toEqual([
      'rule-states-device',
      'ingest-open-matches-read',
    ]);
  });
});
