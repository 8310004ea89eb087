/** The scripts of the built-in packages, started as an agent starts them, against real targets. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { arch, cpus, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageProblem, sizeProblem } from '../../ingest/check-message.ts';
import { createScripts, type Scripts } from '../../testing/scripts.ts';

let scripts: Scripts;
let folder: string;
const runScript: Scripts['run'] = (...run) => scripts.run(...run);

beforeAll(async () => {
  scripts = await createScripts();
  ({ folder } = scripts);
});
afterAll(() => scripts.close());

describe('inventory', () => {
  it('tells system, hardware, software and addresses', async () => {
    const { report } = await runScript('inventory', 'Inventory');
    expect(report.value).toBe(/^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]);
    expect(report.states).toMatchObject({ HostName: hostname(), Architecture: arch() });
    expect(report.metrics).toMatchObject({ Processors: cpus().length, MemoryBytes: totalmem() });
    const software = report.diagnostics?.['software'] as [name: string, version: string][];
    const bash = execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'bash']).toString();
    expect(software.find(([name]) => name === 'bash')).toEqual(['bash', bash]);
    expect(report.metrics?.['Software']).toBe(software.length);
    // The report of a machine with this many programs is within the limits of a packet.
    const many = Array.from({ length: 3_000 }, (_, n) => software[n % software.length]);
    const message = { States: report.states, Metrics: report.metrics, Diagnostics: { ...report.diagnostics, software: many } };
    expect([messageProblem(message), sizeProblem(message as never, JSON.stringify(message))]).toEqual([undefined, undefined]);
  });
});

describe('files and logs', () => {
  it('reads a file with its size and age', async () => {
    const Path = join(folder, 'version.txt');
    writeFileSync(Path, '4.2.0\n');
    const { report } = await runScript('files-and-logs', 'File', { Path });
    expect(report).toMatchObject({ value: '4.2.0', metrics: { Exists: 1, Bytes: 6 }, states: { File: 'Present' } });
    expect(report.metrics?.['AgeSeconds']).toBeLessThan(60);
    expect((await runScript('files-and-logs', 'File', { Path: `${Path}.no` })).report).toMatchObject({ states: { File: 'Missing' } });
  });

  it('counts the new lines of a log that match, each once, also after a rotation', async () => {
    const Path = join(folder, 'app.log');
    const check = async () => (await runScript('files-and-logs', 'Log pattern', { Path, Pattern: 'ERROR \\d+' })).report;
    writeFileSync(Path, 'ERROR 1\nERROR 2\n');
    expect(await check()).toMatchObject({ value: 0 });
    appendFileSync(Path, 'ok\nERROR 3\nERROR 4\nERROR 5 without an en');
    expect(await check()).toMatchObject({ value: 2, states: { LastLine: 'ERROR 4' } });
    expect(await check()).toMatchObject({ value: 0 });
    appendFileSync(Path, 'd\n');
    expect(await check()).toMatchObject({ value: 1, states: { LastLine: 'ERROR 5 without an end' } });
    renameSync(Path, `${Path}.1`);
    writeFileSync(Path, 'ERROR 6\n');
    expect(await check()).toMatchObject({ value: 1, states: { LastLine: 'ERROR 6' } });
  });
});

it('a script prints its value, and its exit code decides', async () => {
  const shell = (Script: string) => runScript('script-runner', 'Shell script', { Script });
  expect(await shell('x=41\necho $((x + 1))')).toMatchObject({ code: 0, report: { value: '42', metrics: { ExitCode: 0 } } });
  expect(await shell('echo before; echo no pump >&2; exit 7')).toMatchObject({
    code: 1,
    errors: 'no pump\n',
    report: { value: 'before', metrics: { ExitCode: 7 } },
  });
});

it('a plugin speaks for itself', async () => {
  const Plugin = join(folder, 'check_pump');
  writeFileSync(Plugin, '#!/bin/sh\necho "PUMP WARNING - $# $2 | level=$1;5;9"\nexit 1\n', { mode: 0o755 });
  expect(await runScript('plugin-runner', 'Plugin', { Plugin, Arguments: '7 "two words"' })).toMatchObject({
    code: 1,
    output: 'PUMP WARNING - 2 two words | level=7;5;9\n',
  });
  expect(await runScript('plugin-runner', 'Plugin', { Plugin: `${Plugin}_no` })).toMatchObject({
    code: 3,
    output: 'UNKNOWN - the plugin could not be started (ENOENT)\n',
  });
});
