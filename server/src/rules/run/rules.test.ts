import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { maintenanceWork } from './maintenance/maintenance-work.ts';
import { ago, cpu, cpuOver90, createFlow, createUnit, send, until, type Flow, type TestRule } from '../testing/flow.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

interface Match {
  rule_match_id: string;
  match_count: number;
  closed: string | null;
  in_maintenance: boolean;
  completion_processed: boolean;
  label: string;
  correlation_id: string;
  expires: string;
  first_match: string;
}
const matches = (ruleId: string) =>
  flow.rows<Match>(
    'select rule_match_id, match_count, closed, in_maintenance, completion_processed, label, correlation_id, expires, first_match from rule_match where rule_id = $1 order by first_match',
    ruleId,
  );
const actions = (ruleId: string) =>
  flow.rows<{
    result_status_id: number;
    result_detail: { reason?: string; phase: string } | null;
    message_id: string;
    correlation_id: string;
  }>(
    'select h.result_status_id, h.result_detail, h.message_id, h.correlation_id from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 order by action_history_id',
    ruleId,
  );
const outcomes = async (ruleId: string) =>
  (
    await flow.rows<{ outcome: string }>('select outcome from rule_evaluation where rule_id = $1 order by packet_timestamp, at', ruleId)
  ).map((row) => row.outcome);
const jobs = (ruleId: string) =>
  flow.rows(
    "select j.* from job j join action_history h on j.payload ->> 'messageId' = h.message_id::text join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1",
    ruleId,
  );

/** Creates a rule about one new device and waits until every open ingest has read it. */
async function ruleFor(draft: TestRule, ...others: Ingest[]): Promise<{ device: string; rule: string }> {
  const device = await flow.device({ name: 'db-7' });
  const rule = await flow.rule({
    ...draft,
    conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, ...(draft.conditions ?? [cpuOver90])],
  });
  for (const one of [ingest, ...others]) await until(() => one.rules.ingestion().get(rule) ?? one.rules.maintenance().get(rule));
  return { device, rule };
}

describe('rules on packets', () => {
  it('opens one match, counts repeats and records the first hit and the miss after it', async () => {
    const { device, rule } = await ruleFor({ matchActions: [createUnit] });
    await send(ingest, flow.ctx, cpu(device, 95, ago(50)), cpu(device, 96, ago(40)));
    await send(ingest, flow.ctx, cpu(device, 97, ago(30)));
    await send(ingest, flow.ctx, cpu(device, 5, ago(20)), cpu(device, 6, ago(10)));
    expect(await matches(rule)).toMatchObject([{ match_count: 3, closed: null, label: 'High CPU: db-7', in_maintenance: false }]);
    expect(await outcomes(rule)).toEqual(['hit', 'miss']);
    const [action] = await actions(rule);
    const [match] = await matches(rule);
    const [packet] = await flow.rows<{ packet_id: string }>(
      'select packet_id from packet where entity_id = $1 order by timestamp limit 1',
      device,
    );
    expect(action).toMatchObject({ result_status_id: resultStatus.enqueueSuccess, correlation_id: packet?.packet_id });
    expect(match?.correlation_id).toBe(packet?.packet_id);
    expect(await jobs(rule)).toHaveLength(1);
  });

  it('counts three in a row over batches, and the same when another process takes over in between', async () => {
    const second = await flow.openIngest();
    const inRow = [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow' as const, Times: 3 } }];
    const [alone, shared] = [await ruleFor({ conditions: inRow }, second), await ruleFor({ conditions: inRow }, second)];
    const values = [95, 96, 20, 97, 98, 99, 99, 10, 95];
    for (const [i, value] of values.entries()) {
      await send(ingest, flow.ctx, cpu(alone.device, value, ago(100 - i)));
      await send(i % 2 ? ingest : second, flow.ctx, cpu(shared.device, value, ago(100 - i)));
    }
    const [one, other] = [await matches(alone.rule), await matches(shared.rule)];
    expect(one).toMatchObject([{ match_count: 2 }]);
    expect(other).toMatchObject([{ match_count: 2 }]);
    expect(await outcomes(shared.rule)).toEqual(await outcomes(alone.rule));
    const state = (id: string) =>
      flow.rows<{ rule_state: { memory: Record<string, unknown> } | null }>(
        'select rule_state from latest_packet where entity_id = $1',
        id,
      );
    expect(Object.values((await state(shared.device))[0]?.rule_state?.memory ?? {})).toEqual(
      Object.values((await state(alone.device))[0]?.rule_state?.memory ?? {}),
    );
  });

  it('opens one match with one action and one job when two processes see the hit at the same time', async () => {
    const second = await flow.openIngest();
    const { device, rule } = await ruleFor({ matchActions: [createUnit] }, second);
    await Promise.all(Array.from({ length: 10 }, (_, i) => send(i % 2 ? ingest : second, flow.ctx, cpu(device, 95))));
    const open = await matches(rule);
    expect(open).toHaveLength(1);
    expect(open[0]?.closed).toBeNull();
    expect(await actions(rule)).toHaveLength(1);
    expect(await jobs(rule)).toHaveLength(1);
  });

  it.each([
    ['one statement', 0],
    ['several statements', 1_100_000],
  ])('waits for a latest packet that another process has locked without holding its match: a batch of %s', async (_, size) => {
    // Packets are written in the order of the ids of their devices, so the packets of `first` are in the first statement.
    const first = await flow.device({ name: 'first' });
    const { device, rule } = await ruleFor({});
    const large = (n: number) => ({ entityId: first, message: { Properties: { Text: `${n}`.repeat(size / 2) } } });
    await send(ingest, flow.ctx, large(1), cpu(device, 95));
    let sent: Promise<unknown> | undefined;
    await flow.database.scoped('all').transaction(async (other) => {
      await other.query({ text: 'select from latest_packet where entity_id = $1 for update', values: [device] });
      sent = send(ingest, flow.ctx, large(1), large(2), cpu(device, 96));
      await until(async () => (await flow.rows('select pid from pg_locks where not granted'))[0]);
      await other.query({ text: 'select from rule_match where rule_id = $1 for update nowait', values: [rule] });
    });
    await sent;
    expect(await matches(rule)).toMatchObject([{ match_count: 2 }]);
  });

  it('replays a late buffer at its own times: closed matches, actions suppressed as late', async () => {
    const { device, rule } = await ruleFor({ matchActions: [createUnit], expirationActions: [createUnit], lifetimeSeconds: 300 });
    await send(
      ingest,
      flow.ctx,
      cpu(device, 95, ago(7_200)),
      cpu(device, 95, ago(7_100)),
      cpu(device, 95, ago(3_600)),
      cpu(device, 95, ago(10)),
    );
    expect(await matches(rule)).toMatchObject([
      { match_count: 2, closed: expect.any(String), completion_processed: true },
      { match_count: 1, closed: expect.any(String), completion_processed: true },
      { match_count: 1, closed: null },
    ]);
    expect((await actions(rule)).map((a) => `${a.result_detail?.phase} ${a.result_detail?.reason ?? 'queued'}`)).toEqual([
      'match late',
      'expiration late',
      'match late',
      'expiration late',
      'match queued',
    ]);
    expect(await jobs(rule)).toHaveLength(1);
    expect(await outcomes(rule)).toEqual(['late', 'late', 'hit']);
  });

  it('does not evaluate a packet that is older than the latest, and says so', async () => {
    const { device, rule } = await ruleFor({});
    await send(ingest, flow.ctx, cpu(device, 10));
    await send(ingest, flow.ctx, cpu(device, 99, ago(60)));
    expect(await matches(rule)).toEqual([]);
    expect(await outcomes(rule)).toEqual(['stale']);
    // Further stale packets within the hour are only counted.
    await send(ingest, flow.ctx, cpu(device, 99, ago(50)), cpu(device, 99, ago(40)));
    expect(await outcomes(rule)).toEqual(['stale']);
    expect(await flow.rows('select sum(count)::int as count from stale_count where rule_id = $1', rule)).toEqual([{ count: 3 }]);
  });

  it('moves the end with each hit where expiration slides, and leaves it where it does not', async () => {
    const [sliding, fixed] = [await ruleFor({ sliding: true }), await ruleFor({})];
    for (const { device } of [sliding, fixed]) await send(ingest, flow.ctx, cpu(device, 95, ago(120)), cpu(device, 95, ago(20)));
    const lifetime = async (rule: string) => {
      const [match] = await matches(rule);
      return Math.round((Date.parse(match?.expires ?? '') - Date.parse(match?.first_match ?? '')) / 1_000);
    };
    expect(await lifetime(sliding.rule)).toBe(400);
    expect(await lifetime(fixed.rule)).toBe(300);
  });

  it('records actions of an entity in maintenance as suppressed', async () => {
    const { device, rule } = await ruleFor({ matchActions: [createUnit], expirationActions: [createUnit] });
    await ruleFor({
      ruleTypeId: 5,
      conditions: [{ Type: 'Or', LeftOperand: 30, Operator: 1, RightOperand: device }],
      timeConditions: { TimeZoneId: 'UTC', DaysOfWeek: [0, 1, 2, 3, 4, 5, 6] },
    });
    await send(ingest, flow.ctx, cpu(device, 95));
    expect(await matches(rule)).toMatchObject([{ in_maintenance: true, closed: null }]);
    expect(await actions(rule)).toMatchObject([{ result_status_id: resultStatus.suppressed, result_detail: { reason: 'maintenance' } }]);
    expect(await jobs(rule)).toEqual([]);
    expect(await outcomes(rule)).toEqual(['suppressed']);
  });

  it('marks open matches as the window of a maintenance rule begins and ends', async () => {
    const { device, rule } = await ruleFor({ expirationActions: [createUnit] });
    await send(ingest, flow.ctx, cpu(device, 95));
    const work = maintenanceWork(ingest);
    await work.run(flow.db);
    expect(await matches(rule)).toMatchObject([{ in_maintenance: false }]);
    const maintenanceRule = await flow.rule({
      ruleTypeId: 5,
      conditions: [{ Type: 'Or', LeftOperand: 30, Operator: 1, RightOperand: device }],
      timeConditions: { TimeZoneId: 'UTC' },
    });
    await until(() => ingest.rules.maintenance().get(maintenanceRule));
    await work.run(flow.db);
    expect(await matches(rule)).toMatchObject([{ in_maintenance: true }]);
    await flow.rows("with r as (update rule set enabled = false where rule_id = $1) select pg_notify('rules', $1::text)", maintenanceRule);
    await until(() => !ingest.rules.maintenance().get(maintenanceRule));
    await work.run(flow.db);
    expect(await matches(rule)).toMatchObject([{ in_maintenance: false }]);
  });

  it('applies a changed, disabled or deleted rule within a second', async () => {
    const { device, rule } = await ruleFor({});
    await flow.rows("with r as (update rule set enabled = false where rule_id = $1) select pg_notify('rules', $1::text)", rule);
    await until(() => !ingest.rules.ingestion().get(rule));
    await send(ingest, flow.ctx, cpu(device, 95));
    expect(await matches(rule)).toEqual([]);
  });
});

describe('the end of matches', () => {
  const end = (rule: string) => flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", rule);

  it('closes what is due, once, and queues its expiration actions, once', async () => {
    const { device, rule } = await ruleFor({ expirationActions: [createUnit] });
    await send(ingest, flow.ctx, cpu(device, 95));
    await expireMatches(flow.db);
    expect(await matches(rule)).toMatchObject([{ closed: null }]);
    await end(rule);
    await Promise.all([expireMatches(flow.db), expireMatches(flow.db), expireMatches(flow.db)]);
    expect(await matches(rule)).toMatchObject([{ closed: expect.any(String), completion_processed: true }]);
    expect(await actions(rule)).toMatchObject([{ result_status_id: resultStatus.enqueueSuccess, result_detail: { phase: 'expiration' } }]);
    expect(await jobs(rule)).toHaveLength(1);
  });

  it('records the expiration actions of a match in maintenance as suppressed', async () => {
    const { device, rule } = await ruleFor({ expirationActions: [createUnit] });
    await send(ingest, flow.ctx, cpu(device, 95));
    await flow.rows('update rule_match set in_maintenance = true where rule_id = $1', rule);
    await end(rule);
    await expireMatches(flow.db);
    expect(await actions(rule)).toMatchObject([
      { result_status_id: resultStatus.suppressed, result_detail: { phase: 'expiration', reason: 'maintenance' } },
    ]);
    expect(await jobs(rule)).toEqual([]);
  });

  it('lets a hit after the end open a new match, and the expiry run the actions of the old one', async () => {
    const { device, rule } = await ruleFor({ expirationActions: [createUnit] });
    await send(ingest, flow.ctx, cpu(device, 95, ago(30)));
    await flow.rows("update rule_match set expires = now() - interval '20 seconds' where rule_id = $1", rule);
    await send(ingest, flow.ctx, cpu(device, 95));
    expect(await matches(rule)).toMatchObject([{ closed: expect.any(String), completion_processed: false }, { closed: null }]);
    await expireMatches(flow.db);
    expect(await actions(rule)).toHaveLength(1);
  });
});
