/** Packets of senders whose clock is wrong, and after a server whose clock was wrong: which matches they open, and what is stored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../context/ctx.ts';
import { evaluateSilenceOfAll } from '../rules/run/silence/sweep.ts';
import { keepUp } from '../rules/testing/pulse.ts';
import { cpu, cpuOver90, createFlow, createUnit, send, until, type Flow } from '../rules/testing/flow.ts';
import type { Ingest } from './accept.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const start = Date.now() - 120_000;
const receivedAt = (seconds: number): Ctx => ({ ...flow.ctx, now: () => new Date(start + seconds * 1_000) });
const stamp = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

async function deviceWithRule(more: object = {}): Promise<{ device: string; rule: string }> {
  const device = await flow.device();
  const isDevice = { Type: 'And' as const, LeftOperand: 30, Operator: 1, RightOperand: device };
  const rule = await flow.rule({ conditions: [isDevice, cpuOver90], matchActions: [createUnit], ...more });
  await until(() => ingest.rules.ingestion().get(rule));
  return { device, rule };
}

/** Sends a value as if it were received, and measured, these seconds after the start. */
const report = (device: string, value: number, received: number, sent: number, by: Ingest = ingest) =>
  send(by, receivedAt(received), cpu(device, value, stamp(sent)));

const matchesOf = (rule: string) =>
  flow.rows<{ first: number; count: number; late: boolean; run: number }>(
    `select round(extract(epoch from first_match) - $2)::int as first, match_count as count, is_late as late,
  (select count(*)::int from action_history h where h.reference_id = m.rule_match_id::text and h.result_status_id <> ${resultStatus.suppressed}) as run
from rule_match m where rule_id = $1 order by first_match`,
    rule,
    start / 1_000,
  );
const timesOf = async (device: string) =>
  (
    await flow.rows<{ at: number | null }>(
      `select round(extract(epoch from evaluated) - $2)::float8 as at from packet where entity_id = $1 order by received_timestamp`,
      device,
      start / 1_000,
    )
  ).map(({ at }) => at);
const skewOf = async (device: string) =>
  (await flow.rows<{ skew: number | null }>('select clock_skew_seconds as skew from device where device_id = $1', device))[0]?.skew;

describe('a sender that is always six minutes behind', () => {
  it('opens a match whose actions run, from the third receipt on, also by two servers', async () => {
    const { device, rule } = await deviceWithRule();
    const other = await flow.openIngest();
    await until(() => other.rules.ingestion().get(rule));
    for (const [i, by] of [ingest, other, ingest, other, ingest].entries()) await report(device, 97, i * 10, i * 10 - 360, by);
    expect(await matchesOf(rule)).toEqual([
      { first: -360, count: 2, late: true, run: 0 },
      { first: 20, count: 3, late: false, run: 1 },
    ]);
    expect(await timesOf(device)).toEqual([null, null, 20, 30, 40]);
    expect(await skewOf(device)).toBe(-360);
    for (const i of [5, 6, 7]) await report(device, 5, i * 10, i * 10);
    expect(await skewOf(device)).toBeNull();
    await other.stop();
  });

  it('is not silent while it reports, and one that is ahead is silent without delay', async () => {
    const behind = await flow.device();
    const ahead = await flow.device();
    const silent = (device: string) => [
      { Type: 'And' as const, LeftOperand: 30, Operator: 1, RightOperand: device },
      { Type: 'And' as const, LeftOperand: 70, Operator: 3, RightOperand: '600' },
    ];
    const rules = await Promise.all([behind, ahead].map((device) => flow.rule({ ruleTypeId: 3, conditions: silent(device) })));
    for (const rule of rules) await until(() => ingest.rules.silence().get(rule));
    await report(ahead, 5, -700, -460);
    // From the second packet on, also before it is known that they are no buffer.
    for (const i of [9, 10, 11]) {
      await report(behind, 5, i * 10, i * 10 - 1_000);
      if (i === 9) continue;
      await keepUp(flow.db);
      await evaluateSilenceOfAll(flow.db, ingest);
    }
    const counts = await Promise.all(rules.map(async (rule) => (await matchesOf(rule)).length));
    expect(counts).toEqual([0, 1]);
  });
});

describe('a packet that arrives two seconds after a newer one', () => {
  it('opens a match and counts in it, also by another server, and only once', async () => {
    const { device, rule } = await deviceWithRule();
    const other = await flow.openIngest();
    await until(() => other.rules.ingestion().get(rule));
    await report(device, 5, 0, 0);
    await report(device, 5, 10, 10);
    await report(device, 97, 10.5, 8);
    expect(await matchesOf(rule)).toEqual([{ first: 8, count: 1, late: false, run: 1 }]);
    await report(device, 97, 11, 9, other);
    await report(device, 97, 12, 7);
    expect(await matchesOf(rule)).toEqual([{ first: 7, count: 3, late: false, run: 1 }]);
    expect(await timesOf(device)).toEqual([null, null, 8, 9, 7]);
    await other.stop();
  });

  it('takes its place in a pattern', async () => {
    const { device, rule } = await deviceWithRule();
    const inRow = { ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } };
    const conditions = [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, inRow];
    await flow.rows('update rule set conditions = $2 where rule_id = $1', rule, JSON.stringify(conditions));
    await flow.db.query({ text: `select pg_notify('rules', $1)`, values: [rule] });
    await until(() => ingest.rules.ingestion().get(rule)?.resting === undefined);
    await report(device, 97, 8, 8);
    await report(device, 5, 10, 10);
    await report(device, 97, 10.5, 9);
    expect(await matchesOf(rule)).toEqual([{ first: 9, count: 1, late: false, run: 1 }]);
    await report(device, 97, 11, 11);
    await report(device, 97, 12, 12);
    expect(await matchesOf(rule)).toEqual([{ first: 9, count: 2, late: false, run: 1 }]);
  });
});

describe('a clock that is set back', () => {
  it('makes its packets older than the latest one until it is known, which also a restart remembers', async () => {
    const { device, rule } = await deviceWithRule();
    await report(device, 5, 0, 0);
    await report(device, 97, 10, -350);
    const other = await flow.openIngest();
    await until(() => other.rules.ingestion().get(rule));
    await report(device, 97, 20, -340, other);
    await report(device, 97, 30, -330, other);
    expect(await timesOf(device)).toEqual([null, -Infinity, -Infinity, 30]);
    expect(await matchesOf(rule)).toEqual([{ first: 30, count: 1, late: false, run: 1 }]);
    await other.stop();
  });
});

describe('a packet that a server stored two hours ahead', () => {
  it('hides none of those after it', async () => {
    const { device, rule } = await deviceWithRule();
    await send(ingest, receivedAt(7_200), cpu(device, 5));
    await send(ingest, receivedAt(10), cpu(device, 97));
    expect(await matchesOf(rule)).toEqual([{ first: 10, count: 1, late: false, run: 1 }]);
  });
});

describe('a buffer', () => {
  it('is evaluated at its own times, and tells only where the rule tells however late', async () => {
    const buffered = await deviceWithRule();
    const telling = await deviceWithRule();
    await flow.rows('update rule set tell_late = true where rule_id = $1', telling.rule);
    await flow.db.query({ text: `select pg_notify('rules', $1)`, values: [telling.rule] });
    await until(() => ingest.rules.ingestion().get(telling.rule)?.rule.tellLate);
    for (const { device, rule } of [buffered, telling]) {
      for (let i = 0; i < 5; i += 1) await report(device, 97, 60 + i * 2, -1_800 + i * 20);
      expect(await matchesOf(rule)).toEqual([
        { first: -1_800, count: 5, late: rule === buffered.rule, run: rule === telling.rule ? 1 : 0 },
      ]);
      expect(await skewOf(device)).toBeNull();
    }
  });
});
