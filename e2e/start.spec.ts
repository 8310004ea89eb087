/**
 * Tests `npm start` as a newcomer runs it: in this checkout, or with NEWCOMER=1 in a fresh clone, where it installs everything,
 * which takes minutes.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { freePort } from '../server/src/testing/server-process.ts';

test.describe.configure({ mode: 'serial' });

const isNewcomer = process.env['NEWCOMER'] === '1';
const temp = mkdtempSync(join(tmpdir(), 'cloudfit-start-'));
chmodSync(temp, 0o711);
const root = isNewcomer ? join(temp, 'clone') : join(import.meta.dirname, '..');
const dataDir = join(temp, 'data');

interface Run {
  child: ChildProcess;
  output(): string;
  /** The exit code, once the process has ended. */
  ended: Promise<number | null>;
}

function npmStart(env: Record<string, string>): Run {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LOG_LEVEL: 'warn', DRAIN_SECONDS: '0', DATA_DIR: dataDir, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output, ended: new Promise((done) => child.once('exit', done)) };
}

/** Milliseconds from the start to the first response. */
async function untilAnswered(run: Run, port: number, patienceMs = 240_000): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < patienceMs) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return performance.now() - began;
    if (run.child.exitCode !== null) break;
    await sleep(15);
  }
  throw new Error(`It does not answer:\n${run.output()}`);
}

/** The processes that use this file's data folder. */
function left(): number[] {
  return readdirSync('/proc')
    .filter((name) => {
      try {
        return /^\d+$/.test(name) && Number(name) !== process.pid && readFileSync(`/proc/${name}/environ`, 'utf8').includes(temp);
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function refusal(env: Record<string, string>): Promise<{ lines: string[]; code: number | null }> {
  const run = npmStart(env);
  const code = await run.ended;
  return { lines: run.output().trim().split('\n'), code };
}

test.beforeAll(() => {
  if (isNewcomer) execFileSync('git', ['clone', '-q', join(import.meta.dirname, '..'), root]);
});

test.afterAll(() => {
  for (const pid of left()) process.kill(pid, 'SIGKILL');
  rmSync(temp, { recursive: true, force: true });
});

test('starts, prints the address and the link, and stops everything on Ctrl-C', async () => {
  const port = await freePort();
  const run = npmStart({ PORT: String(port) });
  await untilAnswered(run, port);
  await expect.poll(() => run.output()).toMatch(new RegExp(`CloudFit is running at http://localhost:${port}[\\s\\S]*/set-password/`));
  // A terminal sends the signal to the whole foreground group.
  process.kill(-(run.child.pid ?? 0), 'SIGINT');
  await run.ended;
  await expect.poll(left).toEqual([]);
});

test('starts again with what was there, and ends by itself when npm is killed', async () => {
  const port = await freePort();
  const run = npmStart({ PORT: String(port) });
  const took = await untilAnswered(run, port);
  test.info().annotations.push({ type: 'second start', description: `${Math.round(took)} ms` });
  console.log(`Second start: ${Math.round(took)} ms to the first answer.`);
  await expect.poll(() => run.output()).toContain('CloudFit is running');
  expect(existsSync(join(dataDir, 'master.key'))).toBe(true);
  process.kill(run.child.pid ?? 0, 'SIGKILL');
  // No parent stops the server; it notices the end of npm by itself.
  await expect.poll(left).toEqual([]);
});

test('says in one line that the port is taken', async () => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  const { lines, code } = await refusal({ PORT: String(port), AGENT: 'off' });
  other.close();
  expect([lines, code]).toEqual([[`Port ${port} is taken by another program. Stop it, or choose another with PORT=...`], 1]);
});

test('says in one line that the data folder cannot be written', async () => {
  // Root may write into every folder, so the path goes through a file.
  const inTheWay = join(temp, 'a-file');
  execFileSync('touch', [inTheWay]);
  const { lines, code } = await refusal({ DATA_DIR: join(inTheWay, 'data') });
  expect(lines).toHaveLength(1);
  expect([lines[0], code]).toEqual([expect.stringMatching(/^The data folder .*a-file\/data cannot be written/), 1]);
});

test('says in one line which setting is wrong', async () => {
  const { lines, code } = await refusal({ PORT: 'eighty' });
  expect([lines, code]).toEqual([[expect.stringContaining('PORT')], 1]);
});

test('says in one line that another server uses the data folder', async () => {
  const port = await freePort();
  mkdirSync(dataDir, { recursive: true });
  const first = npmStart({ PORT: String(port), AGENT: 'off' });
  await untilAnswered(first, port);
  const { lines, code } = await refusal({ PORT: String(await freePort()), AGENT: 'off' });
  expect([lines, code]).toEqual([[expect.stringContaining('is in use by another running server')], 1]);
  process.kill(-(first.child.pid ?? 0), 'SIGTERM');
  await first.ended;
  await expect.poll(left).toEqual([]);
});
