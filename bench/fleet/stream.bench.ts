/**
 * Compares packets that wait in a stream with packets that are written at once, on the same processors and in the same run: what one and two
 * processes write, and what is accepted while the database stalls. Packets are sent one at a time, by the tenants of the bench `fleet`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDatabaseGate } from '../../server/src/testing/database-gate.ts';
import { hasNats, startNats } from '../../server/src/testing/programs/nats.ts';
import { serverProcess, type ServerProcess } from '../../server/src/testing/server-process.ts';
import { client } from './connections.bench.ts';
import { addSenders, sendPackets, type Sender } from './fleet.bench.ts';
import type { BenchRow } from '../load.ts';

const warmMs = 2_000;
const measuredMs = Number(process.env['BENCH_SECONDS'] ?? 6) * 1_000;

interface Measured {
  /** Packets per second in the database, from the first that was sent to the last that was written. */
  written: number;
  accepted: number;
}

const waiting = async ({ url }: ServerProcess): Promise<number> =>
  ((await (await fetch(`${url}/readyz`)).json()) as { stream?: { waiting: number } }).stream?.waiting ?? 0;

/** Sends packets to a server and waits until all are written. */
async function measure(db: pg.Client, server: ServerProcess, senders: readonly Sender[]): Promise<Measured> {
  const clients = [client(server.url)];
  const count = async (): Promise<number> => Number((await db.query<{ n: string }>('select count(*)::text as n from packet')).rows[0]?.n);
  const settle = async (): Promise<void> => {
    while ((await waiting(server)) > 0) await sleep(20);
  };
  await sendPackets(clients, senders, warmMs);
  await settle();
  const before = await count();
  const began = performance.now();
  const { stored, refused } = await sendPackets(clients, senders, measuredMs);
  const answered = performance.now();
  await settle();
  const ended = performance.now();
  for (const { close } of clients) close();
  const written = (await count()) - before;
  if (refused > 0 || written !== stored) throw new Error(`${refused} packets were not stored, and ${written} of ${stored} are there.`);
  return { written: Math.round((1_000 * written) / (ended - began)), accepted: Math.round((1_000 * stored) / (answered - began)) };
}

/** Runs the bench. `url` is the address of an empty database. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  if (!hasNats) throw new Error('The bench needs nats-server: apt-get install nats-server');
  const [nats, gate] = [await startNats(), await openDatabaseGate(url)];
  const shared = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '12', EXIT_WITH_PARENT: String(process.pid) };
  const servers: ServerProcess[] = [];
  const db = new pg.Client({ connectionString: url });
  const start = async (roles: 'api' | 'ingest', env: Record<string, string>): Promise<ServerProcess> => {
    const server = await serverProcess({ databaseUrl: gate.url, roles, env: { ...shared, ...env } });
    servers.push(server);
    await server.start();
    return server;
  };
  try {
    const direct = await start('api', {});
    const env = { STREAM_URL: nats.url };
    const [streamed] = [await start('api', env), await start('ingest', env)];
    await db.connect();
    const senders = await addSenders(db);
    const one = await measure(db, direct, senders);
    const byOne = await measure(db, streamed, senders);
    const again = await measure(db, direct, senders);
    const byOneAgain = await measure(db, streamed, senders);
    await start('ingest', env);
    const byTwo = await measure(db, streamed, senders);
    const directly = Math.round((one.written + again.written) / 2);
    const byOneWriter = Math.round((byOne.written + byOneAgain.written) / 2);
    gate.stall();
    const clients = [client(streamed.url)];
    // Until the process has noticed the stall, calls wait for the database.
    while (((await (await fetch(`${streamed.url}/readyz`)).json()) as { status: string }).status === 'ok') await sleep(100);
    await sendPackets(clients, senders, warmMs);
    const began = performance.now();
    const { stored, refused } = await sendPackets(clients, senders, measuredMs);
    const accepted = Math.round((1_000 * stored) / (performance.now() - began));
    for (const { close } of clients) close();
    gate.open();
    while ((await waiting(streamed)) > 0) await sleep(50);
    const row = (name: string, value: number, of: string, base: number, more: Record<string, number>): BenchRow => ({
      name,
      figures: { 'packets/s': value, [`${of} packets/s`]: base, ...more },
      ratio: { of, value: Math.round((100 * value) / base) / 100 },
    });
    return [
      row('packets by a stream, one process writes', byOneWriter, 'direct', directly, { 'accepted/s': byOne.accepted }),
      row('packets by a stream, two processes write', byTwo.written, 'one writer', byOneWriter, { 'accepted/s': byTwo.accepted }),
      row('accepted by a stream while the database stalls', accepted, 'direct', directly, { refused }),
    ];
  } finally {
    gate.open();
    await db.end();
    for (const server of servers) await server.remove();
    gate.close();
    await nats.close();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
