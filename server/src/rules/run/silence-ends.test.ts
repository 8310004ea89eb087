/** Matches of silence end when their entity reports again, as by any end. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import type { Ingest } from '../../ingest/accept.ts';
import type { IngestRule } from './ingest-rule.ts';
import { evaluateSilenceOfAll } from './silence/sweep.ts';
import { silenceRecoveries } from './silence-ends.ts';
import { ago, cpu, createFlow, createUnit, send, until, type Flow } from '../testing/flow.ts';
import { about, indexOf, ruleOf, web } from '../testing/hits.ts';
import { keepUp } from '../testing/pulse.ts';

const silentFor = (seconds: number, Type: 'And' | 'Or' = 'And'): Condition => ({ ...about(70, 3, String(seconds)), Type });
const few: Condition = { ...about(71, 4, '3'), WindowSeconds: 60 };
const high: Condition = about(62, 3, '90', { LeftOperandFieldName: 'Cpu' });

describe('an open match of silence', () => {
  const ends = (rule: Partial<IngestRule>, at: number, open: { isBySilence?: boolean; isHolding?: boolean } = {}, silent: string[] = []) =>
    silenceRecoveries(
      indexOf(ruleOf({ ruleTypeId: 3, ...rule })),
      web,
      at,
      [{ ruleId: 'r1', lastMatch: 60_000, isBySilence: true, isHolding: false, ...open }],
      new Set(silent),
    ).map(({ rule: { rule: of }, packet }) => [of.recovers, packet.timestamp]);
  const ended = [['r1', 61_000]];
  const alone = { conditions: [silentFor(30)] };

  it('ends with the report after its last hit, unless the entity is silent again', () => {
    expect([ends(alone, 61_000), ends(alone, 60_000)]).toEqual([ended, [['r1', 60_000]]]);
    expect([ends(alone, 59_999), ends(alone, 61_000, {}, ['r1']), ends(alone, 61_000, {}, ['r2'])]).toEqual([[], [], ended]);
  });

  it('ends only by the recovery conditions of its rule, if it has some', () => {
    expect(ends({ ...alone, recoveryConditions: [high] }, 61_000)).toEqual([]);
    expect(ends({ ...alone, recoveryConditions: [] }, 61_000)).toEqual(ended);
  });

  it('ends although the packet that ends the silence is a hit, but not while packets are hits for another reason', () => {
    expect(ends(alone, 61_000, { isBySilence: false, isHolding: true })).toEqual(ended);
    for (const conditions of [[few], [high, silentFor(30, 'Or')]]) {
      expect(ends({ conditions }, 61_000)).toEqual(ended);
      expect(ends({ conditions }, 61_000, { isHolding: true })).toEqual([]);
      expect(ends({ conditions }, 61_000, { isBySilence: false })).toEqual([]);
    }
  });
});

describe('a sweep', () => {
  let flow: Flow;
  let ingest: Ingest;
  beforeAll(async () => {
    flow = await createFlow();
    ingest = await flow.openIngest();
  });
  beforeEach(() => keepUp(flow.db));
  afterAll(() => flow.close());

  const sweep = (of = ingest) => evaluateSilenceOfAll(flow.db, of);
  const isDevice = (id: string): Condition => about(30, 1, id);
  const matchesOf = (rule: string) =>
    flow.rows<{ count: number; open: boolean; recovered: boolean }>(
      'select match_count as count, closed is null as open, recovered is not null as recovered from rule_match where rule_id = $1 order by created',
      rule,
    );

  /** A device that last reported 90 s ago, with an open match of its silence. */
  async function silentDevice(fields: Parameters<Flow['rule']>[0] = {}, clearFor = 0) {
    const device = await flow.device();
    const rule = await flow.rule({ ruleTypeId: 3, conditions: [isDevice(device), silentFor(60)], lifetimeSeconds: 86_400, ...fields });
    await flow.rows("with r as (update rule set clear_for = $2 where rule_id = $1) select pg_notify('rules', $1::text)", rule, clearFor);
    await until(() => (ingest.rules.silence().get(rule)?.rule.clearForMs ?? 0) === clearFor * 1_000 && ingest.rules.silence().get(rule));
    await send(ingest, flow.ctx, cpu(device, 5, ago(90)));
    await sweep();
    expect(await matchesOf(rule)).toEqual([{ count: 1, open: true, recovered: false }]);
    return { device, rule };
  }
  /** The phases of the executions of the matches of a rule. */
  const phasesOf = async (rule: string): Promise<string[]> => {
    await expireMatches(flow.db);
    const rows = await flow.rows<{ phase: string }>(
      `select result_detail ->> 'phase' as phase from action_history h join rule_match m on m.rule_match_id::text = h.reference_id
       where m.rule_id = $1 order by action_history_id`,
      rule,
    );
    return rows.map(({ phase }) => phase);
  };

  it('ends the match of a device that reports again once, also after a restart and with duplicates', async () => {
    const { device, rule } = await silentDevice({ expirationActions: [createUnit] });
    await sweep();
    expect(await matchesOf(rule)).toMatchObject([{ open: true }]);
    const packet = { ...cpu(device, 5), messageId: 'again' };
    await send(ingest, flow.ctx, packet);
    await send(ingest, flow.ctx, packet);
    const other = await flow.openIngest();
    await until(() => other.rules.silence().get(rule));
    await Promise.all([sweep(), sweep(other)]);
    await sweep(other);
    // The packet that ends the silence counts as a hit.
    expect(await matchesOf(rule)).toEqual([{ count: 2, open: false, recovered: true }]);
    expect(await phasesOf(rule)).toEqual(['expiration']);
    expect(await phasesOf(rule)).toEqual(['expiration']);
  });

  it('ends the match of what had never reported with its first packet', async () => {
    const device = await flow.device();
    await flow.rows("update device set created = now() - interval '90 seconds' where device_id = $1", device);
    const rule = await flow.rule({ ruleTypeId: 3, conditions: [isDevice(device), silentFor(60)] });
    await flow.rows("with r as (update rule set never_reported = true where rule_id = $1) select pg_notify('rules', $1::text)", rule);
    await until(() => ingest.rules.silence().get(rule)?.rule.neverReported);
    await sweep();
    await send(ingest, flow.ctx, cpu(device, 5));
    await sweep();
    expect(await matchesOf(rule)).toEqual([{ count: 1, open: false, recovered: true }]);
  });

  it('leaves the match open until it has been clear as long as the rule says', async () => {
    const { device, rule } = await silentDevice({}, 600);
    await send(ingest, flow.ctx, cpu(device, 5));
    await sweep();
    await sweep();
    expect(await matchesOf(rule)).toEqual([{ count: 2, open: true, recovered: true }]);
    const [match] = await flow.rows<{ seconds: number }>(
      'select extract(epoch from expires - recovered)::float8 as seconds from rule_match where rule_id = $1',
      rule,
    );
    expect(match?.seconds).toBe(600);
    // The device falls silent again before.
    await flow.rows(
      "update latest_packet set timestamp = now() - interval '70 seconds', received_timestamp = now() - interval '70 seconds', evaluated = null where entity_id = $1",
      device,
    );
    await sweep();
    expect(await matchesOf(rule)).toEqual([{ count: 3, open: true, recovered: false }]);
  });

  it('leaves a match open whose device has not reported, and one that its recovery conditions end', async () => {
    const [still, recovering] = [await silentDevice(), await silentDevice({ recoveryConditions: [high] })];
    await send(ingest, flow.ctx, cpu(recovering.device, 5));
    await sweep();
    expect(await matchesOf(still.rule)).toMatchObject([{ open: true }]);
    expect(await matchesOf(recovering.rule)).toMatchObject([{ open: true, recovered: false }]);
  });
});
