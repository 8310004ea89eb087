/** Measures packets stored and evaluated per second over HTTP. The ceiling is a bare handler that only inserts the batches. */
import pg from 'pg';
import { pino } from 'pino';
import { ensureShippedSets } from '../server/src/auth/shipped.ts';
import { openDatabase, type Database } from '../server/src/db/connection.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { watchDevices } from '../server/src/features/devices/agent/device-watch.ts';
import { rawRoutes } from '../server/src/http/raw-calls.ts';
import { registerServed } from '../server/src/resources/served.ts';
import { served } from '../server/src/app/served.ts';
import { openIngest } from '../server/src/ingest/accept.ts';
import { bareServer, percentile, type BenchRow } from './load.ts';
import { batchSize, sendInThread, senders, type PacketLoad } from './packets.ts';
import { serveApi } from './serve-api.ts';
import { addRules, addToken, type SubscriptionIds } from './site.ts';

const deviceCount = 800;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);

interface IngestFigures {
  perSecond: number;
  p50: number;
  p95: number;
  /** CPU time of this process per batch, in milliseconds, including the sending thread. */
  cpuPerBatch: number;
}

async function measure(load: PacketLoad): Promise<IngestFigures> {
  await sendInThread({ ...load, seconds: 1.5 });
  const before = process.cpuUsage();
  const sent = await sendInThread(load);
  const { user, system } = process.cpuUsage(before);
  if (sent.failure) throw new Error(`A batch failed: ${sent.failure}`);
  return {
    perSecond: Math.round((sent.batches * batchSize) / load.seconds),
    p50: percentile(sent.latencies, 0.5),
    p95: percentile(sent.latencies, 0.95),
    cpuPerBatch: Math.round((user + system) / sent.batches / 10) / 100,
  };
}

/** Adds a tenant with devices and a token. */
export async function prepareIngest(client: pg.Client): Promise<{ home: SubscriptionIds; devices: string[]; token: string }> {
  const {
    rows: [home],
  } = await client.query<SubscriptionIds>(`with t as (insert into tenant (name) values ('Bench') returning tenant_id)
    insert into subscription (tenant_id, name) select tenant_id, 'Bench' from t returning tenant_id as "tenantId", subscription_id as "subscriptionId"`);
  if (!home) throw new Error('No tenant was made.');
  const { rows } = await client.query<{ device_id: string }>(
    `insert into device (tenant_id, subscription_id, name) select $1, $2, 'device-' || n from generate_series(1, $3::int) n returning device_id`,
    [home.tenantId, home.subscriptionId, deviceCount],
  );
  return { home, devices: rows.map((row) => row.device_id), token: await addToken(client, home.tenantId) };
}

/** The number of rules, and of groups into which they are divided. Each device belongs to one group. */
interface Rules {
  count: number;
  groups: number;
}

export async function setRules(client: pg.Client, home: SubscriptionIds, { count, groups }: Rules): Promise<void> {
  await client.query('delete from rule');
  await client.query(`update device set tags = 'group-' || (substring(name from '[0-9]+$')::int % $1)`, [groups]);
  await addRules(client, home, count, groups);
  await client.query('analyze');
}

/** Inserts into the product's table of packets, so that both handlers write the same rows. */
const bareInsert = `insert into packet (tenant_id, entity_id, timestamp, message)
select $1, entity_id, now(), message from unnest($2::uuid[], $3::jsonb[]) as p (entity_id, message)`;

/** Has PostgreSQL parse the body. This is an upper limit: a handler that answers for each packet must parse it in Node.js. */
const unreadInsert = `insert into packet (tenant_id, entity_id, timestamp, message)
select $1, (p ->> 'entityId')::uuid, now(), p -> 'message' from jsonb_array_elements($2::jsonb) p`;

type PacketBody = readonly { entityId: string; message: unknown }[];

async function ceiling(url: string, tenantId: string, load: Omit<PacketLoad, 'port'>, unread: boolean): Promise<IngestFigures> {
  const pool = new pg.Pool({ connectionString: url, max: senders });
  const server = await bareServer(async (body) => {
    if (unread) await pool.query({ name: 'unread', text: unreadInsert, values: [tenantId, body] });
    else {
      const sent = JSON.parse(body) as PacketBody;
      await pool.query({ name: 'bare', text: bareInsert, values: [tenantId, sent.map((p) => p.entityId), sent.map((p) => p.message)] });
    }
    return { ok: true };
  });
  try {
    return await measure({ ...load, port: server.port });
  } finally {
    server.close();
    await pool.end();
  }
}

/** Measures the ingest of packets by the product's handler. */
export async function measureIngest(database: Database, load: Omit<PacketLoad, 'port'>): Promise<IngestFigures> {
  const log = pino({ level: 'error' });
  const ingest = await openIngest({ database, log });
  const watch = await watchDevices(database, (error) => log.error(error));
  const raw = rawRoutes({
    ingest: ingest.ingestBody,
    watch,
    stream: () => Promise.reject(new Error('Nobody listens here.')),
    files: {} as never,
    signIn: () => Promise.reject(new Error('Nobody signs in here.')),
  });
  const api = await serveApi(database, { rawRoutes: raw });
  try {
    return await measure({ ...load, port: api.port });
  } finally {
    await api.close();
    await watch.close();
    await ingest.stop();
  }
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const database = openDatabase({ url, max: 10, onError: () => undefined });
  await registerServed(database, served);
  await ensureShippedSets(database.scoped('all'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { home, devices, token } = await prepareIngest(client);
  const load = { token, devices, seconds };
  const against = async (rules: Rules): Promise<IngestFigures> => {
    await client.query('truncate rule_match, packet cascade');
    await setRules(client, home, rules);
    return measureIngest(database, load);
  };
  // The rounds alternate, so that a change in the machine's speed affects all of them.
  const rounds: { bare: IngestFigures; full: IngestFigures; few: IngestFigures; many: IngestFigures }[] = [];
  for (let i = 0; i < 3; i++)
    rounds.push({
      bare: await ceiling(url, home.tenantId, load, false),
      full: await against({ count: 1_000, groups: 100 }),
      few: await against({ count: 20, groups: 1 }),
      many: await against({ count: 10_000, groups: 500 }),
    });
  const {
    rows: [stored],
  } = await client.query<{ matches: number }>('select count(*)::int as matches from rule_match');
  const unread = await ceiling(url, home.tenantId, load, true);
  type Round = keyof (typeof rounds)[number];
  const middle = (name: Round, figure: keyof IngestFigures = 'perSecond'): number =>
    percentile(
      rounds.map((round) => round[name][figure]),
      0.5,
    );
  const each = (name: Round): string => rounds.map((round) => round[name].perSecond).join(' ');
  const ratio = (one: Round, other: Round): number => Math.round((middle(one) / middle(other)) * 100) / 100;
  await client.end();
  await database.close();
  return [
    {
      name: `packets stored and evaluated against 1,000 rules (10 per packet), batches of ${batchSize}, ${senders} senders, over HTTP; the middle of ${rounds.length} rounds`,
      figures: {
        'packets/s': middle('full'),
        'p50 ms': middle('full', 'p50'),
        'p95 ms': middle('full', 'p95'),
        'CPU ms per batch': middle('full', 'cpuPerBatch'),
        'bare insert packets/s': middle('bare'),
        'bare CPU ms per batch': middle('bare', 'cpuPerBatch'),
        'insert of the unread body packets/s': unread.perSecond,
        runs: `${each('full')}; bare ${each('bare')}`,
      },
      ratio: {
        of: 'bare node:http handler that parses the same batches and inserts them into the same table',
        value: ratio('full', 'bare'),
      },
    },
    {
      name: 'the same against 10,000 rules (20 per packet), beside 20 rules in all',
      figures: {
        'packets/s': middle('many'),
        '20 rules packets/s': middle('few'),
        runs: `${each('few')} with 20; ${each('many')} with 10,000`,
        'matches opened in the last': stored?.matches ?? 0,
      },
      ratio: { of: 'the same with 20 rules in all', value: ratio('many', 'few') },
    },
  ];
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
