/** Two servers behind the HAProxy of `deploy/haproxy`, restarted one after the other: no request fails. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { testDatabase, type TestDatabase } from '../database.ts';
import { hasHaproxy, startHaproxy, type Haproxy } from '../programs/haproxy.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { noteFault } from './figures.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';
import { drain, verify } from './verify.ts';

describe.runIf(hasHaproxy)('HAProxy', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let site: FaultSite;
  let balancer: Haproxy;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    database = await testDatabase();
    const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '6', DRAIN_SECONDS: '5' };
    for (const roles of ['api', 'api,worker'] as const) servers.push(await serverProcess({ roles, databaseUrl: database.url, env }));
    await Promise.all(servers.map((server) => server.start()));
    client = await connect(database.url);
    site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 1_000, cool: 50 });
    balancer = await startHaproxy(servers.map(({ url }) => url));
  }, 240_000);

  afterAll(async () => {
    await (balancer as Haproxy | undefined)?.close();
    await Promise.all(servers.map((server) => server.remove()));
    await (client as pg.Client | undefined)?.end();
    await database.close();
  });

  it('sends requests to all servers in turn, and packets of one device to one server while its token changes', async () => {
    for (let n = 0; n < 10; n++) await (await fetch(`${balancer.url}/healthz`)).text();
    expect(await balancer.requests('api')).toEqual({ api1: 5, api2: 5 });
    const before = await balancer.requests('packets');
    const [registration, device] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 12; n++) {
      // Signatures and ends of tokens differ; nobody has to accept them here.
      const authorization = `Bearer cfda_${registration}.${device}.${n}.${'x'.repeat(43)}`;
      const answer = await fetch(`${balancer.url}/v1/packets`, { method: 'POST', headers: { authorization }, body: '[]' });
      expect(answer.status).toBe(401);
    }
    const after = await balancer.requests('packets');
    expect(
      Object.keys(after)
        .map((server) => (after[server] ?? 0) - (before[server] ?? 0))
        .toSorted((a, b) => a - b),
    ).toEqual([0, 12]);
  });

  it('fails no request while each server is restarted', { timeout: 300_000 }, async () => {
    onTestFailed(() => console.error(servers.map((server) => server.output().slice(-3_000)).join('\n')));
    const load = startLoad({ ...site, urls: [balancer.url] });
    for (const [i, server] of servers.entries()) {
      expect(await server.stop('SIGTERM')).toBe(0);
      await server.start();
      await expect.poll(() => balancer.isUp(`api${i + 1}`), { timeout: 60_000 }).toBe(true);
    }
    await load.stop(20);
    expect([...load.statuses.keys()].toSorted()).toEqual([200, 201]);
    await drain(client);
    const { faults, counts } = await verify(client, load);
    expect(faults).toEqual({});
    noteFault('a restart of each of two servers behind HAProxy', { 'requests failed': 0, ...counts, lost: 0, 'stored twice': 0 });
  });
});
