/** Switches mutants in the processes that a test starts: they load the instrumented sources and report what they reach. */
import childProcess, { ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderVariable, readPlan } from './plan.ts';

/** Environment variables of such a process: its mutant, and the try of a test that started it; both are numbers. */
const activeVariable = 'MUTATE_ACTIVE';
const attemptVariable = 'MUTATE_ATTEMPT';

interface ChildState {
  folder: string;
  active: number;
  attempt: number;
}

const sourcePath = (folder: string, path: string): string => join(folder, 'sources', path);
const coveragePath = (folder: string): string => join(folder, 'reached-by-children');

/** Stores an instrumented source for the processes that tests start; `path` is relative to the root. */
export function writeSource(folder: string, path: string, code: string): void {
  mkdirSync(dirname(sourcePath(folder, path)), { recursive: true });
  writeFileSync(sourcePath(folder, path), code);
}

export function readSource(folder: string, path: string): string | undefined {
  return existsSync(sourcePath(folder, path)) ? readFileSync(sourcePath(folder, path), 'utf8') : undefined;
}

/** Writes at once, because a test may kill the process at any moment. */
export function reportReached(folder: string, attempt: number, id: number): void {
  appendFileSync(coveragePath(folder), `${attempt} ${id}\n`);
}

/** Forgets what the processes of the previous test file reached. */
export function clearReached(folder: string): void {
  rmSync(coveragePath(folder), { force: true });
}

/** Returns which mutants the processes reached, each with the try that started the process. */
export function readReached(folder: string): { attempt: number; id: number }[] {
  if (!existsSync(coveragePath(folder))) return [];
  const lines = readFileSync(coveragePath(folder), 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => {
    const [attempt, id] = line.split(' ').map(Number);
    return { attempt: attempt ?? 0, id: id ?? 0 };
  });
}

/** Returns the environment, `NAME=value` each, with what makes Node load the instrumented sources. */
export function withMutant(env: readonly string[], { folder, active, attempt }: ChildState): string[] {
  const options = env.find((pair) => pair.startsWith('NODE_OPTIONS='))?.slice('NODE_OPTIONS='.length) ?? '';
  const load = `--import=${pathToFileURL(join(import.meta.dirname, 'child.ts')).href}`;
  return [
    ...env.filter((pair) => !pair.startsWith('NODE_OPTIONS=')),
    `NODE_OPTIONS=${`${options} ${load}`.trim()}`,
    `${folderVariable}=${folder}`,
    `${activeVariable}=${active}`,
    `${attemptVariable}=${attempt}`,
  ];
}

interface StartOptions {
  file: string;
  envPairs: string[];
}

/** Gives each process of this Node that is started from now on the state at its start. */
export function followChildren(state: () => ChildState): void {
  const isNode = (file: unknown): boolean => file === process.execPath && existsSync(join(state().folder, 'sources'));
  const start = Reflect.get(ChildProcess.prototype, 'spawn') as (this: ChildProcess, options: StartOptions) => number;
  Object.assign(ChildProcess.prototype, {
    spawn(this: ChildProcess, options: StartOptions): number {
      return start.call(this, isNode(options.file) ? { ...options, envPairs: withMutant(options.envPairs, state()) } : options);
    },
  });
  const { spawnSync, execFileSync } = childProcess;
  const inSync =
    (run: (file: string, args: readonly string[], options: object) => unknown) =>
    (file: string, args: readonly string[] = [], options: { env?: NodeJS.ProcessEnv } = {}): unknown => {
      if (!isNode(file)) return run(file, args, options);
      const pairs = Object.entries(options.env ?? process.env).map(([name, value]) => `${name}=${value ?? ''}`);
      const env = Object.fromEntries(withMutant(pairs, state()).map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
      return run(file, args, { ...options, env });
    };
  Object.assign(childProcess, { spawnSync: inSync(spawnSync), execFileSync: inSync(execFileSync) });
  syncBuiltinESMExports();
}

/** The state that a process got from the test, and the number of mutants; undefined in any other process. */
export function stateOfChild(env: NodeJS.ProcessEnv): (ChildState & { count: number }) | undefined {
  const folder = env[folderVariable];
  if (folder === undefined || env[activeVariable] === undefined) return undefined;
  return { folder, active: Number(env[activeVariable]), attempt: Number(env[attemptVariable]), count: readPlan(folder).count };
}
