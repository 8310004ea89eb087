/** A packet that is evaluated again, with the rule's memory before it. The test supplies the packets. */
import { describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../db/db.ts';
import type { PastPacket } from '../past/past-packets.ts';
import { web } from '../testing/hits.ts';
import { packetsUpTo, replayPacket } from './replay-packet.ts';
import { compiler, type RuleVersion, type WireRule } from '../past/rule-versions.ts';

const cpuOver90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const twice: Condition = { ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } };
const ruleOf = (conditions: Condition[], extra: Partial<WireRule> = {}): WireRule => ({
  ruleId: 'r1',
  name: 'Hot',
  enabled: true,
  ruleTypeId: 1,
  tenantId: 't1',
  matchLifetime: '00:01:00',
  conditions,
  created: '2026-01-01T00:00:00.000Z',
  ...extra,
});
const packetAt = (timestamp: number, Cpu = 95, received = timestamp): PastPacket => ({
  entityId: web.id,
  packetId: `p${timestamp}`,
  timestamp,
  received,
  message: { Metrics: { Cpu } },
});

/** Returns a database with these packets. `laterReceived`: the earliest receipt of packets with a later time. */
function dbOf(packets: readonly PastPacket[], laterReceived?: number) {
  const limits: number[] = [];
  const later: number[] = [];
  const query = ({ name, text, values = [] }: Statement): Promise<unknown[]> => {
    if (name === 'gaps-between') return Promise.resolve([]);
    if (text.includes('min(received_timestamp)')) {
      later.push(Date.parse(String(values[1])));
      return Promise.resolve(laterReceived === undefined ? [] : [{ id: web.id, received: laterReceived }]);
    }
    limits.push(Number(values[2]));
    const upTo = packets.filter((packet) => packet.timestamp <= Date.parse(String(values[1])));
    return Promise.resolve(upTo.toReversed().slice(0, Number(values[2])));
  };
  return { db: { query } as unknown as Db, limits, later };
}

const versions = (rule: WireRule | null, ...more: RuleVersion[]): RuleVersion[] => [{ from: 0, rule }, ...more];
const replay = (packets: readonly PastPacket[], of: readonly RuleVersion[], where: { at: number; packetId?: string }) =>
  replayPacket(dbOf(packets).db, web, of, where);

describe('a packet that is evaluated again', () => {
  it('is the one with the id, or the latest at the time', async () => {
    const packets = [packetAt(1_000), packetAt(2_000, 50), packetAt(3_000)];
    const of = versions(ruleOf([cpuOver90]));
    expect((await replay(packets, of, { at: 2_999 }))?.packet.packetId).toBe('p2000');
    expect(await replay(packets, of, { at: 3_000, packetId: 'p1000' })).toMatchObject({
      packet: { packetId: 'p1000' },
      trace: { outcome: 'hit' },
    });
    expect((await replay(packets, of, { at: 3_000, packetId: 'p2000' }))?.trace?.outcome).toBe('miss');
    expect((await replay(packets, of, { at: 3_000, packetId: 'other' }))?.packet.packetId).toBe('p3000');
    expect(await replay(packets, of, { at: 999 })).toBeUndefined();
  });

  it('has the memory of the packets before it, and leaves its own', async () => {
    const of = versions(ruleOf([twice]));
    const look = await replay([packetAt(1_000), packetAt(2_000)], of, { at: 2_000 });
    expect(look).toMatchObject({ trace: { outcome: 'hit' }, stale: false, cut: false, error: undefined });
    expect(look?.state).toBeDefined();
    expect((await replay([packetAt(1_000, 50), packetAt(2_000)], of, { at: 2_000 }))?.trace?.outcome).toBe('miss');
  });

  it('is not evaluated when it was stale, and stale ones before it leave no memory', async () => {
    const of = versions(ruleOf([twice]));
    const stale = await replayPacket(dbOf([packetAt(1_000, 95, 5_000)], 4_000).db, web, of, { at: 1_000 });
    expect(stale).toMatchObject({ stale: true, trace: undefined, state: undefined });
    const after = [packetAt(1_000, 50, 1_000), packetAt(2_000, 95, 9_000), packetAt(3_000, 95, 3_000)];
    expect((await replay(after, of, { at: 3_000 }))?.trace?.outcome).toBe('miss');
    const { db, later } = dbOf([packetAt(1_000)]);
    await replayPacket(db, web, of, { at: 1_000 });
    expect(later).toEqual([1_001]);
  });

  it('is evaluated by the version of its receipt, if that is enabled', async () => {
    const packets = [packetAt(1_000)];
    const later = (rule: WireRule | null, from: number) => versions(ruleOf([cpuOver90]), { from, rule });
    const trace = async (rule: WireRule | null, from: number) => (await replay(packets, later(rule, from), { at: 1_000 }))?.trace?.outcome;
    const over99 = ruleOf([{ ...cpuOver90, RightOperand: '99' }]);
    expect([await trace(over99, 1_000), await trace(over99, 1_001)]).toEqual(['miss', 'hit']);
    expect([await trace(null, 1_000), await trace(ruleOf([cpuOver90], { enabled: false }), 1_000)]).toEqual([undefined, undefined]);
  });

  it('says why its rule could not be evaluated, and not why another one could not', async () => {
    const packets = [packetAt(1_000), packetAt(2_000)];
    const broken = ruleOf([]);
    expect(await replay(packets, versions(broken), { at: 2_000 })).toMatchObject({
      trace: undefined,
      error: 'Condtions are required for rules.',
    });
    const mended = versions(broken, { from: 2_000, rule: ruleOf([cpuOver90]) });
    expect(await replay(packets, mended, { at: 2_000 })).toMatchObject({ trace: { outcome: 'hit' }, error: undefined });
  });

  it('is looked for among the last 50, or 2,000 where a rule remembers, which may be too few', async () => {
    const packets = Array.from({ length: 2_000 }, (_, n) => packetAt(n));
    const cut = async (conditions: Condition[], of = packets) => {
      const { db, limits } = dbOf(of);
      const look = await replayPacket(db, web, versions(ruleOf(conditions)), { at: 2_000 });
      return [limits, look?.cut];
    };
    expect(await cut([cpuOver90])).toEqual([[50], false]);
    expect(await cut([twice])).toEqual([[2_000], true]);
    expect(await cut([twice], packets.slice(1))).toEqual([[2_000], false]);
    expect(await cut([])).toEqual([[50], false]);
    expect((await packetsUpTo(dbOf(packets).db, web.id, 100, 3)).map((item) => item.timestamp)).toEqual([98, 99, 100]);
  });
});

describe('the versions of a rule', () => {
  it('are compiled once each, or to the reason', () => {
    const compiled = compiler();
    const [rule, broken] = [ruleOf([cpuOver90]), ruleOf([])];
    expect(compiled(rule)).toBe(compiled(rule));
    expect(compiled(rule)).not.toBe(compiled(ruleOf([cpuOver90])));
    expect([compiled(broken), compiled(broken)]).toEqual(['Condtions are required for rules.', 'Condtions are required for rules.']);
  });
});
