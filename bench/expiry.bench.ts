/**
 * Measures how late matches close when 100,000 per minute expire, and checks that each queues its action once. The promised
 * figure needs BENCH_MATCHES=100000.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { expiryWork } from '../server/src/automation/expire-matches.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { startSchedule } from '../server/src/jobs/schedule.ts';
import type { BenchRow } from './load.ts';

const matchCount = Number(process.env['BENCH_MATCHES'] ?? 20_000);
// The seconds within which the matches expire: a minute for each 100,000.
const windowSeconds = (matchCount / 100_000) * 60;
const ruleCount = 100;
const leadSeconds = 2;

async function fill(client: pg.Client): Promise<void> {
  const actions = JSON.stringify([{ ActionDefinitionId: builtInAction.setColor, Parameters: { Color: 'green' } }]);
  await client.query(`with t as (insert into tenant (name) values ('Bench') returning tenant_id)
    insert into subscription (tenant_id, name) select tenant_id, 'Bench' from t`);
  await client.query(
    `insert into rule (tenant_id, subscription_id, name, rule_type_id, match_lifetime, conditions, expiration_actions)
    select tenant_id, subscription_id, 'Rule ' || n, 1, 300, '[]', $1::jsonb from subscription, generate_series(1, ${ruleCount}) n`,
    [actions],
  );
  await client.query(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
    select r.tenant_id, r.rule_id, gen_random_uuid(), 'Match ' || n, now() + make_interval(secs => ${leadSeconds} + random() * $2), now(), now(), gen_random_uuid()
    from (select *, row_number() over () as at from rule) r join generate_series(1, $1::int) n on n % ${ruleCount} = r.at - 1`,
    [matchCount, windowSeconds],
  );
  await client.query('analyze');
}

interface ExpiryFigures {
  late_p50: number;
  late_p99: number;
  late_most: number;
  took: number;
  histories: number;
  jobs: number;
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await fill(client);
  const database = openDatabase({ url, max: 4, onError: () => undefined });
  // Two schedules expire matches at the same time, as in an installation with two workers.
  const schedules = await Promise.all([1, 2].map(() => startSchedule({ database, log: pino({ level: 'error' }), works: [expiryWork] })));
  try {
    const patience = Date.now() + (leadSeconds + windowSeconds * 3 + 30) * 1_000;
    for (let open = matchCount; open > 0 && Date.now() < patience;) {
      await sleep(500);
      const { rows } = await client.query<{ open: number }>('select count(*)::int as open from rule_match where not completion_processed');
      open = rows[0]?.open ?? 0;
    }
    const {
      rows: [ended],
    } =
      await client.query<ExpiryFigures>(`with late as (select closed, expires, extract(epoch from closed - expires)::float8 as seconds from rule_match)
      select percentile_disc(0.5) within group (order by seconds) as late_p50, percentile_disc(0.99) within group (order by seconds) as late_p99,
        max(seconds) as late_most, extract(epoch from max(closed) - min(expires))::float8 as took,
        (select count(*)::int from rule_match m where (select count(*) from action_history h where h.reference_id = m.rule_match_id::text) = 1) as histories,
        (select count(distinct once_key)::int from job where name = 'run-action') as jobs
      from late`);
    if (!ended || ended.histories !== matchCount || ended.jobs !== matchCount)
      throw new Error(`${matchCount} matches have queued ${ended?.jobs} jobs; ${ended?.histories} have one action.`);
    return [
      {
        name: `${matchCount} open matches that end within ${windowSeconds} s, one expiration action each, two processes that look`,
        figures: {
          's of a minute': Math.round((ended.took / windowSeconds) * 600) / 10,
          'late p50 s': Math.round(ended.late_p50 * 100) / 100,
          'late p99 s': Math.round(ended.late_p99 * 100) / 100,
          'late most s': Math.round(ended.late_most * 100) / 100,
          'all closed after s': Math.round(ended.took * 10) / 10,
          'actions queued': ended.jobs,
        },
      },
    ];
  } finally {
    await Promise.all(schedules.map((schedule) => schedule.stop()));
    await database.close();
    await client.end();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
