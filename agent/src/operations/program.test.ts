/** What a program leaves behind: processes, files of its run, and an output that is longer than what is kept. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseManifest } from '@cloudfit/contract/packages/manifest.ts';
import { waitUntil } from '../testing/fake-server.ts';
import { openJournal } from './journal.ts';
import { outcomeOf } from './outcome.ts';
import type { ManifestOperation } from './prepare.ts';
import { runVariable } from './process-tree.ts';
import { runProgram } from './program.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'program-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let serial = 0;
function run(script: string, keepsRunning = false) {
  const runId = `run-${process.pid}-${++serial}`;
  const env = { ...process.env, [runVariable]: runId };
  return runProgram(
    { runId, command: ['sh', '-c', script], env, folder, timeLimitMs: 60_000, keepsRunning, onLine: () => undefined },
    new AbortController().signal,
  );
}

function isAlive(pid: number): boolean {
  try {
    // A process that has ended stays in the table until its parent has read that.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe.skipIf(process.platform !== 'linux')('what a program leaves running', () => {
  it.each([
    ['in its process group', 'sleep 300 & echo $!'],
    ['in a session of its own', 'setsid sleep 300 >/dev/null 2>&1 & echo $!'],
    ['without its environment', 'env -i setsid sleep 300 >/dev/null 2>&1 & echo $!'],
    ['twice removed', `env -i setsid sh -c 'sleep 300 & echo $! > left' >/dev/null 2>&1; cat left`],
    ['that holds its output', 'env -i setsid sleep 300 & echo $!'],
  ])('ends with it: a process %s', async (_, script) => {
    const { exitCode, stdout } = await run(script);
    expect([exitCode, Number(stdout)]).toEqual([0, expect.any(Number)]);
    await waitUntil(() => !isAlive(Number(stdout)), 'the process ends');
  });

  it('goes on by choice', async () => {
    const { stdout } = await run('setsid sleep 300 >/dev/null 2>&1 & echo $!; sleep 300 & echo $!', true);
    const pids = stdout.trim().split('\n').map(Number);
    try {
      expect(pids.map(isAlive)).toEqual([true, true]);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    }
  });

  it('is not a process of another run', async () => {
    let pid = 0;
    const other = run('sleep 2 & echo $! > other; wait; echo ended');
    await waitUntil(() => existsSync(join(folder, 'other')) && (pid = Number(readFileSync(join(folder, 'other')))) > 0, 'it has started');
    await run('setsid sleep 300 & true');
    expect(isAlive(pid)).toBe(true);
    expect((await other).stdout).toBe('ended\n');
  });
});

describe('an output of more than 1 MiB', () => {
  const prepared = (output: ManifestOperation['output'], result = 'Text') => {
    const manifest = { name: 'P', version: '1.0.0', type: 'Watcher', executable: 'x', executableType: 'Script' };
    const parsed = parseManifest(JSON.stringify({ ...manifest, operations: [{ name: 'o', output, result }] }));
    if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
    const [operation] = parsed.manifest.operations;
    if (!operation) throw new Error('There is no operation.');
    return { operation, packageVersionId: 'v', command: [], env: {}, folder, mask: (text: string) => text };
  };
  const lines = (line: string, last: string) => `yes '${line}' | head -c 3000001; echo; echo '${last}'`;

  it('has its last line as the value', async () => {
    const { status, reading, message, output } = outcomeOf(await run(lines('noise', '42.5')), prepared('text', 'Numeric'), '');
    expect({ status, reading, message }).toEqual({
      status: 'Success',
      reading: { value: 42.5 },
      message: 'The output is longer than 1 MiB and was truncated.',
    });
    expect(output?.endsWith('42.5')).toBe(true);
  });

  it('has its reports at the beginning and the end, and no line that was cut', async () => {
    const report = await run(`echo '{"metrics":{"First":1}}'; ${lines('noise', '{"value":7}')}`);
    expect(outcomeOf(report, prepared('json'), '').reading).toEqual({ value: 7, metrics: { First: 1 } });
    const end = await run(`i=0; while [ $i -lt 60000 ]; do echo 'value{n="1"} 123456789'; i=$((i+1)); done`);
    expect(outcomeOf(end, prepared('prometheus'), '').reading.metrics).toEqual({ 'value{n="1"}': 123_456_789 });
    // One line without an end: its beginning.
    const endless = await run('head -c 3000000 /dev/zero | tr "\\0" x');
    expect(String(outcomeOf(endless, prepared('text'), '').reading.value)).toMatch(/^x{1000}$/);
  });
});

it('keeps the end of what a process writes that is kept alive, counts the rest, and passes on each line', async () => {
  let lines = 0;
  const script = `yes '123456789' | head -n 700000; echo last`;
  const end = await runProgram(
    {
      runId: 'alive',
      command: ['sh', '-c', script],
      env: process.env,
      folder,
      timeLimitMs: undefined,
      keepsRunning: false,
      onLine: () => (lines += 1),
    },
    new AbortController().signal,
  );
  expect([lines, end.stdout.endsWith('123456789\nlast\n'), end.tail]).toEqual([700_001, true, '']);
  expect(end.stdout.length).toBeGreaterThanOrEqual(1024 ** 2);
  expect(end.droppedBytes + end.stdout.length).toBe(7_000_005);
});

it('removes the folder of a run at its end, and after a kill at the next start', () => {
  const open = () =>
    openJournal(
      folder,
      () => undefined,
      () => new Date(),
      () => undefined,
    );
  const journal = open();
  for (const runId of ['r1', 'r2']) {
    mkdirSync(journal.folderOf(runId));
    writeFileSync(join(journal.folderOf(runId), 'script'), 'secret');
  }
  journal.ended('r1');
  expect(['r1', 'r2'].map((runId) => existsSync(journal.folderOf(runId)))).toEqual([false, true]);
  expect(existsSync(open().folderOf('r2'))).toBe(false);
});
