/** kill -9 of the server under load, again and again: everything that it acknowledged is stored once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFailed } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { joinEmbedded } from '../../db/embedded/embedded.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { noteFault } from './figures.ts';
import { startLoad } from './load.ts';
import { openReceiver } from './receiver.ts';
import { connect, prepareSite } from './site.ts';
import { drain, verify } from './verify.ts';

const kills = runs(2, 10);
let server: ServerProcess | undefined;

afterAll(() => server?.remove());

async function database(dataDir: string): ReturnType<typeof connect> {
  return connect((await joinEmbedded({ dataDir, log: () => undefined })).url);
}

it('loses nothing acknowledged and does nothing twice when it is killed again and again under load', { timeout: 180_000 }, async () => {
  const alive = await openReceiver(() => 'well');
  server = await serverProcess({ agent: true, env: { ALIVE_URL: `http://127.0.0.1:${alive.port}/alive` } });
  onTestFailed(() => console.error(server?.output().slice(-6_000)));
  await server.start();
  const before = await database(server.dataDir);
  const site = await prepareSite(before, { DATA_DIR: server.dataDir }, { hot: 3_000, cool: 200 });
  await before.end();

  const load = startLoad({ ...site, urls: [server.url] });
  for (let n = 0; n < kills; n++) {
    await sleep(300 + Math.random() * 900);
    await server.kill();
    await server.start();
  }
  await load.stop(kills);

  const client = await database(server.dataDir);
  // The jobs of the killed processes do not wait for their leases.
  const { rows: lost } = await client.query('select leased_by from job where leased_by not like $1 and dead_at is null', [
    `${server.pid()}.%`,
  ]);
  expect(lost).toEqual([]);
  await drain(client);
  const { faults, counts } = await verify(client, load);
  await client.end();
  expect(faults).toEqual({});
  for (const [what, count] of Object.entries(counts)) expect([what, count]).toEqual([what, expect.toSatisfy((n: number) => n > kills)]);

  noteFault(`${kills} times SIGKILL of the one server`, { ...counts, lost: 0, 'stored twice': 0 });

  // The first worker called as soon as it ran; a killed one would have done so within the minute.
  expect(alive.calls[0]).toMatchObject({ host: '127', path: '/alive' });
  alive.close();

  expect(await server.stop()).toBe(0);
  expect(server.processes()).toEqual([]);
});
