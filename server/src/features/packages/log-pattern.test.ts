/** Files and logs, with the tools that rotate and compress real logs, and with the journal of a faked journalctl. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createScripts, type Scripts } from '../../testing/scripts.ts';

let folder: string;
let scripts: Scripts;
const runScript: Scripts['run'] = (...run) => scripts.run(...run);
let logs: string;
let path: string;
let serial = 0;
beforeAll(async () => {
  scripts = await createScripts(['files-and-logs']);
  ({ folder } = scripts);
});
afterAll(() => scripts.close());
beforeEach(() => {
  logs = join(folder, `logs-${++serial}`);
  mkdirSync(logs);
  path = join(logs, 'app.log');
});

const check = (parameters: Record<string, string> = {}, env: Record<string, string> = {}) =>
  runScript('files-and-logs', 'Log pattern', { Path: path, Pattern: 'ERROR', ...parameters }, env);
const count = async (parameters: Record<string, string> = {}) => (await check(parameters)).report.value;
/** Makes a file look as if nobody had written to it for two minutes. */
function rest(file = path): void {
  const before = Date.now() / 1_000 - 120;
  utimesSync(file, before, before);
}

describe('File', () => {
  it('tells a file with its size and age, in any encoding', async () => {
    const file = (Path: string) => runScript('files-and-logs', 'File', { Path });
    writeFileSync(path, '4.2.0\n');
    const { report } = await file(path);
    expect(report).toMatchObject({ value: '4.2.0', metrics: { Exists: 1, Bytes: 6 }, states: { File: 'Present' } });
    expect(report.metrics?.['AgeSeconds']).toBeLessThan(60);
    writeFileSync(path, Buffer.from('\ufeffStörung\r\n', 'utf16le'));
    expect((await file(path)).report.value).toBe('Störung');
  });

  it('tells a missing file from one that cannot be seen', async () => {
    const file = (Path: string) => runScript('files-and-logs', 'File', { Path });
    expect(await file(`${path}.no`)).toMatchObject({ code: 0, report: { value: null, states: { File: 'Missing' } } });
    symlinkSync(path, path);
    expect(await file(path)).toMatchObject({
      code: 1,
      errors: `${path} cannot be read (its links lead in a circle).\n`,
      report: {
        value: null,
        states: { File: 'Unknown' },
        status: 'Unknown',
        message: `${path} cannot be read (its links lead in a circle).`,
      },
    });
  });
});

it('checks the age of the newest file of a pattern, such as a backup', async () => {
  const dir = join(folder, 'backups');
  mkdirSync(dir);
  const hoursAgo = (name: string, hours: number) => {
    writeFileSync(join(dir, name), 'x');
    utimesSync(join(dir, name), Date.now() / 1_000 - hours * 3_600, Date.now() / 1_000 - hours * 3_600);
  };
  const file = async (Path = join(dir, '*.gz')) => (await runScript('files-and-logs', 'File', { Path, 'Oldest age': '26' })).report;
  expect(await file()).toMatchObject({
    metrics: { Exists: 0, Up: 0 },
    states: { File: 'Down', Reason: `${join(dir, '*.gz')} is missing` },
  });
  hoursAgo('b.gz', 30);
  hoursAgo('new.txt', 1);
  expect(await file()).toMatchObject({ value: 'b.gz', metrics: { Up: 0 }, message: `${join(dir, 'b.gz')} was written 30 hours ago` });
  hoursAgo('a.gz', 25);
  expect(await file()).toMatchObject({ value: 'a.gz', metrics: { Exists: 1, Up: 1 }, states: { File: 'Up' } });
  expect(await file(join(dir, 'none', 'x'))).toMatchObject({ metrics: { Up: 0 } });
  const { errors } = await runScript('files-and-logs', 'File', { Path: dir, 'Oldest age': 'a day' });
  expect(errors).toContain('Oldest age must be a number');
});

describe('Log pattern', () => {
  it('counts new lines from the end or the start, and leaves a line without an end until its file is at rest', async () => {
    writeFileSync(path, 'ERROR 1\nERROR 2\n');
    expect((await check()).report).toMatchObject({ value: 0, metrics: { Lines: 0, Files: 1 }, states: { Log: 'Read' } });
    expect(await count({ Pattern: 'ERROR \\d', Path: `${logs}/*.log`, 'First run': 'Start' })).toBe(2);
    appendFileSync(path, 'ok\nERROR 3\nERROR 4\nERROR 5 without an en');
    expect((await check()).report).toMatchObject({ value: 2, metrics: { Lines: 3 }, states: { LastLine: 'ERROR 4' } });
    expect(await count()).toBe(0);
    appendFileSync(path, 'd\n');
    expect((await check()).report).toMatchObject({ value: 1, states: { LastLine: 'ERROR 5 without an end' } });
    appendFileSync(path, 'ERROR 6 is the last word of a program');
    expect(await count()).toBe(0);
    rest();
    expect((await check()).report).toMatchObject({ value: 1, states: { LastLine: 'ERROR 6 is the last word of a program' } });
    expect(await count()).toBe(0);
  });

  it('reads what stood in a renamed, copied or compressed file before what stands in the new one', async () => {
    writeFileSync(path, 'start\n');
    await check();
    appendFileSync(path, 'ERROR 1\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'ERROR 2\n');
    expect((await check()).report).toMatchObject({ value: 2, states: { LastLine: 'ERROR 2' } });
    appendFileSync(path, 'ERROR 3\n');
    execFileSync(
      'sh',
      ['-c', 'mv app.log.1 app.log.2; cp app.log app.log.1; : > app.log; for n in 4 5 6; do echo "ERROR $n" >> app.log; done'],
      {
        cwd: logs,
      },
    );
    expect(await count()).toBe(4);
    appendFileSync(path, 'ERROR 7\n');
    execFileSync('sh', ['-c', 'rm app.log.2; mv app.log app.log.2; gzip app.log.2; echo "ERROR 8" > app.log'], { cwd: logs });
    expect(await count()).toBe(2);
    expect(await count()).toBe(0);
  });

  it('follows a link to the file of the day, also over days between two runs', async () => {
    const change = (day: number) => {
      const file = join(logs, `app-2026-11-${day}.log`);
      writeFileSync(file, `ERROR of ${day}\n`, { flag: 'a' });
      rmSync(path, { force: true });
      symlinkSync(file, path);
    };
    change(26);
    await check();
    appendFileSync(path, 'ERROR at midnight\n');
    change(27);
    change(28);
    expect((await check()).report).toMatchObject({ value: 3, states: { LastLine: 'ERROR of 28' } });
  });

  it.skipIf(!existsSync('/usr/sbin/logrotate'))('loses nothing to logrotate', async () => {
    writeFileSync(path, 'start\n');
    await check();
    for (const [index, settings] of ['create', 'copytruncate', 'compress', 'compress delaycompress', 'dateext'].entries()) {
      appendFileSync(path, `ERROR before ${index}\n`);
      const configuration = join(logs, 'logrotate.conf');
      writeFileSync(configuration, `${path} {\n rotate 9\n su root root\n${settings.split(' ').join('\n')}\n}\n`);
      execFileSync('/usr/sbin/logrotate', ['-f', '-s', join(logs, 'state'), configuration]);
      appendFileSync(path, `ERROR after ${index}\n`);
      expect([settings, await count()]).toEqual([settings, 2]);
    }
  });

  it.each([
    ['UTF-16LE with a mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16LE', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-16BE with a mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-16BE', (text: string) => Buffer.from(text, 'utf16le').swap16()],
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['Latin-1', (text: string) => Buffer.from(text, 'latin1')],
  ])('reads %s with line breaks of Windows', async (_, encode) => {
    writeFileSync(path, encode('Störung: failed\r\nok\r\nStörung: failed\r\n'));
    const { report } = await check({ Pattern: '^Störung: failed$', 'First run': 'Start' });
    expect(report).toMatchObject({ value: 2, states: { LastLine: 'Störung: failed' } });
  });

  it('reads lines in Windows-1252 among others in UTF-8, and by the parameter', async () => {
    writeFileSync(path, Buffer.concat([Buffer.from('Störung 1 €\n'), Buffer.from('St\xf6rung 2 \x80\n', 'latin1')]));
    expect(await count({ Pattern: 'Störung \\d €', 'First run': 'Start' })).toBe(2);
    const other = join(logs, 'other.log');
    writeFileSync(other, Buffer.from('\xc3\xb6 \x93\n', 'latin1'));
    expect(await count({ Path: other, Pattern: 'Ã¶ “', 'First run': 'Start', Encoding: 'windows-1252' })).toBe(1);
    expect(await check({ Encoding: 'EBCDIC' })).toMatchObject({
      code: 1,
      errors: 'Encoding must be one of Automatic, UTF-8, UTF-16LE, UTF-16BE, Windows-1252.\n',
    });
  });

  it('says that the end of the file before is not found, once', async () => {
    const notice = `What ${path} had at the last run has gone; lines that were written to it after that run are not seen.`;
    const messageOf = async () => (await check()).report.message;
    writeFileSync(path, 'one\n');
    expect(await messageOf()).toBeUndefined();
    // Packed by a program whose files are not read here, then deleted, then truncated and written again.
    const again = [() => renameSync(path, `${path}.1.lz4.tmp`), () => unlinkSync(path), () => truncateSync(path, 0)];
    for (const [index, lose] of again.entries()) {
      appendFileSync(path, 'ERROR unseen\n');
      lose();
      writeFileSync(path, `new ${index} ERROR\n`);
      expect((await check()).report).toMatchObject({ value: 1, message: notice });
      expect(await messageOf()).toBeUndefined();
    }
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'last\n');
    expect(await messageOf()).toBeUndefined();
  });

  it('says that a line was cut, and reads the next one', async () => {
    writeFileSync(path, `ERROR ${'x'.repeat(3 * 1024 ** 2)} ERROR\nERROR 2\n`);
    const { report } = await check({ 'First run': 'Start' });
    expect(report).toMatchObject({ value: 2, states: { LastLine: 'ERROR 2' }, message: 'Of 1 lines, only the first MiB was read.' });
  });

  it('tells nothing found from nothing read', async () => {
    const missing = { code: 1, errors: `There is no file ${path}.\n`, report: { value: null, states: { Log: 'Missing' } } };
    expect(await check()).toMatchObject(missing);
    writeFileSync(path, 'ERROR 1\n');
    expect(await check()).toMatchObject({ code: 0, report: { value: 1, states: { Log: 'Read' } } });
    unlinkSync(path);
    expect(await check()).toMatchObject(missing);
    writeFileSync(path, 'ERROR 1\nERROR 2\n');
    expect(await count()).toBe(1);
    mkdirSync(join(logs, 'folder.log'));
    expect(await check({ Path: join(logs, 'folder.log') })).toMatchObject({
      code: 1,
      errors: `${join(logs, 'folder.log')} is not a file.\n`,
      report: { value: null, states: { Log: 'Unknown' }, status: 'Unknown', message: `${join(logs, 'folder.log')} is not a file.` },
    });
    expect(await check({ Path: 'app.log' })).toMatchObject({
      code: 1,
      errors: 'app.log must be a whole path, such as /var/log/app.log.\n',
    });
    expect((await check({ Pattern: '(' })).errors).toMatch(/^Pattern: /);
  });

  it.skipIf(process.getuid?.() !== 0)('says that it has no right to read a file', async () => {
    writeFileSync(path, 'ERROR 1\n');
    chmodSync(path, 0o600);
    chmodSync(folder, 0o755);
    const script = join(folder, 'files-and-logs', '1.0.0', 'files-and-logs.mjs');
    const env = { PATH: process.env['PATH'], CLOUDFIT_OPERATION: 'File', CLOUDFIT_PARAMETERS: JSON.stringify({ Path: path }) };
    expect(() => execFileSync(process.execPath, [script], { env, uid: 65_534, stdio: 'pipe' })).toThrow(
      `${path} cannot be read (the agent has no right to).`,
    );
  });

  it('reads several files by a pattern, and those that come later from their start', async () => {
    const at = (name: string) => join(logs, name);
    writeFileSync(at('a.log'), 'ERROR old\n');
    writeFileSync(at('note.txt'), 'ERROR\n');
    const parameters = { Path: join(logs, '*.log') };
    expect((await check(parameters)).report).toMatchObject({ value: 0, metrics: { Files: 1 } });
    appendFileSync(at('a.log'), 'ERROR 1\n');
    writeFileSync(at('b.log'), 'ERROR 2\nERROR 3\n');
    renameSync(at('a.log'), at('a.log.1'));
    expect((await check(parameters)).report).toMatchObject({ value: 3, metrics: { Files: 1 } });
    expect((await check({ Path: join(logs, 'no-*.log') })).report.states).toMatchObject({ Log: 'Missing' });
  });

  it('tells lines around a match, and captured values as metrics and states', async () => {
    writeFileSync(path, 'before the first\n');
    const parameters = { Pattern: '(?i)error (?<code>\\w+) after (?<ms>\\d+) ms', 'Lines before': '2', 'Lines after': '1' };
    await check(parameters);
    appendFileSync(path, 'a\nb\nERROR E7 after 120 ms\nc\nd\nError E9 after 80 ms\n');
    const { report } = await check(parameters);
    expect(report).toMatchObject({
      value: 2,
      metrics: { Matches: 2, ms: 80, 'ms Max': 120, 'ms Sum': 200 },
      states: { code: 'E9' },
      diagnostics: {
        lines: ['ERROR E7 after 120 ms', 'Error E9 after 80 ms'],
        around: [
          { before: ['a', 'b'], line: 'ERROR E7 after 120 ms', after: ['c'] },
          { before: ['c', 'd'], line: 'Error E9 after 80 ms', after: [] },
        ],
      },
    });
    appendFileSync(path, 'e\nERROR E1 after 1 ms\n');
    expect((await check(parameters)).report.diagnostics).toMatchObject({ around: [{ before: ['Error E9 after 80 ms', 'e'] }] });
    expect(await check({ 'Lines before': '21' })).toMatchObject({ code: 1, errors: 'Lines before must be a number from 0 to 20.\n' });
  });

  it('reads the lines of a run again whose result the agent has not stored', async () => {
    const run = (id: string, last: string) =>
      check({}, { CLOUDFIT_DEVICE_OPERATION: 'o1', CLOUDFIT_RUN: id, CLOUDFIT_LAST_RUN: last }).then(({ report }) => report.value);
    writeFileSync(path, 'ERROR 0\n');
    expect(await run('r1', '')).toBe(0);
    appendFileSync(path, 'ERROR 1\n');
    expect(await run('r2', 'r1')).toBe(1);
    appendFileSync(path, 'ERROR 2\n');
    // The agent was killed before it stored the result of r2.
    expect(await run('r3', 'r1')).toBe(2);
    expect(await run('r4', 'r3')).toBe(0);
    expect(await run('r5', 'r3')).toBe(0);
  });

  it('goes on from the position of the version before', async () => {
    writeFileSync(path, 'ERROR 1\n');
    await check();
    const data = join(folder, 'files-and-logs', 'data');
    rmSync(data, { recursive: true });
    mkdirSync(data);
    const digest = execFileSync('sh', ['-c', `printf '%s\\0ERROR' "$1" | sha256sum`, 'sh', path]).toString().slice(0, 32);
    const { ino } = JSON.parse(execFileSync('stat', ['-c', '{"ino":%i}', path]).toString()) as { ino: number };
    writeFileSync(join(data, `${digest}.json`), JSON.stringify({ ino, position: 8 }));
    appendFileSync(path, 'ERROR 2\n');
    expect(await count()).toBe(1);
    expect(readFileSync(path, 'utf8')).toHaveLength(16);
  });

  it('reads a file from its start that was truncated and has grown past the old position, also with a hole', async () => {
    writeFileSync(path, `start ${'x'.repeat(50)}\n`);
    await check();
    truncateSync(path, 0);
    appendFileSync(path, 'ERROR 1\n'.repeat(20));
    expect(await count()).toBe(20);
    // A program that does not append writes at its old position: zeros come before its next line.
    truncateSync(path, 0);
    truncateSync(path, 5_000);
    appendFileSync(path, 'ERROR after the hole\n');
    expect((await check({ Pattern: 'ERROR' })).report).toMatchObject({ value: 1, states: { LastLine: 'ERROR after the hole' } });
  });
});

describe('Journal pattern', () => {
  /** A journalctl that has the entries of a file, one a line, and takes the options that the script uses. */
  function fakeJournal(): { env: Record<string, string>; entries: string } {
    const bin = join(logs, 'bin');
    mkdirSync(bin);
    const entries = join(logs, 'entries');
    const script = [
      '#!/bin/sh',
      'after=0; last=; unit=.',
      'while [ $# -gt 0 ]; do case "$1" in',
      '  --after-cursor=*) after=${1#*=} ;; -n) last=$2; shift ;; --unit) unit="\\"$2\\""; shift ;;',
      'esac; shift; done',
      'if [ -e "$0.error" ]; then cat "$0.error" >&2; exit 1; fi',
      `tail -n +$((after + 1)) ${entries} | grep "$unit" | if [ -n "$last" ]; then tail -n "$last"; else cat; fi`,
    ].join('\n');
    writeFileSync(join(bin, 'journalctl'), script, { mode: 0o755 });
    writeFileSync(entries, '');
    return { env: { PATH: `${bin}:${process.env['PATH']}` }, entries };
  }
  let cursor = 0;
  const entry = (MESSAGE: unknown, unit = 'a.service') => `${JSON.stringify({ __CURSOR: String(++cursor), MESSAGE, unit })}\n`;

  it('counts the new entries of a unit that match, each once', async () => {
    const { env, entries } = fakeJournal();
    const run = async () => (await runScript('files-and-logs', 'Journal pattern', { Pattern: 'failed$', Unit: 'a.service' }, env)).report;
    writeFileSync(entries, entry('old failed') + entry('b failed', 'b.service'));
    expect(await run()).toMatchObject({ value: 0, states: { Log: 'Read' } });
    appendFileSync(entries, entry('new failed') + entry([...Buffer.from('bytes failed')]) + entry('x failed', 'b.service') + entry(null));
    expect(await run()).toMatchObject({ value: 2, metrics: { Lines: 3 }, states: { LastLine: 'bytes failed' } });
    expect(await run()).toMatchObject({ value: 0 });
  });

  it('says that it may not read the journal', async () => {
    const { env } = fakeJournal();
    writeFileSync(join(logs, 'bin', 'journalctl.error'), 'No journal files were opened due to insufficient permissions.\n');
    const run = await runScript('files-and-logs', 'Journal pattern', { Pattern: 'x', Unit: 'none' }, env);
    expect(run).toMatchObject({
      code: 1,
      errors: 'The journal cannot be read: No journal files were opened due to insufficient permissions.\n',
      report: { value: null, states: { Log: 'Unknown' } },
    });
    const none = await runScript('files-and-logs', 'Journal pattern', { Pattern: 'x' }, { PATH: logs });
    expect(none).toMatchObject({ code: 1, errors: 'This machine has no journalctl.\n' });
  });
});
