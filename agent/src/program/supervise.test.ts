import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programOf } from '../../../scripts/server/program.mjs';
import { openProgramState } from './program-state.ts';

const { file: program } = programOf('agent/src/main.ts');

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'supervise-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stateDir = () => join(folder, 'state');
const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

/** Makes a packaged version current whose executable logs its first argument to the file `calls`, and runs `script`. */
function use(version: string, script: string): void {
  const file = join(stateDir(), 'program', 'used', 'cloudfit-agent');
  mkdirSync(join(stateDir(), 'program', 'used'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "$1" >>'${folder}/calls'\n${script}\n`, { mode: 0o700 });
  const state = { current: { version, file }, candidate: null, refused: null };
  writeFileSync(join(stateDir(), 'program', 'state.json'), JSON.stringify(state));
}

/** Starts the installed program with `--supervise`, as a service manager does. */
function start() {
  const options = ['--url', 'http://127.0.0.1:1', '--state-dir', stateDir()];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--supervise', ...options], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, CLOUDFIT_TOKEN: 'x' },
    timeout: 60_000,
  });
  return { status, output: `${stdout}${stderr}` };
}

// If processes cannot replace themselves by another program, the installed supervisor stays.
describe.skipIf(process.platform === 'win32' || !process.execve)('the installed supervisor', () => {
  it('hands over to that of the version in use, and goes on by itself when it ends three times before its agent reports', () => {
    use('99.0.0', 'if [ "$1" = --supervise ]; then exit 7; fi');
    for (let starts = 1; starts <= 3; starts++) expect(start()).toMatchObject({ status: 7 });
    expect(calls()).toEqual(['--supervise', '--supervise', '--supervise']);
    const fourth = start();
    expect(fourth.status).toBe(0);
    expect(fourth.output).toContain('The supervisor of the version in use ended before its agent reported; the installed one goes on.');
    // The installed supervisor has started the agent of the version in use.
    expect(calls().slice(3)).toEqual(['--url']);
    // Once an agent has reported, the supervisor of the version in use is tried again.
    openProgramState(stateDir()).confirm();
    expect(start()).toMatchObject({ status: 7 });
  });

  it('tells it the installed program, which is to be started next time', () => {
    use('99.0.0', `echo "$CLOUDFIT_RUNNER" >>'${folder}/calls'`);
    expect(start()).toMatchObject({ status: 0 });
    const runner = JSON.parse(calls()[1] ?? '[]') as string[];
    expect(runner.slice(runner.indexOf(program))).toEqual([
      program,
      '--supervise',
      '--url',
      'http://127.0.0.1:1',
      '--state-dir',
      stateDir(),
    ]);
  });

  it('keeps the work itself where its own version is the newer one', () => {
    use('0.0.1', '');
    openProgramState(stateDir()).handOver('0.0.1');
    expect(openProgramState(stateDir()).handOver('1.0.0')).toBeUndefined();
  });
});
