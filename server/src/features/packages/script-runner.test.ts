/** Scripts run from a private file, without standard input. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createScripts, type Scripts } from '../../testing/scripts.ts';

let folder: string;
let scripts: Scripts;
const runScript: Scripts['run'] = (...run) => scripts.run(...run);
let temporary: string;
beforeAll(async () => {
  scripts = await createScripts(['script-runner']);
  ({ folder } = scripts);
});
afterAll(() => scripts.close());
beforeEach(() => {
  temporary = join(folder, 'temporary');
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
});

const shell = (Script: string, env: Record<string, string> = {}) =>
  runScript('script-runner', 'Shell script', { Script }, { TMPDIR: temporary, ...env });

it('prints its value, and its exit code is that of the run', async () => {
  expect(await shell('x=41\necho $((x + 1))')).toMatchObject({ code: 0, report: { value: '42', metrics: { ExitCode: 0 } } });
  expect(await shell('echo before; echo no pump >&2; exit 7')).toMatchObject({
    code: 7,
    errors: 'no pump\n',
    report: { value: 'before', metrics: { ExitCode: 7 } },
  });
  expect(await shell('kill -9 $$')).toMatchObject({ code: 137, errors: 'The script ended with exit code 137.\n' });
});

it.each([
  ['sh', 'cat > /dev/null; read line; wc -c > /dev/null'],
  ['bash', '#!/bin/bash\ncat > /dev/null; read line'],
])('runs to its end in %s, whatever reads standard input', async (_, lines) => {
  // Longer than the buffer of a shell that reads its script from standard input.
  expect((await shell(`${lines}\n${'# a comment\n'.repeat(2_000)}echo the end`)).report.value).toBe('the end');
});

it('obeys the first line, and works with line breaks of Windows', async () => {
  expect((await shell('#!/usr/bin/env bash\r\na=(1 2 3)\r\nif true; then\r\n  echo "${#a[@]} $BASH"\r\nfi')).report.value).toMatch(
    /^3 .*bash$/,
  );
  expect((await shell('#! /bin/sh -e\nfalse\necho never')).code).toBe(1);
  expect((await shell('#!/usr/bin/env -S awk -f\nBEGIN { print 6 * 7 }')).report.value).toBe('42');
  expect(await shell('#!/no/such/shell\necho x')).toMatchObject({ code: 1, errors: 'This machine has no /no/such/shell.\n' });
});

it('keeps the script from other accounts and removes it', async () => {
  const list = 'stat -c "%a %n" "$(dirname "$0")" "$0"';
  const [folderLine, file] = String((await shell(list)).report.value).split('\n');
  expect([folderLine?.split(' ')[0], file?.split(' ')[0]]).toEqual(['700', '600']);
  expect(file).toContain(temporary);
  expect(readdirSync(temporary)).toEqual([]);
  // The agent removes the folder that it names.
  const runFolder = join(temporary, 'run-1');
  await shell('true', { CLOUDFIT_RUN_FOLDER: runFolder });
  expect(statSync(join(runFolder, 'script')).mode & 0o777).toBe(0o600);
  await shell('kill $PPID; sleep 5');
  expect(readdirSync(temporary)).toEqual(['run-1']);
});

it('does not wait for what it leaves running', async () => {
  const { report } = await shell('sleep 60 & echo "$!"');
  process.kill(Number(report.value), 'SIGKILL');
  expect(report.metrics?.['Seconds']).toBeLessThan(30);
});

it('keeps the beginning and the end of a long output, with whole characters', async () => {
  const value = String((await shell('i=0; while [ $i -lt 20000 ]; do echo "ö $i"; i=$((i + 1)); done')).report.value);
  expect(value.slice(0, 4)).toBe('ö 0\n');
  expect(value).toMatch(/\n\.\.\. \d+ characters are left out \.\.\.\n/);
  expect(value.endsWith('ö 19999')).toBe(true);
  expect(value).not.toContain('\ufffd');
});

describe('PowerShell', () => {
  const power = (Script: string, env: Record<string, string>) =>
    runScript('script-runner', 'PowerShell script', { Script }, { TMPDIR: temporary, ...env });

  it.skipIf(process.platform === 'win32')('runs a file without profile and questions, and fails with its exit code', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    const answers =
      'while [ "$1" != -File ]; do echo "$1"; shift; done; echo "${2##*/}"; od -An -tx1 -N3 "$2"; cat "$2" | tail -n +2; exit 5';
    writeFileSync(join(bin, 'pwsh'), `#!/bin/sh\n${answers}\n`, { mode: 0o755 });
    const { code, report } = await power('function f {\n  "ö"\n}', { PATH: `${bin}:${process.env['PATH']}` });
    expect(String(report.value).split('\n')).toEqual([
      '-NoProfile',
      '-NonInteractive',
      '-ExecutionPolicy',
      'Bypass',
      'script.ps1',
      ' ef bb bf',
      '  "ö"',
      '}',
    ]);
    expect(code).toBe(5);
    expect(existsSync(join(temporary, 'script.ps1'))).toBe(false);
    expect(await power('1', { PATH: bin.replace('bin', 'empty') })).toMatchObject({ code: 1, errors: 'This machine has no pwsh.\n' });
  });
});
