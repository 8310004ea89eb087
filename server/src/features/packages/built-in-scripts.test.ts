/** The scripts of the built-in packages, started as an agent starts them, against real targets. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
  expect(await runScript('plugin-runner', 'Plugin', { Plugin, Arguments: "7 it's" })).toMatchObject({
    code: 3,
    output: "UNKNOWN - A quote in the arguments has no end: 7 it's\n",
  });
});
