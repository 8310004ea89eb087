/** Two servers behind a balancer that asks `/readyz` are restarted one after the other: no request fails. */
import { Agent, createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';

let database: TestDatabase;
let client: pg.Client;
let site: FaultSite;
let balancer: Server;
const servers: ServerProcess[] = [];
const drainSeconds = 2;
/** The fewest requests, and the pause of each caller between two. */
const [fewest, paceMs] = [runs(300, 2_000), runs(100, 0)];

interface Backend {
  url: URL;
  isReady: boolean;
  agent: Agent;
}

const backends: Backend[] = [];
const probes: NodeJS.Timeout[] = [];

function watch(backend: Backend): void {
  probes.push(
    setInterval(() => {
      const probe = request(new URL('/readyz', backend.url), { timeout: 1_900 }, (answer) => {
        answer.resume();
        backend.isReady = answer.statusCode === 200;
      });
      probe.on('timeout', () => probe.destroy());
      probe.on('error', () => (backend.isReady = false));
      probe.end();
    }, 200),
  );
}

/** Passes each request once to the next ready server, on a connection that is kept; answers 599 where a balancer would fail. */
function startBalancer(): Promise<Server> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const ready = backends.filter(({ isReady }) => isReady);
    const backend = ready[turn++ % ready.length];
    const fail = (): void => void outgoing.writeHead(599).end();
    if (!backend) return fail();
    const { method, headers, url = '/' } = incoming;
    const onward = request(new URL(url, backend.url), { method, headers, agent: backend.agent } as object, (answer: IncomingMessage) => {
      const { connection: _hop, ...passed } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 599, passed);
      answer.pipe(outgoing);
    });
    onward.on('error', fail);
    incoming.pipe(onward);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

beforeAll(async () => {
  database = await testDatabase();
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '4', DRAIN_SECONDS: String(drainSeconds) };
  for (const roles of ['api', 'api'] as const) servers.push(await serverProcess({ roles, databaseUrl: database.url, env }));
  await Promise.all(servers.map((server) => server.start()));
  client = await connect(database.url);
  site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 5, cool: 0 });
  for (const { url } of servers) {
    const backend = { url: new URL(url), isReady: true, agent: new Agent({ keepAlive: true }) };
    backends.push(backend);
    watch(backend);
  }
  balancer = await startBalancer();
}, 240_000);

afterAll(async () => {
  for (const probe of probes) clearInterval(probe);
  for (const { agent } of backends) agent.destroy();
  await Promise.all(servers.map((server) => server.remove()));
  balancer.closeAllConnections();
  balancer.close();
  await (client as pg.Client | undefined)?.end();
  await database.close();
});

it('fail no request while each is restarted', async () => {
  const root = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  const headers = { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' };
  const failed: string[] = [];
  let sent = 0;
  let stored = 0;
  let isOver = false;
  const caller = async (number: number): Promise<void> => {
    for (let n = 0; !isOver || sent < fewest; n++) {
      const isPacket = n % 2 === 0;
      const body = JSON.stringify([{ entityId: site.hotDevices[number % site.hotDevices.length], message: { Metrics: { Cpu: n } } }]);
      const answer = await fetch(`${root}${isPacket ? '/v1/packets' : '/v1/devices?$top=3'}`, {
        headers,
        ...(isPacket ? { method: 'POST', body } : {}),
      }).catch((error: unknown) => String(error));
      const text = typeof answer === 'string' ? answer : await answer.text();
      sent += 1;
      if (typeof answer === 'string' || answer.status >= 300) failed.push(typeof answer === 'string' ? answer : `${answer.status} ${text}`);
      else if (isPacket) stored += 1;
      await sleep(paceMs);
    }
  };
  const { rows: earlier } = await client.query<{ count: number }>('select count(*)::int as count from packet');
  const callers = Promise.all([0, 1, 2, 3, 4, 5].map(caller));
  for (const [i, server] of servers.entries()) {
    await sleep(500);
    const began = performance.now();
    const stop = server.stop('SIGTERM');
    await expect.poll(() => backends[i]?.isReady, { timeout: drainSeconds * 1_000 }).toBe(false);
    const answer = await fetch(`${server.url}/readyz`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([503, 'close']);
    expect(await answer.json()).toMatchObject({
      error: { code: 'Unavailable', message: expect.stringContaining('about to stop') as string },
    });
    expect(await stop).toBe(0);
    expect(performance.now() - began).toBeGreaterThanOrEqual(drainSeconds * 1_000);
    await server.start();
    await expect.poll(() => backends[i]?.isReady, { timeout: 30_000 }).toBe(true);
  }
  isOver = true;
  await callers;
  expect(failed).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(fewest);
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from packet');
  expect((rows[0]?.count ?? 0) - (earlier[0]?.count ?? 0)).toBe(stored);
}, 300_000);

it('stops without a delay for a person who presses Ctrl-C', async () => {
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DRAIN_SECONDS: '200' };
  const server = await serverProcess({ roles: 'api', databaseUrl: database.url, env });
  try {
    await server.start();
    expect(await server.stop('SIGINT')).toBe(0);
  } finally {
    await server.remove();
  }
}, 180_000);
