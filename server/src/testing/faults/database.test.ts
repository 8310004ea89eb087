/** kill -9 of PostgreSQL under load: the server keeps running, answers 503, and recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFailed } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { joinEmbedded } from '../../db/embedded/embedded.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { noteFault } from './figures.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite } from './site.ts';
import { drain, verify } from './verify.ts';

const kills = runs(2, 3);
let server: ServerProcess | undefined;

afterAll(() => server?.remove());

async function database(dataDir: string): ReturnType<typeof connect> {
  return connect((await joinEmbedded({ dataDir, log: () => undefined })).url);
}

function postgresOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Sends a packet again and again until it is stored; each other answer must be a 503. */
async function untilStored(url: string, token: string, entityId: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/v1/packets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ entityId, message: { Metrics: { Cpu: 1 } } }),
      // A request on an idle connection fails if the server closes the connection at the same moment.
    }).catch(() => undefined);
    if (answer?.ok) return;
    if (answer) expect(answer.status).toBe(503);
    await sleep(50);
  }
}

it('outlives its database, answers 503 meanwhile and loses nothing acknowledged', { timeout: 120_000 }, async () => {
  server = await serverProcess();
  onTestFailed(() =>
    console.error(
      server
        ?.output()
        .split('\n')
        .filter((l) => l.includes('"level":50') && !l.includes('cannot be reached just now. Please try again."}'))
        .map((l) => l.slice(0, 1500))
        .slice(0, 5)
        .join('\n'),
    ),
  );
  await server.start();
  const { url, dataDir } = server;
  const pid = server.pid();
  const before = await database(dataDir);
  const site = await prepareSite(before, { DATA_DIR: dataDir }, { hot: 1_000, cool: 100 });
  await before.end();

  const load = startLoad({ ...site, urls: [url] });
  for (let n = 0; n < kills; n++) {
    await sleep(1_000);
    process.kill(postgresOf(dataDir), 'SIGKILL');
    await untilStored(url, site.token, site.coolDevices[0] ?? '');
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
  }
  await sleep(1_000);
  await load.stop();
  expect(server.pid()).toBe(pid);
  expect(load.statuses.get(0) ?? 0).toBe(0);
  expect(load.statuses.get(503)).toBeGreaterThan(0);

  const client = await database(dataDir);
  // Simulates that the leases of the jobs that ran when the database was killed have expired, so that they run again.
  await client.query('update job set leased_until = now(), run_at = now() where leased_until is not null');
  await drain(client);
  const { faults, counts } = await verify(client, load);
  await client.end();
  expect(faults).toEqual({});
  expect(counts['packets']).toBeGreaterThan(0);
  noteFault(`${kills} times SIGKILL of PostgreSQL, one server`, {
    'requests answered 503': load.statuses.get(503) ?? 0,
    'longest time without a success': `${(load.longestGapMs() / 1_000).toFixed(1)} s`,
    ...counts,
    lost: 0,
    'stored twice': 0,
  });
  expect(await server.stop()).toBe(0);
  expect(server.processes()).toEqual([]);
});
