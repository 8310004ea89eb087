/** Several processes of one command: each kind is killed or stopped under load, and another one takes its place. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { isLong, runs } from '@cloudfit/contract/testing/runs.ts';
import { joinEmbedded } from '../../db/embedded/embedded.ts';
import { freePort, serverProcess, type ServerProcess } from '../server-process.ts';
import { noteFault } from './figures.ts';
import { startLoad } from './load.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';
import { drain, verify } from './verify.ts';

let server: ServerProcess;
let metricsUrl: string;
let site: FaultSite;
const callers = 6;

const database = async (): ReturnType<typeof connect> =>
  connect((await joinEmbedded({ dataDir: server.dataDir, log: () => undefined })).url);

/** Returns the command lines of the processes that a process has started, by their ids. */
function childrenOf(parent: number): Map<number, string> {
  const children = new Map<number, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, startedBy] = /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      if (Number(startedBy) === parent) children.set(Number(pid), readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      // It has ended.
    }
  }
  return children;
}

/** Returns the ids of the processes of the server by their names, as `api-1`. */
function processes(): Map<string, number> {
  const named = [...childrenOf(server.pid())].map(([pid, command]) => [/^cloudfit ([\w-]+)/.exec(command)?.[1], pid] as const);
  return new Map(named.flatMap(([name, pid]) => (name === undefined ? [] : [[name, pid]])));
}

const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
const figure = (text: string, name: string, process: string): number =>
  Number(new RegExp(`^${name}\\{process="${process}"\\} (.*)$`, 'm').exec(text)?.[1]);

/** Waits until another process has taken the place of `pid`, and is ready. */
async function untilReplaced(name: string, pid: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const now = processes().get(name);
        return now !== undefined && now !== pid && figure(await metrics(), 'cloudfit_process_up', name) === 1;
      },
      { timeout: 240_000, interval: 200 },
    )
    .toBe(true);
}

beforeAll(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  server = await serverProcess({ env: { PROCESSES: 'api:2,worker:1', METRICS_PORT: String(port), DRAIN_SECONDS: '3' } });
  await server.start();
  const client = await database();
  site = await prepareSite(client, { DATA_DIR: server.dataDir }, { hot: 2_000, cool: 100 });
  await client.end();
}, 240_000);

afterAll(() => server.remove());

it('share the port, and one scrape shows each', async () => {
  onTestFailed(() => console.error(server.output().slice(-4_000)));
  expect([...processes().keys()].toSorted()).toEqual(['api-1', 'api-2', 'worker-1']);
  // Connections are distributed in turn, so each of these gets one of its own.
  const headers = { authorization: `Bearer ${site.token}`, 'content-type': 'application/json', connection: 'close' };
  for (const entityId of site.coolDevices.slice(0, 6)) {
    const body = JSON.stringify([{ entityId, message: { Metrics: { Cpu: 1 } } }]);
    const answer = await fetch(`${server.url}/v1/packets`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  }
  const text = await metrics();
  const [first = 0, second = 0, worker] = ['api-1', 'api-2', 'worker-1'].map((name) => figure(text, 'cloudfit_packets_stored_total', name));
  expect([first > 0, second > 0, first + second, worker]).toEqual([true, true, 6, 0]);
  for (const name of ['supervisor', 'api-1', 'api-2', 'worker-1'])
    expect([name, figure(text, 'process_resident_memory_bytes', name)]).toEqual([name, expect.toSatisfy((bytes: number) => bytes > 1e7)]);
  // What all share is there once, and each metric has one heading.
  expect(text.match(/^cloudfit_jobs_waiting /gm)).toHaveLength(1);
  expect(text.match(/^# TYPE process_resident_memory_bytes /gm)).toHaveLength(1);
});

/** What happens to a process, and at most how many of the callers' requests fail by it. */
interface Fault {
  name: string;
  signal: NodeJS.Signals;
  maxFailed: number;
}

/** A process that only stalls is noticed by its silence; callers whose requests it has wait for that. */
const faults: readonly Fault[] = [
  { name: 'api-1', signal: 'SIGKILL', maxFailed: callers },
  { name: 'worker-1', signal: 'SIGKILL', maxFailed: 0 },
  { name: 'api-2', signal: 'SIGSTOP', maxFailed: 2 * callers },
  ...(isLong
    ? ([
        { name: 'api-2', signal: 'SIGTERM', maxFailed: 0 },
        { name: 'api-2', signal: 'SIGKILL', maxFailed: callers },
        { name: 'worker-1', signal: 'SIGTERM', maxFailed: 0 },
        { name: 'worker-1', signal: 'SIGSTOP', maxFailed: 0 },
      ] as const)
    : []),
];

it('lose no more than the requests of a process that is killed or stalls, and start it again', { timeout: 1_200_000 }, async () => {
  onTestFailed(() => console.error(server.output().slice(-6_000)));
  const load = startLoad({ ...site, urls: [server.url], senders: 4, writers: callers - 4 });
  const failed = (): number => load.unanswered.length;
  for (const { name, signal, maxFailed } of faults) {
    await sleep(500);
    const pid = processes().get(name) ?? 0;
    const [before, packets] = [failed(), load.packets.size];
    load.longestGapMs();
    process.kill(pid, signal);
    const began = performance.now();
    await untilReplaced(name, pid);
    const replacedMs = performance.now() - began;
    expect([name, signal, load.unanswered.slice(before)]).toEqual([
      name,
      signal,
      expect.toSatisfy((all: string[]) => all.length <= maxFailed),
    ]);
    noteFault(`${signal} of ${name}, of two api and a worker`, {
      'requests failed': failed() - before,
      'longest time without a success': `${(load.longestGapMs() / 1_000).toFixed(1)} s`,
      'replaced after': `${(replacedMs / 1_000).toFixed(1)} s`,
      'packets acknowledged meanwhile': load.packets.size - packets,
    });
  }
  expect(load.statuses.get(503) ?? 0).toBe(0);
  // The database dies, and stands still for a while: callers are told, and it is up again by itself.
  const postgres = (): number => Number(readFileSync(join(server.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  for (const signal of isLong ? (['SIGKILL', 'SIGSTOP'] as const) : (['SIGKILL'] as const)) {
    const [pid, packets, refused] = [postgres(), load.packets.size, load.statuses.get(503) ?? 0];
    load.longestGapMs();
    const all = signal === 'SIGSTOP' ? [pid, ...childrenOf(pid).keys()] : [pid];
    for (const one of all) process.kill(one, signal);
    if (signal === 'SIGSTOP') {
      await sleep(5_000);
      for (const one of all) process.kill(one, 'SIGCONT');
    }
    await expect.poll(() => load.packets.size - packets, { timeout: 240_000 }).toBeGreaterThan(runs(200, 2_000));
    const gapMs = load.longestGapMs();
    if (signal === 'SIGSTOP') expect(gapMs).toBeGreaterThan(4_000);
    noteFault(`${signal} of PostgreSQL${signal === 'SIGSTOP' ? ' for 5 s' : ''}, two api and a worker`, {
      'requests answered 503': (load.statuses.get(503) ?? 0) - refused,
      'longest time without a success': `${(gapMs / 1_000).toFixed(1)} s`,
    });
  }
  await load.stop(20);

  const client = await database();
  await client.query('update job set leased_until = now(), run_at = now() where leased_until is not null');
  await drain(client);
  const verdict = await verify(client, load);
  await client.end();
  expect(verdict.faults).toEqual({});
  for (const [what, count] of Object.entries(verdict.counts))
    expect([what, count]).toEqual([what, expect.toSatisfy((n: number) => n > 20)]);
  noteFault('all of these', { ...verdict.counts, lost: 0, 'stored twice': 0 });
});

it('end with the process that supervises them, and with a signal to it', { timeout: 180_000 }, async () => {
  await server.kill();
  await expect.poll(() => server.processes(), { timeout: 30_000 }).toEqual([]);
  await server.start();
  expect([...processes().keys()].toSorted()).toEqual(['api-1', 'api-2', 'worker-1']);
  expect(await server.stop()).toBe(0);
  expect(server.processes()).toEqual([]);
});

it('are not started with a port that is taken', async () => {
  const { port } = new URL(server.url);
  const other = await serverProcess({ port: Number(port), env: { PROCESSES: '3' } });
  await server.start();
  try {
    await expect(other.start()).rejects.toThrow(`Port ${port} is taken by another program. Stop it, or choose another with PORT=...`);
    expect(other.processes()).toEqual([]);
  } finally {
    await other.remove();
  }
}, 180_000);
