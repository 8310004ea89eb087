/** Explains one packet over 10,000 rules at once: those of other devices, those that miss by a value, and patterns; and says what a change of one of them touches. */
import pg from 'pg';
import { pino } from 'pino';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { systemCtx } from '../server/src/auth/system-ctx.ts';
import type { Ctx } from '../server/src/context/ctx.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { served } from '../server/src/app/served.ts';
import { openIngest } from '../server/src/ingest/accept.ts';
import { readEntities } from '../server/src/rules/entities.ts';
import { impactOfRule } from '../server/src/rules/impact/of-rule.ts';
import { explainEntityAt } from '../server/src/rules/explain/explain-entity.ts';
import { percentile, type BenchRow } from './load.ts';

const ruleCount = 10_000;
const questions = 200;
const deviceCount = 20_000;

/** Every tenth rule is about the device alone; every twentieth has a pattern; one in a thousand holds. */
const fillRules = `insert into rule (tenant_id, name, rule_type_id, enabled, conditions)
select $1, 'rule ' || n, 1, n % 50 > 0, jsonb_build_array(
  jsonb_build_object('Type', 'And', 'LeftOperand', 30, 'Operator', 1, 'RightOperand', case when n % 10 = 0 then $2::uuid else gen_random_uuid() end),
  jsonb_build_object('Type', 'And', 'LeftOperand', 62, 'LeftOperandFieldName', 'Cpu', 'Operator', 3, 'RightOperand', case when n % 1000 = 10 then '50' else '99' end,
    'OccurrencePattern', case when n % 20 = 0 then jsonb_build_object('Kind', 'TimesInRow', 'Times', 3) end),
  jsonb_build_object('Type', 'And', 'LeftOperand', 62, 'LeftOperandFieldName', 'Memory', 'Operator', 3, 'RightOperand', (n % 60)::text))
from generate_series(1, ${ruleCount}) n`;

/** Each has a heartbeat block; one in twenty has an open match of one of 100 rules. */
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
    const times: number[] = [];
    let rules = 0;
    for (let i = 0; i < questions; i += 1) {
      const started = performance.now();
      const answer = await explainEntityAt(ctx, ingest.rules, entity, { at: Date.now(), packet: undefined });
      times.push(performance.now() - started);
      rules = Object.values(answer.counts).reduce((sum, count) => sum + count, 0);
    }
    const impacts: number[] = [];
    const [draft] = [...ingest.rules.ingestion().ofTenant(tenantId)];
    if (!draft) throw new Error('There are no rules.');
    const tagged = { Type: 'And' as const, LeftOperand: 32, Operator: 5, RightOperand: 'group-7' };
    for (let i = 0; i < questions; i += 1) {
      const started = performance.now();
      // What a person sees while typing: each question has another draft.
      await impactOfRule(ctx, draft.rule, {
        ...draft.rule,
        conditions: [{ ...tagged, RightOperand: `group-${i}` }, ...draft.rule.conditions.slice(1)],
      });
      impacts.push(performance.now() - started);
    }
    return [
      {
        name: `what a change of a rule touches, of ${deviceCount} devices and ${ruleCount} rules`,
        figures: { 'p95 ms': percentile(impacts, 0.95), 'p50 ms': percentile(impacts, 0.5), 'first ms': impacts[0] ?? 0 },
      },
      {
        name: `one packet explained over ${rules} rules`,
        figures: { 'p95 ms': percentile(times, 0.95), 'p50 ms': percentile(times, 0.5), 'most ms': Math.max(...times) },
      },
    ];
  } finally {
    await ingest.stop();
    await database.close();
  }
}
