/** Two servers that are restarted one after the other: no device whose packets arrive is reported silent, at 1.2 times its beat. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFailed } from 'vitest';
import { testDatabase } from '../database.ts';
import { serverProcess } from '../server-process.ts';
import { startBeats } from './beats.ts';
import { connect, prepareSite } from './site.ts';

const beatMs = 5_000;
const limitSeconds = 6;

it('reports nobody for a rolling restart of two servers', { timeout: 240_000 }, async () => {
  const database = await testDatabase();
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '4' };
  const servers = [await serverProcess({ databaseUrl: database.url, env }), await serverProcess({ databaseUrl: database.url, env })];
  onTestFailed(() => console.error(servers.map((server) => server.output().slice(-2_000)).join('\n')));
  try {
    await Promise.all(servers.map((server) => server.start()));
    const client = await connect(database.url);
    const site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 8, cool: 0 });
    const beats = await startBeats(client, { site, urls: servers.map(({ url }) => url), beatMs, limitSeconds });
    for (const server of servers) {
      expect(await server.stop()).toBe(0);
      await sleep(1_000);
      await server.start();
      await sleep(1_000);
    }
    await sleep(limitSeconds * 1_000 + beatMs);
    expect(await beats.falselySilent()).toEqual([]);
    await beats.stop();
    await client.end();
  } finally {
    await Promise.all(servers.map((server) => server.remove()));
    await database.close();
  }
});
