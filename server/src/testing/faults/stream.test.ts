/** A stream in front of ingest under load: processes are killed, the database stalls, the stream ends, and nothing is lost or doubled. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import type pg from 'pg';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { openDatabaseGate, type DatabaseGate } from '../database-gate.ts';
import { hasNats, startNats, type NatsServer } from '../programs/nats.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';
import { drain, verify } from './verify.ts';

/** Waits as long as the test may, because a busy machine moves partitions slowly. */
async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await sleep(50);
}

interface Ready {
  status: string;
  stream: { isConnected: boolean; waiting: number; withoutOwner: number; partitions: { owner: string }[] };
}

describe.skipIf(!hasNats)('a stream in front of ingest', { timeout: 400_000 }, () => {
  let database: TestDatabase;
  let nats: NatsServer;
  let gate: DatabaseGate;
  let client: pg.Client;
  let site: FaultSite;
  let api: ServerProcess;
  const writers: ServerProcess[] = [];
  const processes: ServerProcess[] = [];

  beforeAll(async () => {
    [database, nats] = await Promise.all([testDatabase(), startNats()]);
    gate = await openDatabaseGate(database.url);
    const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '10', STREAM_URL: nats.url, STREAM_MAX_MB: '64' };
    for (const roles of ['api', 'ingest', 'ingest', 'worker'] as const)
      processes.push(await serverProcess({ roles, databaseUrl: gate.url, env }));
    await Promise.all(processes.map((process) => process.start()));
    [api] = processes as [ServerProcess];
    writers.push(...processes.slice(1, 3));
    client = await connect(database.url);
    site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 500, cool: 64 });
  }, 400_000);

  afterAll(async () => {
    await Promise.all(processes.map((process) => process.remove()));
    await (client as pg.Client | undefined)?.end();
    gate.close();
    await database.close();
    await nats.close();
  });

  const ready = async (): Promise<Ready> => (await (await fetch(`${api.url}/readyz`)).json()) as Ready;
  // A server that is not connected yet knows nothing of what waits.
  const written = () =>
    until(async () => {
      const { stream } = await ready();
      return stream.isConnected && stream.waiting === 0;
    });

  async function post(body: unknown): Promise<{ status: number; retryAfter: string | null; answers: { status: string }[] }> {
    const answer = await fetch(`${api.url}/v1/packets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const { value = [] } = (await answer.json()) as { value?: { status: string }[] };
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), answers: value };
  }
  const packetOf = (entityId: string | undefined) => ({
    entityId,
    messageId: randomUUID(),
    message: { Metrics: { Cpu: 1 } },
  });
  const countOf = async (entityId: string | undefined): Promise<number> =>
    (await client.query<{ count: number }>('select count(*)::int as count from packet where entity_id = $1', [entityId])).rows[0]?.count ??
    0;

  it('writes everything once while its processes are killed, and moves their partitions', async () => {
    onTestFailed(() => console.error(processes.map((process) => process.output().slice(-3_000)).join('\n---\n')));
    const load = startLoad({ ...site, urls: [api.url], senders: 3, writers: 1 });
    for (let n = 0; n < runs(2, 4); n += 1) {
      await sleep(500 + Math.random() * 1_000);
      await writers[n % 2]?.kill();
      await writers[n % 2]?.start();
    }
    await nats.kill();
    await sleep(500);
    await nats.start();
    await until(async () => (await ready()).stream.isConnected);
    await load.stop(4);
    await written();
    await drain(client);
    const { faults, counts } = await verify(client, load);
    expect(faults).toEqual({});
    expect(counts['packets']).toBeGreaterThan(runs(100, 1_000));
    if (process.env['FIGURES']) console.log(counts, Object.fromEntries(load.statuses));
    // Both write again; one that is killed is replaced by the other.
    await until(async () => new Set((await ready()).stream.partitions.map(({ owner }) => owner)).size === 2);
    const began = performance.now();
    await writers[0]?.kill();
    await until(async () => {
      const owners = new Set((await ready()).stream.partitions.map(({ owner }) => owner));
      return owners.size === 1 && !owners.has('');
    });
    if (process.env['FIGURES']) console.log(`moved after ${(performance.now() - began).toFixed(0)} ms`);
    await writers[0]?.start();
  });

  it.each(['cut', 'stalled'] as const)('takes packets while the database is %s, and writes them afterwards', async (how) => {
    const [device] = site.coolDevices;
    const before = await countOf(device);
    expect((await post(packetOf(device))).answers).toMatchObject([{ status: 'stored' }]);
    if (how === 'cut') gate.cut();
    else gate.stall();
    await until(async () => (await ready()).status === 'database unavailable');
    const during = [];
    // Longer than a token is good without the database.
    for (let n = 0; n < 30; n += 1) {
      during.push(await post(packetOf(device)));
      await sleep(250);
    }
    expect(during.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
    gate.open();
    await until(async () => (await countOf(device)) === before + 31);
  });

  it('tells senders when the stream is away or full, and loses nothing that it took', async () => {
    const [, device] = site.coolDevices;
    await written();
    const before = await countOf(device);
    await nats.kill();
    await until(async () => !(await ready()).stream.isConnected);
    expect(await post(packetOf(device))).toMatchObject({ status: 503, retryAfter: expect.any(String) as string });
    await nats.start();
    await until(async () => (await ready()).stream.isConnected);
    for (const writer of writers) await writer.stop();
    const large = () => ({ ...packetOf(device), message: { Properties: { Text: 'x'.repeat(400_000) } } });
    let accepted = 0;
    // The partition of one device has the sixteenth part of the stream.
    for (let status = 200; status === 200;) {
      const answer = await post(large());
      status = answer.status;
      if (status === 200) accepted += 1;
      else expect(answer).toMatchObject({ status: 503, retryAfter: '30' });
    }
    expect(accepted).toBeGreaterThan(5);
    for (const writer of writers) await writer.start();
    await written();
    expect(await countOf(device)).toBe(before + accepted);
    expect((await post(packetOf(device))).status).toBe(200);
  });
});
