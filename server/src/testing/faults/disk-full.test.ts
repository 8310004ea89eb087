/** A disk that fills up under load and has room again: the server says 503 meanwhile, and what it acknowledged is there, once. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { joinEmbedded } from '../../db/embedded.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
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

it.skipIf(!isMounted)('outlives a full disk and loses nothing acknowledged', { timeout: 90_000 }, async () => {
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  server = await serverProcess({ env: { DATA_DIR: dataDir } });
  await server.start();
  const connected = async () => connect((await joinEmbedded({ dataDir, log: () => undefined })).url);
  const before = await connected();
  const site = await prepareSite(before, { DATA_DIR: dataDir }, { hot: 1_000, cool: 100 });
  await before.end();

  const load = startLoad({ ...site, urls: [server.url] });
  await sleep(1_000);
  const filler = join(folder, 'filler');
  // The server takes what is left before the last of it is written.
  const fill = (): void => {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(1_048_576));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  };
  fill();
  for (const end = Date.now() + 15_000; Date.now() < end && !load.statuses.get(503);) {
    await sleep(100);
    fill();
  }
  unlinkSync(filler);
  const acknowledged = load.packets.size;
  for (const end = Date.now() + 20_000; Date.now() < end && load.packets.size <= acknowledged + 1_000;) await sleep(100);
  await load.stop();
  expect(load.statuses.get(503)).toBeGreaterThan(0);
  expect(load.packets.size).toBeGreaterThan(acknowledged);

  const client = await connected();
  // As if the minute of the leases had passed.
  await client.query('update job set leased_until = now(), run_at = now() where dead_at is null');
  await drain(client);
  const { faults } = await verify(client, load);
  await client.end();
  expect(faults).toEqual({});
  expect(await server.stop()).toBe(0);
});
