/**
 * Measures packets and new work units per second of one and of three processes with the role api, on the same processors: of many tenants, sent one
 * at a time, by connections that go to the processes in turn, as behind a balancer, or by the token that they send. And how soon a change of
 * many rows has reached the streams of all three.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serverProcess, type ServerProcess } from '../../server/src/testing/server-process.ts';
import { client } from './connections.bench.ts';
import type { BenchRow } from '../load.ts';
import { addDevices, addRules, addToken, type SubscriptionIds } from '../site.ts';

const tenantCount = 20;
const devicesPerTenant = 100;
const connections = 64;
const creators = 96;
const changedRows = 20_000;
const warmMs = 2_000;
const measuredMs = Number(process.env['BENCH_SECONDS'] ?? 6) * 1_000;

/** The id of the last of many changes. */
const lastChange = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

/** A tenant's token, and its devices. */
export interface Sender {
  tenantId: string;
  token: string;
  devices: string[];
}

/** Makes the tenants of the bench, with devices and rules. */
export async function addSenders(db: pg.Client): Promise<Sender[]> {
  const senders: Sender[] = [];
  for (let n = 0; n < tenantCount; n++) {
    const { rows } = await db.query<SubscriptionIds>(
      `with t as (insert into tenant (name) values ($1) returning tenant_id)
insert into subscription (tenant_id, name) select tenant_id, 'Fleet' from t returning tenant_id as "tenantId", subscription_id as "subscriptionId"`,
      [`Fleet ${n}`],
    );
    const [home] = rows;
    if (!home) throw new Error('No tenant was made.');
    const devices = await addDevices(db, home, devicesPerTenant);
    await db.query(`update device set tags = 'group-' || (substring(name from '[0-9]+$')::int % 10) where tenant_id = $1`, [home.tenantId]);
    await addRules(db, home, 10, 10);
    senders.push({ tenantId: home.tenantId, token: await addToken(db, home.tenantId), devices: devices.map(({ deviceId }) => deviceId) });
  }
  await db.query('analyze');
  return senders;
}

const random = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

/** How a balancer chooses the process of a request. */
type Route = (token: string, n: number) => number;
const inTurn: Route = (_, n) => n;
const byToken: Route = (token) => createHash('sha256').update(token).digest().readUInt32BE();

async function transactions(db: pg.Client): Promise<{ committed: number; rolledBack: number }> {
  // The counters of a session reach this view within a second.
  await sleep(1_500);
  const { rows } = await db.query<{ committed: number; rolledBack: number }>(
    `select xact_commit::float8 as committed, xact_rollback::float8 as "rolledBack" from pg_stat_database where datname = current_database()`,
  );
  return rows[0] ?? { committed: 0, rolledBack: 0 };
}

interface Sent {
  perSecond: number;
  rolledBack: number;
}

/** Sends packets of random devices for `ms` milliseconds, one at a time on each connection. Returns how many were answered as stored, and how many not. */
export async function sendPackets(
  clients: readonly ReturnType<typeof client>[],
  senders: readonly Sender[],
  ms: number,
  route: Route = inTurn,
): Promise<{ stored: number; refused: number }> {
  let [stored, refused, sent] = [0, 0, 0];
  const until = performance.now() + ms;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const { token, devices } = random(senders);
        const body = JSON.stringify({ entityId: random(devices), message: { Metrics: { Cpu: Math.random() * 80, Memory: 40 } } });
        const to = clients[route(token, sent++) % clients.length];
        const answer = await to?.send(
          'POST',
          '/v1/packets',
          { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body,
        );
        if (answer?.status === 200 && answer.body.includes('"stored"')) stored += 1;
        else refused += 1;
      }
    }),
  );
  return { stored, refused };
}

/** Sends packets of random devices to the first `count` servers; returns what was stored per second, and the share of rollbacks. */
async function measure(db: pg.Client, servers: readonly ServerProcess[], senders: readonly Sender[], route: Route): Promise<Sent> {
  const clients = servers.map(({ url }) => client(url));
  await sendPackets(clients, senders, warmMs, route);
  const before = await transactions(db);
  const { stored, refused } = await sendPackets(clients, senders, measuredMs, route);
  const after = await transactions(db);
  for (const { close } of clients) close();
  if (refused > 0) throw new Error(`${refused} packets were not stored.`);
  const [committed, rolledBack] = [after.committed - before.committed, after.rolledBack - before.rolledBack];
  return {
    perSecond: Math.round(stored / (measuredMs / 1_000)),
    rolledBack: Math.round((1_000 * rolledBack) / (committed + rolledBack)) / 10,
  };
}

/** Creates work units by the servers in turn; returns how many a second. */
async function measureCreates(servers: readonly ServerProcess[], senders: readonly Sender[]): Promise<number> {
  const clients = servers.map(({ url }) => client(url));
  const create = async (ms: number): Promise<number> => {
    let [created, sent] = [0, 0];
    const until = performance.now() + ms;
    await Promise.all(
      Array.from({ length: creators }, async () => {
        while (performance.now() < until) {
          const { token, tenantId } = random(senders);
          const body = JSON.stringify({ title: 'Disk of a server is full', severityId: 'Sev3', workUnitTypeId: 1, tenantId });
          const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
          const answer = await clients[sent++ % clients.length]?.send('PUT', '/v1/workUnits', headers, body);
          if (answer?.status !== 201) throw new Error(`A work unit was not created: ${answer?.status} ${answer?.body}`);
          created += 1;
        }
      }),
    );
    return created;
  };
  await create(warmMs);
  const created = await create(measuredMs);
  for (const { close } of clients) close();
  return Math.round(created / (measuredMs / 1_000));
}

/** Milliseconds from the commit of a change of many rows until each server has sent all of them to a client that follows changes. */
async function measureFeed(db: pg.Client, servers: readonly ServerProcess[], senders: readonly Sender[]): Promise<number[]> {
  const [sender] = senders;
  if (!sender) throw new Error('There is no sender.');
  const abort = new AbortController();
  const arrivals = servers.map(({ url }) => {
    const [opened, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
    void (async () => {
      const answer = await fetch(`${url}/v1/changes`, { headers: { authorization: `Bearer ${sender.token}` }, signal: abort.signal });
      if (!answer.ok || !answer.body) throw new Error(`GET /v1/changes: ${answer.status}`);
      opened.resolve();
      let text = '';
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.includes(lastChange)) return arrived.resolve(performance.now());
        text = text.slice(-lastChange.length);
      }
    })().catch((error: unknown) => {
      opened.reject(error);
      arrived.reject(error);
    });
    return { opened: opened.promise, arrived: arrived.promise };
  });
  await Promise.all(arrivals.map(({ opened }) => opened));
  await sleep(1_000);
  await db.query(
    `insert into change (verb, entity, entity_id, tenant_id, correlation_id)
     select 'update', 'devices', case when n = $2 then $3 else gen_random_uuid()::text end, $1, gen_random_uuid() from generate_series(1, $2::int) n`,
    [sender.tenantId, changedRows, lastChange],
  );
  const committed = performance.now();
  const times = await Promise.all(arrivals.map(({ arrived }) => arrived));
  abort.abort();
  return times.map((at) => Math.round(at - committed));
}

/** Runs the bench. `url` is the address of an empty database. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '12', EXIT_WITH_PARENT: String(process.pid) };
  const servers: ServerProcess[] = [];
  const db = new pg.Client({ connectionString: url });
  try {
    for (let n = 0; n < 3; n++) {
      const server = await serverProcess({ databaseUrl: url, roles: 'api', env });
      servers.push(server);
      await server.start();
    }
    await db.connect();
    const senders = await addSenders(db);
    const one = await measure(db, servers.slice(0, 1), senders, inTurn);
    const [turns, hashed] = [await measure(db, servers, senders, inTurn), await measure(db, servers, senders, byToken)];
    const again = await measure(db, servers.slice(0, 1), senders, inTurn);
    const alone = Math.round((one.perSecond + again.perSecond) / 2);
    const row = (name: string, { perSecond, rolledBack }: Sent): BenchRow => ({
      name,
      figures: { 'packets/s': perSecond, 'one process packets/s': alone, '% rolled back': rolledBack },
      ratio: { of: 'one process', value: Math.round((100 * perSecond) / alone) / 100 },
    });
    const created = [await measureCreates(servers.slice(0, 1), senders), await measureCreates(servers, senders)] as const;
    const feed = await measureFeed(db, servers, senders);
    return [
      row('packets to three processes in turn', turns),
      row('packets to three processes, by token', hashed),
      {
        name: `work units created by ${creators} connections, three processes in turn`,
        figures: { 'creates/s': created[1], 'one process creates/s': created[0] },
        ratio: { of: 'one process', value: Math.round((100 * created[1]) / created[0]) / 100 },
      },
      { name: `${changedRows} changes, to a client of each of three processes`, figures: { 'slowest ms': Math.max(...feed) } },
    ];
  } finally {
    await db.end();
    for (const server of servers) await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
