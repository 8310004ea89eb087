import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programOf } from '../../scripts/server/program.mjs';
import { deviceId, startFakeServer, waitUntil, type FakeServer } from './testing/fake-server.ts';

const { file: program, compileCache } = programOf('agent/src/main.ts');

let server: FakeServer;
let folder: string;
let agents: ChildProcess[];

beforeEach(async () => {
  server = await startFakeServer();
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
  agents = [];
  writeFileSync(join(folder, 'token'), 'secret-1\n');
});

afterEach(async () => {
  for (const agent of agents) agent.kill('SIGKILL');
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}, args: string[] = []) {
  const agent = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: compileCache,
      CLOUDFIT_URL: server.url,
      CLOUDFIT_TOKEN_FILE: join(folder, 'token'),
      CLOUDFIT_STATE_DIR: join(folder, 'state'),
      ...env,
    },
  });
  agents.push(agent);
  const run = { agent, out: '', err: '', exited: new Promise<number | null>((resolve) => agent.once('exit', resolve)) };
  agent.stdout.on('data', (chunk) => (run.out += chunk));
  agent.stderr.on('data', (chunk) => (run.err += chunk));
  return run;
}

const stored = () => [...server.stored.values()];

/** The content of a file; empty when its packets have been sent and it is gone. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function messageIdsOnDisk(): string[] {
  const outbox = join(folder, 'state', 'outbox');
  const text = readdirSync(outbox)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => contentOf(join(outbox, name)))
    .join('');
  return [...text.matchAll(/"messageId":"([^"]+)"/g)].flatMap((match) => match[1] ?? []);
}

/** Returns the ids of packets on disk that the server has not stored. */
const unsent = () => messageIdsOnDisk().filter((id) => !server.stored.has(id));
const timesOf = (ids: readonly string[]) => ids.map((id) => server.stored.get(id)?.timestamp ?? '').toSorted();

describe('agent', () => {
  it('[DEV-044] registers, waits to be promoted, reports, and follows its configuration', async () => {
    const run = start();
    await waitUntil(() => server.stored.size >= 2, 'two heartbeats');
    const [first] = stored();
    expect(first).toMatchObject({ entityId: deviceId, message: { Properties: { AgentVersion: '1.0.0' } } });
    expect(Object.keys(first?.message.Metrics ?? {})).toEqual(expect.arrayContaining(['Cpu', 'Memory', 'Uptime', 'Disk']));
    // The tenant's token only enrols the machine. Other calls have the device's access token or, like the sign-in, none.
    expect([...server.tokens]).toEqual(['', 'Bearer secret-1', 'Bearer device-2']);
    expect(statSync(join(folder, 'state', 'identity.json')).mode & 0o177).toBe(0);
    expect(statSync(join(folder, 'state')).mode & 0o077).toBe(0);

    server.configuration = { ...server.configuration, enabled: false, version: 'v2' };
    await waitUntil(() => server.configurationVersion === '"v2"', 'the agent holds the new version');
    const disabledAt = new Date().toISOString();
    // Waits for longer than two intervals: only time shows that no packet comes.
    await sleep(2_500);
    const enabledAt = new Date().toISOString();
    server.configuration = { ...server.configuration, enabled: true, version: 'v3' };
    await waitUntil(() => stored().some((entry) => entry.timestamp > enabledAt), 'a heartbeat after it was enabled again');
    // A heartbeat may have been under way when the device was disabled.
    expect(stored().filter(({ timestamp }) => timestamp > disabledAt && timestamp < enabledAt).length).toBeLessThanOrEqual(1);
    run.agent.kill('SIGTERM');
    expect(await run.exited).toBe(0);
    expect(run.err).toBe('');
  });

  it('measures on while the server is away, is killed, starts without it, and nothing measured is lost', async () => {
    const first = start();
    await waitUntil(() => server.stored.size >= 1, 'the first heartbeat');
    await server.stop();
    const before = server.stored.size;
    await waitUntil(() => unsent().length >= 2, 'two heartbeats without the server');
    first.agent.kill('SIGKILL');
    await first.exited;
    const byFirst = unsent();
    const killedAt = new Date().toISOString();
    start();
    await waitUntil(() => unsent().length >= byFirst.length + 2, 'two heartbeats of the agent that started without the server');
    expect(server.stored.size).toBe(before);
    const onDisk = unsent();
    const backAt = new Date().toISOString();
    await server.start();
    await waitUntil(() => stored().some((p) => p.timestamp > backAt), 'a heartbeat measured after the server was back');
    await waitUntil(() => onDisk.every((id) => server.stored.has(id)), 'all that was kept on disk is stored');
    expect(timesOf(byFirst).every((time) => time < killedAt)).toBe(true);
    expect(timesOf(onDisk).filter((time) => time > killedAt && time < backAt).length).toBeGreaterThanOrEqual(2);
  });

  it.each([-600_000, 7_200_000])(
    'sends the times of the server when its clock differs by %i ms, also of what it measured without the server',
    async (clockAheadMs) => {
      server.clockAheadMs = clockAheadMs;
      const first = start();
      await waitUntil(() => server.stored.size >= 2, 'two heartbeats');
      await waitUntil(
        () => server.logged.some((line) => /^The clock of this machine is \d+ s (ahead|behind)/.test(line.detail)),
        'a line of the log',
      );
      // The agent starts and measures before it knows the server's time.
      await server.stop();
      first.agent.kill('SIGKILL');
      await first.exited;
      const byFirst = unsent().length;
      start();
      await waitUntil(() => unsent().length >= byFirst + 2, 'two heartbeats of the agent that started without the server');
      const onDisk = unsent();
      await server.start();
      await waitUntil(() => onDisk.every((id) => server.stored.has(id)), 'all that was kept on disk is stored');
      const off = stored().map((packet) => Math.abs(Date.parse(packet.timestamp) - Date.now() - clockAheadMs));
      expect(off.length).toBeGreaterThanOrEqual(4);
      // Each time differs from the server's by less than this test lasts, not by `clockAheadMs`.
      expect(Math.max(...off)).toBeLessThan(60_000);
      expect(JSON.stringify(stored())).not.toContain('isCorrected');
    },
    40_000,
  );

  it('restarts once when the server requests it, as the same process, and loses nothing', async () => {
    const run = start();
    await waitUntil(() => server.stored.size >= 1, 'the first heartbeat');
    const { registrations } = server;
    server.configuration = { ...server.configuration, restartAgentFlag: true, version: 'v2' };
    await waitUntil(() => server.registrations > registrations, 'a registration after the restart');
    const measured = server.stored.size;
    await waitUntil(() => server.stored.size >= measured + 2, 'heartbeats after the restart');
    expect([server.registrations, run.agent.exitCode, run.agent.signalCode]).toEqual([registrations + 1, null, null]);
    expect(run.out.match(/The server requests a restart\./g)).toHaveLength(1);
    expect(messageIdsOnDisk().every((id) => server.stored.has(id))).toBe(true);
    run.agent.kill('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  it('sends what it logs, and each of its steps while the device is traced', async () => {
    const run = start();
    const isLogged = (pattern: RegExp) => server.logged.some((line) => pattern.test(line.detail));
    await waitUntil(() => isLogged(/^This machine is device/), 'the first line');
    await waitUntil(() => server.stored.size >= 2, 'two heartbeats');
    expect(server.logged.filter((line) => line.entryType === 'Trace')).toEqual([]);
    const traceExpiration = new Date(Date.now() + 600_000).toISOString();
    server.configuration = { ...server.configuration, traceExpiration, version: 'v2' };
    await waitUntil(() => isLogged(/^Measured Cpu /) && isLogged(/^POST \/v1\/packets was answered with 200/), 'traced steps');
    expect(run.out).toMatch(/ trace Measured Cpu /);
    server.configuration = { ...server.configuration, traceExpiration: new Date(Date.now() - 1_000).toISOString(), version: 'v3' };
    await waitUntil(() => server.configurationVersion === '"v3"', 'the agent holds the end of the tracing');
    const endedAt = new Date().toISOString();
    const measured = server.stored.size;
    // Lines are sent every second, so those of these heartbeats would have arrived.
    await waitUntil(() => server.stored.size >= measured + 4, 'heartbeats after the end of the tracing');
    expect(server.logged.filter((line) => line.entryType === 'Trace' && line.created > endedAt)).toEqual([]);
    expect(isLogged(/agent\/logs/)).toBe(false);
  });

  it('ends with its parent, and a second one does not take its folder', async () => {
    const child = start({ CLOUDFIT_PARENT: '1' });
    await waitUntil(() => server.registrations > 0, 'a registration');
    const second = start();
    expect(await second.exited).toBe(1);
    expect(second.err).toMatch(/^cloudfit-agent: Another agent uses the state folder .*\.\n$/);
    child.agent.stdin?.end();
    expect(await child.exited).toBe(0);
  });

  it.each([
    ['no address', { CLOUDFIT_URL: '' }, /address of the server is missing/],
    ['a wrong address', { CLOUDFIT_URL: 'ftp://x' }, /not one of http or https/],
    ['no token file', { CLOUDFIT_TOKEN_FILE: '/nowhere/token' }, /\/nowhere\/token cannot be read: ENOENT/],
    ['a state folder that cannot be', { CLOUDFIT_STATE_DIR: '/dev/null/x' }, /\/dev\/null\/x cannot be written/],
    ['a wrong size', { CLOUDFIT_OUTBOX_MIB: 'much' }, /much is not a number of MiB/],
  ])('says in one line that there is %s', async (_what, env, message) => {
    const run = start(env);
    expect(await run.exited).toBe(1);
    expect(run.err).toMatch(message);
    expect(run.err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('explains itself', async () => {
    const helped = start({}, ['--help']);
    expect(await helped.exited).toBe(0);
    expect(helped.out).toMatch(/--token-file/);
    const wrong = start({}, ['--urll', 'x']);
    expect(await wrong.exited).toBe(1);
    expect(wrong.err).toBe("cloudfit-agent: Unknown option '--urll'. See --help.\n");
  });
});
