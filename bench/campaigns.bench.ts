/** Measures a campaign over all devices of a filter: preview, start, lists during the start, and the periodic checks. */
import pg from 'pg';
import { pino } from 'pino';
import { systemCtx } from '../server/src/auth/system-ctx.ts';
import { openDatabase } from '../server/src/db/connection.ts';
import { served } from '../server/src/app/served.ts';
import { followCampaigns } from '../server/src/automation/campaigns/follow.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { addDevices, addToken, caller, findHome } from './site.ts';

const deviceCount = Number(process.env['BENCH_CAMPAIGN_DEVICES'] ?? 20_000);
const starts = 5;
const checks = 20;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Checks campaigns whose devices have no news. Returns the milliseconds of each check, and the SQL statements per check. */
async function follow(url: string): Promise<{ times: number[]; statements: number }> {
  const log = pino({ level: 'error' });
  const database = openDatabase({ url, max: 4, onError: (error) => log.error(error) });
  try {
    await registerServed(database, served);
    const system = systemCtx({ database, log, name: 'Bench' });
    let statements = 0;
    const query = new Proxy(system.db.query, {
      apply: (target, self, args) => {
        statements += 1;
        return Reflect.apply(target, self, args);
      },
    });
    const ctx = { ...system, db: { ...system.db, query } };
    const times: number[] = [];
    for (let n = 0; n < checks; n++) times.push(await timed(() => followCampaigns(ctx)));
    return { times, statements: statements / checks };
  } finally {
    await database.close();
  }
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const client = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await client.connect();
    const home = await findHome(client);
    await addDevices(client, home, deviceCount);
    await client.query('analyze');
    const token = await addToken(client, home.tenantId);
    const [operator, reader] = [caller(server.url, token), caller(server.url, token)];
    const body = { tenantId: home.tenantId, kind: 'RestartAgent', filter: "startswith(name, 'device-')" };
    const [previews, begun, lists]: number[][] = [[], [], []];
    let isOver = false;
    const reading = (async () => {
      while (!isOver) lists?.push(await timed(() => reader.call('GET', '/v1/devices?$top=50&$orderby=name&$count=true')));
    })();
    for (let n = 0; n < starts; n++) {
      previews?.push(await timed(() => operator.call('POST', '/v1/campaigns/preview', body)));
      let id = '';
      const start = async () =>
        (id = (
          (await operator.call('POST', '/v1/campaigns/start', { ...body, rings: [{ share: 1 }, { share: 10 }] })) as { campaignId: string }
        ).campaignId);
      begun?.push(await timed(start));
      await operator.call('POST', `/v1/campaigns/${id}/stop`, {});
    }
    isOver = true;
    await reading;
    operator.close();
    reader.close();
    await server.kill();
    await client.query(
      `update campaign_device set begun = now(), ended = null, outcome = 'Waiting', reason = null, is_own = true where campaign_id = (select max(campaign_id::text)::uuid from campaign)`,
    );
    await client.query(
      `update campaign set state = 'Running', ended = null, ring = 2 where campaign_id = (select max(campaign_id::text)::uuid from campaign)`,
    );
    await client.query('update device set restart_agent_flag = true');
    await client.query('vacuum analyze');
    const { times, statements } = await follow(url);
    return [
      {
        name: `preview and start of a campaign in three rings over a filter of ${deviceCount} devices, ${starts} times`,
        figures: {
          'start p95 ms': percentile(begun ?? [], 0.95),
          'preview p95 ms': percentile(previews ?? [], 0.95),
          'list beside it p95 ms': percentile(lists ?? [], 0.95),
        },
      },
      {
        name: `a check of that campaign while all ${deviceCount} devices wait, ${checks} times`,
        figures: { 'p50 ms': percentile(times, 0.5), 'p95 ms': percentile(times, 0.95), 'statements each': statements },
      },
    ];
  } finally {
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
