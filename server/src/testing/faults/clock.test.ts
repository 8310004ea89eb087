/** Clocks of workers that jump an hour ahead and back, under load: only the database's clock decides what is due and who has a lease. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { testDatabase } from '../database.ts';
import { serverProcess } from '../server-process.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite } from './site.ts';
import { drain, verify } from './verify.ts';

// The library of Debian's package `faketime`, which changes the clock of a process.
const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

it.skipIf(!library)('loses nothing and does nothing twice when the clocks of workers jump', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-clock-'));
  const database = await testDatabase();
  const shared = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '8' };
  const clocks = ['one', 'two'].map((name) => join(folder, name));
  const step = (clock: number, by: string): void => writeFileSync(clocks[clock] ?? '', `${by}\n`);
  clocks.forEach((_clock, n) => step(n, '+0'));
  const api = await serverProcess({ roles: 'api', databaseUrl: database.url, env: shared });
  const workers = await Promise.all(
    clocks.map((clock) =>
      serverProcess({
        roles: 'worker',
        databaseUrl: database.url,
        env: { ...shared, LD_PRELOAD: library ?? '', FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' },
      }),
    ),
  );
  try {
    await Promise.all([api, ...workers].map((item) => item.start()));
    const client = await connect(database.url);
    const site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 500, cool: 100 });
    const load = startLoad({ ...site, urls: [api.url] });
    for (const [first, second] of [
      ['+3600', '-3600'],
      ['-3600', '+3600'],
      ['+0', '+0'],
    ] as const) {
      await sleep(1_000);
      step(0, first);
      step(1, second);
    }
    await sleep(1_000);
    await load.stop(10);
    await drain(client);
    const { faults, counts } = await verify(client, load);
    expect(faults).toEqual({});
    expect(counts['matches']).toBeGreaterThan(10);
    const { rows } = await client.query<{ ahead: number }>(
      `select count(*)::int as ahead from schedule where next_run > now() + interval '1 hour 1 minute' or last_run > now() + interval '1 minute'`,
    );
    expect(rows).toEqual([{ ahead: 0 }]);
    await client.end();
  } finally {
    await Promise.all([api, ...workers].map((item) => item.remove()));
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
