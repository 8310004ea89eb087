/** Runs `npm start` as a person does, on a data folder, until Ctrl-C. Measures its processes' memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const patienceMs = 60_000;

export interface RunningServer {
  /** Milliseconds from the command to the first answer. */
  readyMs: number;
  output: string;
  stop(): Promise<void>;
}

/** The environment without what npm and our scripts added for this process: variables, and `node_modules` in the path. */
function plainEnvironment(): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^BENCH_|^DATABASE_URL$/.test(name));
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(inherited), PATH: path.join(delimiter) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise((done) => child.once('exit', done));
  // Ctrl-C goes to the whole process group of a terminal.
  process.kill(-child.pid, 'SIGINT');
  await exited;
}

export async function npmStart(settings: { DATA_DIR: string; PORT: string }): Promise<RunningServer> {
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...plainEnvironment(), LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const running: RunningServer = { readyMs: 0, output: '', stop: () => end(child) };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (running.output += text));
  while (performance.now() - began < patienceMs) {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${running.output}`);
    const isAnswered = await fetch(`http://127.0.0.1:${settings.PORT}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isAnswered) {
      running.readyMs = performance.now() - began;
      return running;
    }
    await sleep(5);
  }
  await end(child);
  throw new Error(`npm start answers nothing after ${patienceMs / 1_000} s:\n${running.output}`);
}

function read(path: string): string {
  try {
    return path.endsWith('/cwd') ? readlinkSync(path) : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What the command line of each program contains; server and agent are bundles. */
const programs = { server: '/server/main.mjs', agent: '/agent/main.mjs', postgres: 'postgres' };

export type Memory = Record<keyof typeof programs, number>;

/**
 * Memory of each program of a data folder, in megabytes. Memory that PostgreSQL's processes share counts once; for the other
 * programs the resident memory counts.
 */
export function memoryOf(dataDir: string): Memory {
  const memory: Memory = { server: 0, agent: 0, postgres: 0 };
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const command = read(`/proc/${pid}/cmdline`);
    if (![command, read(`/proc/${pid}/environ`), read(`/proc/${pid}/cwd`)].some((text) => text.includes(dataDir))) continue;
    const [name] = Object.entries(programs).find(([, part]) => command.includes(part)) ?? [];
    if (name === undefined) continue;
    const kilobytes = new RegExp(`^${name === 'postgres' ? 'Pss' : 'Rss'}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
    memory[name as keyof Memory] += (Number(kilobytes ?? 0) * 1_024) / 1e6;
  }
  return memory;
}
