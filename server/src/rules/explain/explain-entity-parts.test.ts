/** Which rules an explanation of an entity judges, by which version, and its other parts. The test supplies the rows. */
import { describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Statement } from '../../db/db.ts';
import type { CompiledRules } from '../run/compiled-rules.ts';
import { recoveryOf } from '../run/compiled-rules.ts';
import type { Entity } from '../run/entity.ts';
import { iso, type PastPacket } from '../past/past-packets.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { about, indexOf, ruleOf, web } from '../testing/hits.ts';
import { englishWords } from '../../platform/rule-words.ts';
import { explainEntityAt } from './explain-entity.ts';
import type { WireRule } from '../past/rule-versions.ts';

const at = Date.parse('2026-01-14T12:00:00.000Z');
const over = (limit: number): Condition => about(62, 3, String(limit), { LeftOperandFieldName: 'Cpu' });
const packetAt = (timestamp: number, packetId = `p${timestamp}`): PastPacket => ({
  entityId: web.id,
  packetId,
  timestamp,
  received: timestamp,
  message: { Metrics: { Cpu: 95 } },
});
const wire = (ruleId: string, extra: Partial<WireRule> = {}): WireRule => ({
  ruleId,
  name: ruleId,
  enabled: true,
  ruleTypeId: 1,
  tenantId: 't1',
  matchLifetime: '00:05:00',
  conditions: [over(90)],
  created: iso(0),
  ...extra,
});
const rule = (ruleId: string, extra: Partial<IngestRule> = {}) => ruleOf({ ruleId, name: ruleId, ...extra });

interface Question {
  rules?: IngestRule[];
  packets?: PastPacket[];
  rows?: Record<string, object[]>;
  entity?: Entity;
  time?: number;
}

async function explain({ rules = [], packets = [packetAt(at)], rows = {}, entity = web, time = at }: Question) {
  const sent: string[] = [];
  const query = ({ name = 'packets', values = [] }: Statement) => {
    sent.push(name);
    return Promise.resolve(name === 'packets' ? packets.slice(-Number(values[2])) : (rows[name] ?? []));
  };
  const ctx = { db: { query }, tenants: ['t1'], permissions: new Map(), now: () => new Date(at) } as unknown as Ctx;
  const [ingestion, dependent] = [indexOf(...rules), indexOf()];
  const compiled = { ingestion: () => ingestion, dependent: () => dependent } as unknown as CompiledRules;
  const answer = await explainEntityAt(ctx, compiled, entity, { at: time, packet: undefined });
  return { ...answer, sent, outcomes: answer.rules.map(({ ruleName, outcome }) => `${ruleName} ${outcome}`) };
}

describe('the rules that are judged', () => {
  it('are those of now, unless they were changed since, and never their recovery conditions', async () => {
    const recovering = rule('a1', { recoveryConditions: [over(10)] });
    const recovery = recoveryOf(recovering);
    const changed = [
      { ruleId: 'changed', before: wire('changed', { name: 'before' }) },
      { ruleId: 'created', before: null },
      { ruleId: 'disabled since', before: wire('disabled since') },
      { ruleId: 'enabled since', before: wire('enabled since', { enabled: false }) },
      { ruleId: 'of another type', before: wire('of another type', { ruleTypeId: 2 }) },
    ];
    const rules = [recovering, ...(recovery ? [recovery] : []), rule('changed'), rule('created'), rule('enabled since')];
    const { outcomes, counts, leftOut } = await explain({
      rules,
      rows: {
        'explain-changed-since': changed,
        'explain-disabled-rules': [rule('disabled since'), rule('off'), rule('wrong', { conditions: [over(99)] })],
      },
    });
    expect(outcomes).toEqual(['a1 hit', 'before hit', 'disabled since hit', 'enabled since disabled', 'off disabled']);
    // A disabled rule that would not have held is only counted.
    expect([counts, leftOut]).toEqual([{ hit: 3, disabled: 3 }, 1]);
  });

  it('are in the version that a campaign had brought to the device, while it was in force', async () => {
    const of = async (begun: number, until: number | null) => {
      const rolledOut = { ruleId: 'r1', campaign: 'Calm', definition: { name: 'new' }, begun: iso(begun), until: until && iso(until) };
      const before = [{ ruleId: 'r1', before: wire('r1', { name: 'old' }) }];
      return explain({ rules: [rule('r1')], rows: { 'explain-rolled-out': [rolledOut], 'explain-changed-since': before } });
    };
    for (const until of [null, at + 1]) expect((await of(at, until)).outcomes).toEqual(['new hit']);
    expect((await of(at, null)).rules[0]?.reasons[0]).toBe(englishWords.why.byCampaign('Calm'));
    for (const [begun, until] of [
      [at + 1, null],
      [at - 5, at],
    ] as const) {
      const { outcomes, rules } = await of(begun, until);
      expect([outcomes, rules[0]?.reasons]).toEqual([['old hit'], [expect.not.stringContaining('Calm')]]);
    }
  });

  it('know the packet before', async () => {
    const pause = rule('pause', { ruleTypeId: 3, conditions: [about(70, 3, '60')] });
    const after = async (pauseMs: number) =>
      (await explain({ rules: [pause], packets: [packetAt(at - 900_000), packetAt(at - pauseMs), packetAt(at)] })).counts;
    expect([await after(60_001), await after(60_000)]).toEqual([{ hit: 1 }, { miss: 1 }]);
  });
});

describe('an explanation', () => {
  const silence = rule('silence', { ruleTypeId: 3, conditions: [about(70, 3, '60')] });

  it('judges the silence after the packet, unless the entity is disabled', async () => {
    const time = at + 61_000;
    const on = await explain({ rules: [silence], time });
    expect([on.rules.map(({ event }) => event), on.reasons]).toEqual([['silence'], []]);
    const off = await explain({ rules: [silence], time, entity: { ...web, enabled: false } });
    expect([off.rules.map(({ event }) => event), off.reasons]).toEqual([
      ['packet'],
      ['The entity is disabled now: its packets are refused, and its silence is not evaluated.'],
    ]);
  });

  it('says for how many seconds the entity was silent, which is none before its packet', async () => {
    const seconds = async (time: number) => (await explain({ time })).silentSeconds;
    expect([await seconds(at - 5_000), await seconds(at), await seconds(at + 1_499), await seconds(at + 61_500)]).toEqual([0, 0, 1, 62]);
  });

  it('counts the rules that had no packet, if there are any', async () => {
    const none = await explain({ rules: [rule('a'), rule('b')], packets: [] });
    expect([none.counts, none.packet, none.silentSeconds, none.newerPacket, none.leftOut]).toEqual([{ noPacket: 2 }, null, null, null, 2]);
    expect((await explain({ packets: [] })).counts).toEqual({});
  });

  it('names the newer packet of a stale one, and the clock that was ahead', async () => {
    const newer = { packetId: 'p9', timestamp: iso(at), received: iso(at) };
    expect((await explain({ rules: [rule('a')], rows: { 'explain-newer-packet': [newer] } })).newerPacket).toEqual(newer);
    expect((await explain({ rules: [rule('a')] })).newerPacket).toBeNull();
  });

  it('lists matches of other rules, of which one of the last five seconds was opened then', async () => {
    const matchOf = (ruleId: string, first: number) => ({
      ruleId,
      ruleMatchId: `m-${ruleId}`,
      firstMatch: iso(first),
      lastMatch: iso(first),
    });
    const otherRow = (ruleId: string, ruleTypeId: number) => ({ ruleId, name: ruleId, ruleTypeId });
    const { rules, sent } = await explain({
      rows: {
        'explain-matches-between': [matchOf('opened', at - 5_000), matchOf('repeated', at - 5_001)],
        'explain-other-rules': [otherRow('opened', 6), otherRow('repeated', 3)],
      },
    });
    expect(rules.map(({ ruleName, outcome, event, disabled }) => [ruleName, outcome, event, disabled])).toEqual([
      ['opened', 'hit', 'count', null],
      ['repeated', 'repeated', 'silence', null],
    ]);
    expect(sent).toContain('explain-other-rules');
    expect((await explain({ rules: [rule('a')] })).sent).not.toContain('explain-other-rules');
  });

  it('says of a disabled rule who disabled it', async () => {
    const by = { ruleId: 'off', by: 'A', at: iso(at) };
    const { rules } = await explain({ rules: [rule('on')], rows: { 'explain-disabled-rules': [rule('off')], 'explain-disabled': [by] } });
    expect(rules.map(({ ruleName, disabled, reasons }) => [ruleName, disabled, reasons.at(-1)])).toEqual([
      ['on', null, expect.any(String)],
      ['off', { by: 'A', at: iso(at) }, 'It would have held.'],
    ]);
  });
});
