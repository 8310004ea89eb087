import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bundleAll } from './bundle.mjs';
import { programOf, programs, sourcesOf } from './program.mjs';

const root = join(import.meta.dirname, '../..');
const main = 'server/src/main.ts';
let project = '';
const running: ChildProcess[] = [];

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
};
const dist = () => readdirSync(join(project, 'server/dist'));
const warned: string[] = [];
const find = (source = main) => programOf(source, { project, warn: (line: string) => void warned.push(line) }).file;
const run = (file: string, ...args: string[]) => spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });
/** Lets the bundles, and what builds have left, be older than the minutes for which they stay anyway. */
const letAllBeOld = () => {
  for (const name of dist()) utimesSync(join(project, 'server/dist', name), new Date(0), new Date(0));
};
/** Starts another process that looks for the program, in front of which the shell runs `first`; prints the path. */
function findElsewhere(first = 'true'): ChildProcess {
  const script = `import { programOf } from ${JSON.stringify(join(import.meta.dirname, 'program.mjs'))};
    console.log(programOf(${JSON.stringify(main)}, { project: ${JSON.stringify(project)} }).file);`;
  const command = `${first}; exec "$0" --input-type=module -e "$1"`;
  const child = spawn('sh', ['-c', command, process.execPath, script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.push(child);
  return child;
}
async function outcome(child: ChildProcess): Promise<{ out: string; err: string }> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (text) => (out += text));
  child.stderr?.on('data', (text) => (err += text));
  await once(child, 'close');
  return { out: out.trim(), err: err.trim() };
}

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'cloudfit-program-')));
  warned.length = 0;
  for (const path of ['contract/src/a.ts', 'server/src/admin/main.ts', 'agent/src/main.ts']) write(path, "console.log('other');\n");
  write('package-lock.json', '{}');
  write('server/src/assets/text', 'beside');
  write('server/src/word.ts', "export const word: string = 'one';\n");
  write(
    main,
    `import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { word } from './word.ts';

function fail(): never {
  throw new RangeError('wrong');
}

const beside = new URL('./assets/text', import.meta.url);
console.log(word, readFileSync(beside, 'utf8'), readFileSync(join(import.meta.dirname, 'assets/text'), 'utf8'));
if (process.argv[2] === 'fail') fail();
if (process.argv[2] === 'stay') setInterval(() => undefined, 1_000);
`,
  );
});

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  vi.unstubAllEnvs();
  rmSync(project, { recursive: true, force: true });
});

it('bundles each program once, which finds the files beside its sources, and names the sources in stack traces', () => {
  const file = find();
  expect(file).toMatch(/\/server\/dist\/[0-9a-f]{16}\/server\/main\.mjs$/);
  const { ino } = statSync(file);
  expect(run(file).stdout).toBe('one beside beside\n');
  expect(run(find('agent/src/main.ts')).stdout).toBe('other\n');
  expect(find()).toBe(file);
  expect(statSync(file).ino).toBe(ino);
  expect(run(file, 'fail').stderr).toContain(
    `RangeError: wrong\n    at fail (${join(project, main)}:6:9)\n    at ${join(project, main)}:11:`,
  );
  expect(warned).toEqual([]);
});

it('writes the bundle in ASCII, without changing what the program prints', () => {
  write('agent/src/main.ts', "const größe = 'Grüße 😀';\nconsole.log(größe.replace(/[^ -~\\u{1F600}]/gu, '_'), /ü/.test(größe), `→`);\n");
  const file = find('agent/src/main.ts');
  expect(run(file).stdout).toBe('Gr__e 😀 true →\n');
  expect(readFileSync(file, 'utf8')).toMatch(/^[\0-\x7f]*$/);
  write('agent/src/main.ts', 'console.log(String.raw`[ä]`);\n');
  expect(find('agent/src/main.ts')).toBe(join(project, 'agent/src/main.ts'));
  expect(warned.join()).toContain('Write this in ASCII, because the bundle would change it: String.raw`[ä');
});

it('bundles again when a source has changed, also one of the same size and time, or when a package has another version', () => {
  const first = find();
  const path = join(project, 'server/src/word.ts');
  const { atime, mtime } = statSync(path);
  write('server/src/word.ts', "export const word: string = 'two';\n");
  utimesSync(path, atime, mtime);
  const second = find();
  expect(run(second).stdout).toBe('two beside beside\n');
  write('package-lock.json', '{ }');
  expect(new Set([first, second, find()]).size).toBe(3);
  write('package-lock.json', '{}');
  expect(find()).toBe(second);
  write('server/src/word.test.ts', 'no source');
  expect(find()).toBe(second);
});

it('removes bundles that nobody has used for minutes, but none of a running process', async () => {
  const used = find();
  const child = spawn(process.execPath, [used, 'stay'], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  await once(child.stdout, 'data');
  write('server/src/word.ts', "export const word: string = 'two';\n");
  const unused = find();
  mkdirSync(join(project, 'server/dist/.next-1-1'));
  letAllBeOld();
  write('server/src/word.ts', "export const word: string = 'three';\n");
  const recent = find();
  expect([used, unused, recent].map((file) => existsSync(file))).toEqual([true, false, true]);
  // The sources of before, as after a change that is undone: its bundle counts as used now.
  write('server/src/word.ts', "export const word: string = 'one';\n");
  expect(find()).toBe(used);
  child.kill('SIGKILL');
  await once(child, 'exit');
  write('server/src/word.ts', "export const word: string = 'four';\n");
  find();
  expect(existsSync(used)).toBe(true);
  expect(dist().every((name) => /^[0-9a-f]{16}$/.test(name))).toBe(true);
});

it('replaces a bundle that is not whole', () => {
  const file = find();
  truncateSync(file, 10);
  expect(find()).toBe(file);
  expect(run(file).stdout).toBe('one beside beside\n');
  rmSync(join(dirname(file), '../files.json'));
  expect(find()).toBe(file);
  expect(existsSync(join(dirname(file), '../files.json'))).toBe(true);
  expect(dist()).toHaveLength(1);
});

it('gives starts at the same time the same bundle', async () => {
  const outcomes = await Promise.all([findElsewhere(), findElsewhere(), findElsewhere()].map(outcome));
  expect(outcomes).toEqual(Array(3).fill({ out: find(), err: '' }));
  expect(run(find()).stdout).toBe('one beside beside\n');
  expect(dist()).toHaveLength(1);
});

it('leaves a bundle alone that another start has made meanwhile', async () => {
  const slow = findElsewhere();
  await vi.waitFor(() => expect(dist()).toHaveLength(1), { timeout: 20_000, interval: 2 });
  process.kill(-(slow.pid ?? 0), 'SIGSTOP');
  const file = find();
  const { ino } = statSync(file);
  process.kill(-(slow.pid ?? 0), 'SIGCONT');
  expect(await outcome(slow)).toEqual({ out: file, err: '' });
  expect(statSync(file).ino).toBe(ino);
  expect(dist()).toHaveLength(1);
});

it('makes the bundle after a start that was killed in the middle', async () => {
  const child = findElsewhere();
  await vi.waitFor(() => expect(dist()).toHaveLength(1), { timeout: 20_000, interval: 2 });
  // With the bundler, which is a process of its own.
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'exit');
  expect(dist()[0]).toMatch(/^\.next-/);
  expect(run(find()).stdout).toBe('one beside beside\n');
  letAllBeOld();
  write('server/src/word.ts', "export const word: string = 'two';\n");
  find();
  expect(dist()).toHaveLength(1);
});

it('runs the sources where no bundle can be written, and says why once', async () => {
  writeFileSync(join(project, 'server/dist'), '');
  expect([find(), find()]).toEqual(Array(2).fill(join(project, main)));
  expect(warned).toEqual([expect.stringMatching(/^The server starts slower, from its sources, because .*server\/dist/)]);
  rmSync(join(project, 'server/dist'));
  // As on a full disk: no file can have more than a block.
  const { out, err } = await outcome(findElsewhere('ulimit -f 0'));
  expect(out).toBe(join(project, main));
  expect(err).toMatch(/^The server starts slower, from its sources, because /);
  expect(dist()).toEqual([]);
  expect(run(find()).stdout).toBe('one beside beside\n');
});

it('runs the sources when they cannot be bundled, and says where they are wrong', () => {
  write('server/src/word.ts', 'export const = 1;\n');
  expect(find()).toBe(join(project, main));
  expect(warned.join()).toContain('word.ts');
  expect(dist()).toEqual([]);
});

it('runs the sources when SERVER_BUNDLE is off, and those of programs that are not bundled', () => {
  expect(find('scripts/spec.ts')).toBe(join(project, 'scripts/spec.ts'));
  vi.stubEnv('SERVER_BUNDLE', 'off');
  expect(find()).toBe(join(project, main));
  expect(warned).toEqual([]);
  expect(existsSync(join(project, 'server/dist'))).toBe(false);
});

it('knows all sources of the programs, so that a bundle is never older than one of them', async () => {
  const modules = await bundleAll(root, join(project, 'bundle'));
  expect(Object.values(programs).map((name) => existsSync(join(project, 'bundle', name, 'main.mjs')))).toEqual([true, true, true]);
  const ours = modules.filter((path) => path.startsWith(root) && !path.includes('node_modules')).map((path) => relative(root, path));
  expect(ours.length).toBeGreaterThan(1_000);
  const hashed = new Set([...sourcesOf(root), 'scripts/server/stacks.mjs']);
  expect(ours.filter((path) => !hashed.has(path))).toEqual([]);
});
