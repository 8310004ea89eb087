/** A database that hangs while devices report: none of them is reported silent, and one that died meanwhile is found soon. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { joinEmbedded } from '../../db/embedded/embedded.ts';
import { silenceSweepMs } from '../../rules/run/silence.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { startBeats } from './beats.ts';
import { connect, prepareSite } from './site.ts';

const beatMs = 5_000;
const limitSeconds = 6;
/** The shortest grace after an outage (`rules/beats.ts`), which is longer than the beat. */
const graceMs = 10_000;
const hangMs = 20_000;

let server: ServerProcess;
const stopped: number[] = [];

function resume(): void {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
}

beforeAll(async () => {
  server = await serverProcess();
  await server.start();
}, 240_000);
afterAll(async () => {
  resume();
  await server.remove();
});

it('reports nobody for a database that hangs for 20 s, but who died meanwhile', { timeout: 240_000 }, async () => {
  onTestFailed(() => console.error(server.output().slice(-4_000)));
  const client = await connect((await joinEmbedded({ dataDir: server.dataDir, log: () => undefined })).url);
  const site = await prepareSite(client, { DATA_DIR: server.dataDir }, { hot: 8, cool: 0 });
  const [dead = ''] = site.hotDevices;
  const beats = await startBeats(client, { site, urls: [server.url], beatMs, limitSeconds });
  const isPostgres = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  const from = Date.now();
  for (const pid of server.processes().filter(isPostgres)) {
    process.kill(pid, 'SIGSTOP');
    stopped.push(pid);
  }
  expect(stopped.length).toBeGreaterThan(3);
  beats.die(dead);
  await sleep(hangMs);
  resume();
  const to = Date.now() + graceMs;
  // The statement that stores a match may wait for one sweep and a busy machine.
  const latest = Date.now() + limitSeconds * 1_000 + graceMs + 2 * silenceSweepMs;
  await expect.poll(beats.silent, { timeout: latest - Date.now(), interval: 200 }).toContain(dead);
  expect(await beats.falselySilent({ from, to })).toEqual([]);
  await beats.stop();
  await client.end();
});
