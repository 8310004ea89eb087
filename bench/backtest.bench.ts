/** Measures how many times faster than real time a backtest runs over recorded packets of 1,000 devices. */
import pg from 'pg';
import { pino } from 'pino';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { runBacktest } from '../server/src/rules/backtest/run-backtest.ts';
import { openCompiledRules } from '../server/src/rules/run/compiled-rules.ts';
import { openEntities } from '../server/src/rules/run/entities.ts';
import type { BenchRow } from './load.ts';

const deviceCount = 1_000;
const everySeconds = 30;
const hours = 3;

/** Each device reports load, memory and a state; now and then the load exceeds 90. */
const fill = `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
select d.tenant_id, d.device_id, t, t + interval '200 milliseconds', jsonb_build_object('Metrics', jsonb_build_object('Cpu', (random() * 100)::int, 'Memory', (random() * 100)::int, 'Disk', 40),
  'States', jsonb_build_object('Service', 'running'))
from generate_series(now() - interval '${hours} hours', now(), interval '${everySeconds} seconds') t cross join device d`;

const latest = `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select device_id, tenant_id, now(), now(), gen_random_uuid(), '{}' from device`;

async function prepare(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{
      tenant_id: string;
      subscription_id: string;
    }>(`with t as (insert into tenant (name) values ('Bench') returning tenant_id)
      insert into subscription (tenant_id, name) select tenant_id, 'Bench' from t returning tenant_id, subscription_id`);
    const home = rows[0];
    if (!home) throw new Error('No tenant was made.');
    await client.query(
      `insert into device (tenant_id, subscription_id, name) select $1, $2, 'device-' || n from generate_series(1, $3::int) n`,
      [home.tenant_id, home.subscription_id, deviceCount],
    );
    await client.query('select keep_packet_partitions(8)');
    await client.query(fill);
    await client.query(latest);
    await client.query('analyze');
    return home.tenant_id;
  } finally {
    await client.end();
  }
}

export async function bench(url: string): Promise<BenchRow[]> {
  await migrate(url);
  const tenantId = await prepare(url);
  const database = openDatabase({ url, max: 4, onError: () => undefined });
  const [rules, entities] = await Promise.all([
    openCompiledRules({ database, log: pino({ level: 'silent' }) }),
    openEntities(database, 200_000),
  ]);
  const ruleOf = (ruleId: string, over: string) =>
    compileRule({
      ruleId,
      name: ruleId,
      ruleTypeId: 1,
      tenantId,
      conditions: [
        {
          Type: 'And',
          LeftOperand: operandId.metric,
          LeftOperandFieldName: 'Cpu',
          Operator: operatorId.greaterThan,
          RightOperand: over,
          OccurrencePattern: { Kind: 'TimesInRow', Times: 2 },
        },
      ],
      lifetimeMs: 300_000,
      sliding: false,
      matchActions: [],
      expirationActions: [],
    });
  try {
    const to = Date.now();
    const period = { from: to - (hours - 1) * 3_600_000, to };
    const [started, cpuBefore] = [performance.now(), process.cpuUsage()];
    let packets = 0;
    const result = await runBacktest(database.scoped([tenantId]), {
      draft: ruleOf('draft', '90'),
      inForce: ruleOf('force', '95'),
      maintenance: rules.maintenance(),
      entities,
      period,
      entityIds: undefined,
      tenantId,
      goOn: (_, count) => Promise.resolve((packets = count) > 0),
    });
    const seconds = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    if (!result || result.draft.matches === 0) throw new Error('The rule did not match: what was measured is not what was meant.');
    return [
      {
        name: `a rule and the one in force over ${hours} hours of ${deviceCount} devices, a packet each ${everySeconds} s`,
        figures: {
          'x real time': Math.round((hours * 3_600) / seconds),
          'x real time by own processor time': Math.round((hours * 3_600e6) / (user + system)),
          'packets/s': Math.round(packets / seconds),
          matches: result.draft.matches,
          MiB: Math.round(process.memoryUsage().rss / 2 ** 20),
        },
      },
    ];
  } finally {
    await Promise.all([rules.stop(), entities.stop()]);
    await database.close();
  }
}
