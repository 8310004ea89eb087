import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../../../scripts/server/program.mjs';
import { agentVersion } from '../version.ts';
import { scriptCommand } from './script-command.ts';

const { file: program } = programOf('agent/src/main.ts');

let folder: string;
beforeAll(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'script-')))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function run([command, ...args]: [string, ...string[]]) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
  return { status, stdout, stderr };
}

describe('a script of a package', () => {
  const moduleText = `import { sep } from 'node:path';
    const { readFile } = await import('node:fs/promises');
    const own = await readFile(new URL(import.meta.url), 'utf8');
    console.log(JSON.stringify({ args: process.argv.slice(1), sep, own: own.length > 0 }));`;

  it.each(['a script.mjs', 'a script.js'])(
    'runs as %s with its arguments, from the agent itself and by the command of the agent',
    (name) => {
      write('package.json', '{"type":"module"}');
      const file = write(name, moduleText);
      const expected = { status: 0, stdout: `${JSON.stringify({ args: [file, '-w', '20 %'], sep: '/', own: true })}\n`, stderr: '' };
      expect(run([process.execPath, program, '--run-script', name, '-w', '20 %'])).toEqual(expected);
      expect(run([...scriptCommand(file), '-w', '20 %'])).toEqual(expected);
    },
  );

  it('ends with the exit code and the error of the script', () => {
    const failing = write('failing.mjs', 'process.exitCode = 3;');
    expect(run([process.execPath, program, '--run-script', failing])).toEqual({ status: 3, stdout: '', stderr: '' });
    const broken = write('broken.mjs', "throw new Error('No disk.');");
    const answer = run([process.execPath, program, '--run-script', broken]);
    expect(answer).toMatchObject({ status: 1, stdout: '' });
    expect(answer.stderr).toContain('Error: No disk.');
  });

  it('names the script that is missing', () => {
    expect(run([process.execPath, program, '--run-script'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('needs the file'),
    });
    const answer = run([process.execPath, program, '--run-script', join(folder, 'none.mjs')]);
    expect(answer.status).toBe(1);
    expect(answer.stderr).toContain('none.mjs');
  });
});

it('says its version to the step that checks a new executable, and starts nothing', () => {
  expect(run([process.execPath, program, '--check'])).toEqual({ status: 0, stdout: `${agentVersion}\n`, stderr: '' });
});
