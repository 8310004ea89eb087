/**
 * Measures the explanation of one packet over 10,000 rules (of other devices, that miss by a value, with patterns), the impact
 * of a change of a rule, and what a rule would match now while people write it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import type { MatchingNow } from '@cloudfit/contract/actions/backtest.ts';
import { latestPacketsRead } from '@cloudfit/contract/limits.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { systemCtx } from '../server/src/auth/system-ctx.ts';
import type { Ctx } from '../server/src/context/ctx.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { served } from '../server/src/app/served.ts';
import { openIngest, type Ingest } from '../server/src/ingest/accept.ts';
import { readEntities } from '../server/src/rules/run/entities.ts';
import { matchingNowAction } from '../server/src/rules/impact/matching-now.action.ts';
import { impactOfRule } from '../server/src/rules/impact/of-rule.ts';
import { explainEntityAt } from '../server/src/rules/explain/explain-entity.ts';
import { percentile, type BenchRow } from './load.ts';

const ruleCount = 10_000;
const questions = 200;
const deviceCount = 20_000;

/** Every tenth rule selects the explained device, the others another one; every twentieth has a pattern; a few rules hold. */
const fillRules = `insert into rule (tenant_id, name, rule_type_id, enabled, conditions)
select $1, 'rule ' || n, 1, n % 50 > 0, jsonb_build_array(
  jsonb_build_object('Type', 'And', 'LeftOperand', 30, 'Operator', 1, 'RightOperand', case when n % 10 = 0 then $2::uuid else gen_random_uuid() end),
  jsonb_build_object('Type', 'And', 'LeftOperand', 62, 'LeftOperandFieldName', 'Cpu', 'Operator', 3, 'RightOperand', case when n % 1000 = 10 then '50' else '99' end,
    'OccurrencePattern', case when n % 20 = 0 then jsonb_build_object('Kind', 'TimesInRow', 'Times', 3) end),
  jsonb_build_object('Type', 'And', 'LeftOperand', 62, 'LeftOperandFieldName', 'Memory', 'Operator', 3, 'RightOperand', (n % 60)::text))
from generate_series(1, ${ruleCount}) n`;

/** Each device has a heartbeat block; one in twenty has an open match. */
const fillDevices = [
  `insert into device (tenant_id, subscription_id, name, tags) select tenant_id, subscription_id, 'device ' || n, 'group-' || n % 100
from subscription, generate_series(1, ${deviceCount}) n where tenant_id = $1`,
  `insert into block (tenant_id, subscription_id, name, block_type_id, device_id) select tenant_id, subscription_id, name, 1, device_id from device where tenant_id = $1
on conflict do nothing`,
  `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
select d.tenant_id, r.rule_id, d.device_id, d.name, now() + interval '1 hour', now(), now(), uuidv7()
from (select *, row_number() over (order by device_id) as n from device where tenant_id = $1) d
join (select rule_id, row_number() over (order by rule_id) as n from rule where tenant_id = $1 limit 100) r on r.n = d.n % 100 + 1 where d.n % 20 = 0`,
];

async function prepare(url: string): Promise<{ tenantId: string; deviceId: string }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{
      tenantId: string;
      deviceId: string;
    }>(`with t as (insert into tenant (name) values ('Bench') returning tenant_id),
      s as (insert into subscription (tenant_id, name) select tenant_id, 'Bench' from t returning tenant_id, subscription_id)
      insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, 'device' from s returning tenant_id as "tenantId", device_id as "deviceId"`);
    const [home] = rows;
    if (!home) throw new Error('No device was made.');
    await client.query(fillRules, [home.tenantId, home.deviceId]);
    for (const text of fillDevices) await client.query(text, [home.tenantId]);
    await client.query('analyze');
    return home;
  } finally {
    await client.end();
  }
}

const latestPackets = `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select device_id, tenant_id, now(), now(), gen_random_uuid(), jsonb_build_object('Metrics', jsonb_build_object('Cpu', (random() * 100)::int, 'Memory', (random() * 100)::int, 'Disk', 40),
  'States', jsonb_build_object('Service', 'running')) from device where tenant_id = $1 on conflict do nothing`;
const [coldAsks, warmAsks] = [3, 100];
/** The pause in typing after which the editor sends a request. */
const pauseMs = 400;
/** How long the server caches the latest packets. */
const keptMs = 5_000;
const [rounds, roundMs, atOnce] = [3, 2_000, 100];

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function times(count: number, work: (i: number) => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  for (let i = 0; i < count; i += 1) durations.push(await timed(() => work(i)));
  return durations;
}

/** Measures two people who write a rule of the tenant and pause after each word, while the same process ingests packets. */
async function benchWriting(ctx: Ctx, ingest: Ingest, system: Ctx, tenantId: string): Promise<BenchRow[]> {
  await ctx.db.query({ text: latestPackets, values: [tenantId] });
  const ask = async (limit: number): Promise<void> => {
    const conditions = [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: String(limit) }];
    const run = matchingNowAction.bind(({ input }) => input.parse({ rule: { ruleTypeId: 1, tenantId, conditions } }));
    const { entities } = (await run(ctx)) as MatchingNow;
    if (entities < latestPacketsRead - 1) throw new Error(`It looked at ${entities} packets only.`);
  };
  const bare = await times(5, () =>
    ctx.db.query<BareRow>({
      text: 'select entity_id, timestamp, message from latest_packet where tenant_id = $1 order by entity_id limit $2',
      values: [tenantId, latestPacketsRead],
    }),
  );
  const first: number[] = [];
  for (let i = 0; i < coldAsks; i += 1) {
    if (i > 0) await sleep(keptMs + 100);
    first.push(await timed(() => ask(50 + i)));
  }
  const warm = await times(warmAsks, ask);

  const ids = (
    await ctx.db.query<{ id: string }>({
      text: 'select device_id as id from device where tenant_id = $1 limit $2',
      values: [tenantId, atOnce],
    })
  ).map(({ id }) => id);
  const perSecond = async (): Promise<number> => {
    let packets = 0;
    const started = performance.now();
    while (performance.now() - started < roundMs) {
      const body = ids.map((entityId) => ({ entityId, message: { Metrics: { Cpu: packets % 100, Memory: 30 } } }));
      await ingest.ingestBody(system, body, 'application/json');
      packets += atOnce;
    }
    return (1_000 * packets) / (performance.now() - started);
  };
  const all: { off: number; on: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const off = await perSecond();
    let writes = true;
    const person = async (n: number) => {
      for (let i = 0; writes; i += 1) {
        await ask(n + i);
        await sleep(pauseMs);
      }
    };
    const people = Promise.all([person(1), person(50)]);
    const on = await perSecond();
    writes = false;
    await people;
    all.push({ off, on });
  }
  const best = all.reduce((one, other) => (other.on / other.off > one.on / one.off ? other : one));
  const two = (value: number) => Math.round(value * 100) / 100;
  const [min, bareMs] = [Math.min(...first), Math.min(...bare)];
  return [
    {
      name: `what a rule that is being written would match now, on ${latestPacketsRead} latest packets`,
      figures: {
        'p95 ms': percentile(warm, 0.95),
        'p50 ms': percentile(warm, 0.5),
        'first ms': Math.round(min),
        'bare SQL ms': Math.round(bareMs),
      },
      ratio: { of: 'the bare read of the packets, for the first question', value: two(min / bareMs) },
    },
    {
      name: `ingest while two people write rules of the tenant and pause every ${pauseMs} ms, in one process`,
      figures: {
        'packets/s': Math.round(best.on),
        'without packets/s': Math.round(best.off),
        ratios: all.map(({ on, off }) => two(on / off)).join(' '),
      },
      ratio: { of: 'ingest without, in the same round', value: two(best.on / best.off) },
    },
  ];
}

interface BareRow {
  entity_id: string;
  timestamp: string;
  message: unknown;
}

export async function bench(url: string): Promise<BenchRow[]> {
  await migrate(url);
  const { tenantId, deviceId } = await prepare(url);
  const log = pino({ level: 'silent' });
  const database = openDatabase({ url, max: 4, onError: () => undefined });
  await registerServed(database, served);
  const ingest = await openIngest({ database, log });
  try {
    const system = systemCtx({ database, log, name: 'bench', tenants: [tenantId] });
    const ctx: Ctx = { ...system, permissions: new Map([[tenantId, new Set<string>(allPermissions)]]) };
    for (let i = 0; i < 20; i += 1)
      await ingest.ingestBody(system, [{ entityId: deviceId, message: { Metrics: { Cpu: 40 + i * 2, Memory: 30 } } }], 'application/json');
    const [entity] = await readEntities(ctx.db, [deviceId]);
    if (!entity) throw new Error('The device is not there.');
    const durations: number[] = [];
    let rules = 0;
    for (let i = 0; i < questions; i += 1) {
      const started = performance.now();
      const answer = await explainEntityAt(ctx, ingest.rules, entity, { at: Date.now(), packet: undefined });
      durations.push(performance.now() - started);
      rules = Object.values(answer.counts).reduce((sum, count) => sum + count, 0);
    }
    const impacts: number[] = [];
    const [draft] = [...ingest.rules.ingestion().ofTenant(tenantId)];
    if (!draft) throw new Error('There are no rules.');
    const tagged = { Type: 'And' as const, LeftOperand: 32, Operator: 5, RightOperand: 'group-7' };
    for (let i = 0; i < questions; i += 1) {
      const started = performance.now();
      // Each request has another draft of the rule, as while a person types.
      await impactOfRule(ctx, draft.rule, {
        ...draft.rule,
        conditions: [{ ...tagged, RightOperand: `group-${i}` }, ...draft.rule.conditions.slice(1)],
      });
      impacts.push(performance.now() - started);
    }
    const writing = await benchWriting(ctx, ingest, system, tenantId);
    return [
      {
        name: `what a change of a rule touches, of ${deviceCount} devices and ${ruleCount} rules`,
        figures: { 'p95 ms': percentile(impacts, 0.95), 'p50 ms': percentile(impacts, 0.5), 'first ms': impacts[0] ?? 0 },
      },
      {
        name: `one packet explained over ${rules} rules`,
        figures: { 'p95 ms': percentile(durations, 0.95), 'p50 ms': percentile(durations, 0.5), 'most ms': Math.max(...durations) },
      },
      ...writing,
    ];
  } finally {
    await ingest.stop();
    await database.close();
  }
}
