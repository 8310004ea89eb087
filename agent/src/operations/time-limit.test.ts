/** Time limits of programs and of steps of an installation, with real programs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseManifest } from '@cloudfit/contract/packages/manifest.ts';
import { runStep } from '../packages/run-step.ts';
import { runProgram } from './program.ts';

/** The longest time limit that can be declared: longer than a timer of Node can wait. */
const longest = '9999:00:00';
const longestMs = 9_999 * 3_600_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'time-limit-'));
  writeFileSync(join(folder, 'run.sh'), 'sleep "$1"; echo done\n', { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (seconds: string, timeLimitMs: number) =>
  runProgram(
    {
      runId: 'r1',
      command: ['sh', join(folder, 'run.sh'), seconds],
      env: process.env,
      folder,
      timeLimitMs,
      keepsRunning: false,
      onLine: () => undefined,
    },
    new AbortController().signal,
  );

it('lets a program end by itself within the longest limit, and stops it after a short one', async () => {
  expect(await run('0.2', longestMs)).toMatchObject({ exitCode: 0, isTimedOut: false, stdout: 'done\n' });
  expect(await run('60', 100)).toMatchObject({ exitCode: null, isTimedOut: true, stdout: '' });
});

it('lets a step of an installation end by itself within the longest limit, and stops it after a short one', async () => {
  const parsed = parseManifest(
    JSON.stringify({ name: 'P', version: '1.0.0', type: 'Watcher', executable: 'run.sh', executableType: 'Script' }),
  );
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  const installed = { packageId: 'p1', packageVersionId: 'v1', version: '1.0.0', folder, manifest: parsed.manifest };
  const step = (seconds: string, timeLimit: string) =>
    runStep(installed, 'install', { arguments: [seconds], timeLimit }, new AbortController().signal);
  await step('0.2', longest);
  await expect(step('60', '00:00:01')).rejects.toThrow('The install of version 1.0.0 did not end within 00:00:01.');
});
