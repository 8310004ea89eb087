/**
 * A disk that fills up under load and has space again: the server answers 503 meanwhile, and everything that it
 * acknowledged is stored once.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { runAdmin } from '../../admin/run.ts';
import { joinEmbedded } from '../../db/embedded/embedded.ts';
import { freePort, serverProcess, type ServerProcess } from '../server-process.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite } from './site.ts';
import { drain, verify } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloudfit-disk-'));
let server: ServerProcess | undefined;

function mounted(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=0711', 'none', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const isMounted = mounted();

afterAll(async () => {
  await server?.remove();
  if (isMounted) execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  error?: { message: string };
  storage?: { level: string; freeBytes: number; walBytes: number };
  value?: object[];
}

async function addToken(env: Record<string, string>, of: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const io = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line), readInput: () => Promise.resolve('') };
  const args = ['token', 'add', '--name', 'Administrator', ...of, '--scopes', 'none', '--set', 'Administrator', '--json'];
  if ((await runAdmin(args, env, io)) !== 0) throw new Error(lines.join('\n'));
  return (JSON.parse(lines.join('')) as { token: string }).token;
}

/** Fills the disk and repeats the write until the answer is 503; returns that answer. */
async function refusal(write: () => Promise<Answer & { status: number }>, fill: () => void): Promise<Answer> {
  for (const end = Date.now() + 60_000; Date.now() < end; fill()) {
    const answer = await write();
    if (answer.status === 503) return answer;
  }
  throw new Error('Nothing was refused.');
}

it.skipIf(!isMounted)('outlives a full disk and loses nothing acknowledged', async () => {
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  const metricsPort = await freePort();
  server = await serverProcess({ env: { DATA_DIR: dataDir, METRICS_PORT: String(metricsPort) } });
  await server.start();
  const connected = async () => connect((await joinEmbedded({ dataDir, log: () => undefined })).url);
  const before = await connected();
  const site = await prepareSite(before, { DATA_DIR: dataDir }, { hot: 1_000, cool: 100 });
  await before.end();
  const { url } = server;
  const administrator = await addToken({ DATA_DIR: dataDir }, ['--all-tenants']);
  const get = async (path: string): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${administrator}` } });
    return (await answer.json()) as Answer;
  };
  const packet = async (): Promise<Answer & { status: number }> => {
    const answer = await fetch(`${url}/v1/packets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ entityId: site.coolDevices[0], message: { Properties: { Text: randomBytes(50_000).toString('hex') } } }),
    });
    return { ...((await answer.json()) as Answer), status: answer.status };
  };
  expect((await get('/readyz')).storage).toMatchObject({
    level: 'ok',
    freeBytes: expect.any(Number),
    walBytes: expect.toSatisfy((bytes: number) => bytes > 1_000_000),
  });
  const notices = async () =>
    ((await get(`/v1/notices?tenantId=${site.tenantId}`)).value as { kind: string }[]).filter(({ kind }) => kind !== 'noMailServer');
  expect(await notices()).toEqual([]);

  const load = startLoad({ ...site, urls: [server.url] });
  await sleep(1_000);
  const began = performance.now();
  const filler = join(folder, 'filler');
  // Writes until no space is left. Called repeatedly, because the server may free space in the meantime.
  const fill = (): void => {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(1_048_576));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  };
  fill();
  for (const end = Date.now() + 60_000; Date.now() < end && !load.statuses.get(503);) {
    await sleep(100);
    fill();
  }
  const full = await refusal(packet, fill);
  expect(full.error?.message).toBe('The storage is full: nothing can be stored until an administrator has made room on its disk.');
  expect((await get('/readyz')).storage?.level).toBe('full');
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(Number(/^cloudfit_storage_free_bytes (\d+)/m.exec(metrics)?.[1])).toBeLessThan(300_000_000 / 10);
  expect(Number(/^cloudfit_wal_bytes (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(1_000_000);
  expect(await notices()).toMatchObject([{ kind: 'storage', level: 'full' }]);
  // The server logs the full disk at most once a minute, however many writes fail.
  expect(server.output().split('The storage is full: writes are refused').length - 1).toBeLessThanOrEqual(
    1 + (performance.now() - began) / 60_000,
  );
  unlinkSync(filler);
  const acknowledged = load.packets.size;
  for (const end = Date.now() + 60_000; Date.now() < end && load.packets.size <= acknowledged + runs(100, 1_000);) await sleep(100);
  await load.stop();
  expect(load.statuses.get(503)).toBeGreaterThan(0);
  expect(load.packets.size).toBeGreaterThan(acknowledged);

  const client = await connected();
  // Simulates that all leases have expired. Leaves out rows that a worker is locking: it locks several in its own order, so waiting
  // for one could be a deadlock.
  await client.query(`update job set leased_until = now(), run_at = now()
where job_id in (select job_id from job where dead_at is null for update skip locked)`);
  await drain(client);
  const { faults } = await verify(client, load);
  await client.end();
  expect(faults).toEqual({});
  expect(await server.stop()).toBe(0);

  // A start on a full disk says the same, and works when there is room.
  fill();
  const message = await server.start().then(
    () => 'started',
    (error: Error) => error.message,
  );
  expect(message).toContain('The storage is full: the server cannot start until there is room on the disk');
  unlinkSync(filler);
  await server.start();
  expect(await server.stop()).toBe(0);
});
