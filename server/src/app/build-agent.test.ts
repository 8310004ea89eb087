/** Which executables of the agent a server builds while it runs, and what it says when it cannot. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startAgentBuild } from './build-agent.ts';

let folder: string;
let lines: string[];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloudfit-build-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A script that notes how it was called; `end` is what it does then. */
function script(end: string): string {
  const program = join(folder, 'build.mjs');
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, process.argv.slice(2).join(' ') + ';');
${end}`,
  );
  return program;
}
const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8');

it('builds its own executable, then that for Windows, and offers each when it is built', async () => {
  let offers = 0;
  startAgentBuild(log, async () => void (offers += 1), script(''));
  await expect.poll(() => offers, { timeout: 20_000 }).toBe(2);
  expect(calls()).toBe('--own;--platform win-x64;');
  expect(lines).toEqual([]);
});

it('says without alarm that a server without npm has no executable for Windows', async () => {
  let offers = 0;
  startAgentBuild(
    log,
    async () => void (offers += 1),
    script("if (process.argv[2] !== '--own') { console.error('npm cannot fetch it'); process.exitCode = 1; }"),
  );
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 30,
    output: 'npm cannot fetch it',
    msg: expect.stringContaining('npm run agent') as string,
  });
  expect(offers).toBe(1);
});

it('begins nothing more when the server stops', async () => {
  const build = startAgentBuild(log, async () => undefined, script('setInterval(() => undefined, 1_000);'));
  await expect.poll(() => calls(), { timeout: 20_000 }).toBe('--own;');
  await build.stop();
  expect([calls(), lines]).toEqual(['--own;', []]);
});
