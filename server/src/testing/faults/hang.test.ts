/** A PostgreSQL that hangs or takes no writes: requests are answered in time, and the server recovers by itself afterwards. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFailed } from 'vitest';
import { joinEmbedded } from '../../db/embedded/embedded.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { connect, prepareSite } from './site.ts';

let server: ServerProcess | undefined;
const stopped: number[] = [];

function resume(): void {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
}

afterAll(async () => {
  resume();
  await server?.remove();
});

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  } catch {
    return false;
  }
}

interface TimedAnswer {
  status: number;
  retryAfter: string | null;
  ms: number;
}

it('answers every request while its database hangs, and goes on afterwards', { timeout: 180_000 }, async () => {
  const running = await serverProcess();
  server = running;
  onTestFailed(() => console.error(running.output().slice(-4_000)));
  await running.start();
  const pid = running.pid();
  const connected = async () => connect((await joinEmbedded({ dataDir: running.dataDir, log: () => undefined })).url);
  const before = await connected();
  const site = await prepareSite(before, { DATA_DIR: running.dataDir }, { hot: 1, cool: 1 });

  async function timed(method: string, path: string, body?: unknown): Promise<TimedAnswer> {
    const began = performance.now();
    const answer = await fetch(`${running.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    await answer.text();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), ms: performance.now() - began };
  }
  const list = () => timed('GET', '/v1/workunits?$top=5');
  const unit = () => timed('PUT', '/v1/workunits', { title: 'Written', workUnitTypeId: 1, tenantId: site.tenantId });
  const packet = () => timed('POST', '/v1/packets', { entityId: site.coolDevices[0], message: { Metrics: { Cpu: 1 } } });
  expect((await Promise.all([list(), unit(), packet()])).map((item) => item.status)).toEqual([200, 201, 200]);

  for (const one of running.processes().filter(isPostgres)) {
    process.kill(one, 'SIGSTOP');
    stopped.push(one);
  }
  expect(stopped.length).toBeGreaterThan(3);
  const began = performance.now();
  const ready = timed('GET', '/readyz');
  const answers: Promise<TimedAnswer>[] = [];
  // Sends more requests than the pool has connections, for longer than the server needs to detect the hang.
  for (let n = 0; n < 30; n++) {
    answers.push(list(), unit(), packet());
    await sleep(200);
  }
  const unready = await ready;
  expect(unready).toMatchObject({ status: 503, retryAfter: expect.any(String) });
  const all = await Promise.all(answers);
  const longest = Math.max(...all.map((item) => item.ms));
  if (process.env['FIGURES']) console.log(`90 requests: longest ${(longest / 1_000).toFixed(1)} s`);
  expect(new Set(all.map((item) => item.status))).toEqual(new Set([503]));
  expect(all.every((item) => item.retryAfter !== null)).toBe(true);
  expect(running.output()).toContain('The database does not answer.');
  await sleep(Math.max(0, 20_000 - (performance.now() - began)));

  resume();
  const resumed = performance.now();
  while ((await timed('GET', '/readyz')).status !== 200 && performance.now() - resumed < 60_000) await sleep(50);
  const statuses = await Promise.all(Array.from({ length: 30 }, () => [list(), unit(), packet()]).flat());
  const back = performance.now() - resumed;
  if (process.env['FIGURES']) console.log(`answers again ${back.toFixed(0)} ms after the hang`);
  expect(new Set(statuses.map((status) => status.status))).toEqual(new Set([200, 201]));
  expect(running.pid()).toBe(pid);
  await before.end();
});

it('says 503 where the database takes no writes, as after another one was promoted', async () => {
  const running = server;
  if (!running) throw new Error('The server did not start.');
  const client = await connect((await joinEmbedded({ dataDir: running.dataDir, log: () => undefined })).url);
  const site = await prepareSite(client, { DATA_DIR: running.dataDir }, { hot: 1, cool: 1 });
  const unit = () =>
    fetch(`${running.url}/v1/workunits`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Written', workUnitTypeId: 1, tenantId: site.tenantId }),
    });
  // Waits for the end of each session, at most a minute.
  const endSessions = `select pg_terminate_backend(pid, 60000) from pg_stat_activity
    where pid <> pg_backend_pid() and application_name = 'cloudfit'`;
  expect((await unit()).status).toBe(201);
  await client.query('alter system set default_transaction_read_only = on');
  await client.query('select pg_reload_conf()');
  // New sessions have a setting at the latest when an old one has it.
  const readOnly = async () => (await client.query<Record<string, string>>('show default_transaction_read_only')).rows;
  await expect.poll(readOnly).toEqual([{ default_transaction_read_only: 'on' }]);
  await client.query(endSessions);
  const refused = await Promise.all(Array.from({ length: 10 }, unit));
  expect(new Set(refused.map((answer) => answer.status))).toEqual(new Set([503]));
  expect(refused.every((answer) => answer.headers.get('retry-after') !== null)).toBe(true);
  await client.query('set default_transaction_read_only = off');
  await client.query('alter system reset default_transaction_read_only');
  await client.query('select pg_reload_conf()');
  await client.query(endSessions);
  // The first requests may use a terminated session, and also get 503.
  for (const end = Date.now() + 60_000; Date.now() < end && (await unit()).status !== 201;) await sleep(50);
  expect((await unit()).status).toBe(201);
  await client.end();
});
