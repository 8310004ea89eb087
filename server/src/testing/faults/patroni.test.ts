/** A leader of Patroni that is lost under load: nothing acknowledged is lost, and whoever is refused is told when to come again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { isLong } from '@cloudfit/contract/testing/runs.ts';
import { hasPatroni, startPatroni, type Patroni } from '../programs/patroni.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { noteFault } from './figures.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';
import { drain, verify } from './verify.ts';

describe.runIf(isLong && hasPatroni)('Patroni', { timeout: 600_000 }, () => {
  let patroni: Patroni;
  let client: pg.Client;
  let site: FaultSite;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    patroni = await startPatroni();
    const env = { ...patroni.env, MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '8' };
    for (const roles of ['api', 'api,worker'] as const)
      servers.push(await serverProcess({ roles, databaseUrl: patroni.env.DATABASE_URL, env }));
    for (const server of servers) await server.start();
    client = await connect(patroni.env.DATABASE_OWNER_URL);
    site = await prepareSite(client, patroni.env, { hot: 1_000, cool: 50 });
  }, 600_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.remove()));
    await (client as pg.Client | undefined)?.end();
    await (patroni as Patroni | undefined)?.close();
  });

  it.each<[string, (leader: string) => Promise<void>]>([
    ['a switch-over', () => patroni.switchOver()],
    ['kill -9 of the PostgreSQL of the leader', (leader) => patroni.kill(leader)],
    ['kill -9 of Patroni and PostgreSQL of the leader', (leader) => patroni.kill(leader, true)],
  ])('loses nothing by %s', async (fault, strike) => {
    onTestFailed(() => console.error(servers.map((server) => server.output().slice(-3_000)).join('\n---\n')));
    const load = startLoad({ ...site, urls: servers.map(({ url }) => url) });
    await sleep(3_000);
    load.longestGapMs();
    await strike(await patroni.leader());
    // Reads meanwhile: those of one that is refused say when to come again.
    const refusals: (string | null)[] = [];
    let reads = 0;
    for (const end = Date.now() + 35_000; Date.now() < end; await sleep(200)) {
      const answer = await fetch(`${servers[0]?.url}/v1/devices?$top=5`, { headers: { authorization: `Bearer ${site.token}` } });
      const text = await answer.text();
      reads += 1;
      expect([200, 503], text).toContain(answer.status);
      if (answer.status === 503) refusals.push(answer.headers.get('retry-after'));
    }
    const gap = load.longestGapMs();
    await load.stop(20);
    expect(refusals).not.toContain(null);
    expect([...load.statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    // The lock of the leader ends after 20 s, and the rest is the load of the machine.
    expect(gap).toBeLessThan(45_000);
    await client.end().catch(() => undefined);
    client = await connect(patroni.env.DATABASE_OWNER_URL);
    await drain(client);
    const { faults, counts } = await verify(client, load);
    expect(faults).toEqual({});
    noteFault(`${fault}, of Patroni`, {
      'without a success s': Math.round(gap / 100) / 10,
      'answered 503': load.statuses.get(503) ?? 0,
      'reads refused': `${refusals.length} of ${reads}`,
      ...counts,
      lost: 0,
      'stored twice': 0,
    });
    await patroni.start();
  });
});
