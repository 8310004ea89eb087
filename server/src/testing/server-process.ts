/** A real server in a separate process, for tests that kill it: start, kill -9, restart on the same folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programOf } from '../../../scripts/server/program.mjs';
import { copyCluster, placeOfClusters } from './programs/prepared-cluster.ts';

export interface ProcessOptions {
  /** Whether the server starts the agent of its machine; default: false. */
  agent?: boolean;
  /** Uses this PostgreSQL instead of an embedded one. */
  databaseUrl?: string;
  /** Default: api and worker. A process without api has no HTTP: it counts as ready when its output says that it is running. */
  roles?: 'api' | 'worker' | 'ingest' | 'api,worker';
  /** Default: a free port. */
  port?: number;
  /** More settings of the server. */
  env?: Readonly<Record<string, string>>;
}

export interface ServerProcess {
  url: string;
  dataDir: string;
  pid(): number;
  /** Resolves when the server answers, with the milliseconds that it took. */
  start(): Promise<number>;
  /** Kills only the server process, like `kill -9`; its child processes are not killed. */
  kill(): Promise<void>;
  /** Stops the server with a signal; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The set-password link that the first start printed. */
  link(): string;
  /** The last 200,000 characters of the server's output since the latest start. */
  output(): string;
  /** Ids of the processes that use the data folder: the server, PostgreSQL, the agent. */
  processes(): number[];
  /** Stops the server and all other processes that use the data folder, and removes the folder. */
  remove(): Promise<void>;
}

const root = join(import.meta.dirname, '../../..');
const patienceMs = 120_000;
const keptOutput = 200_000;

/** Returns a port below those that the system gives to connections, so that none takes it while its server is down. */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((done) => {
      probe.once('error', () => done(false));
      probe.listen(port, '127.0.0.1', () => done(true));
    });
    if (!isFree) continue;
    await new Promise((done) => probe.close(done));
    return port;
  }
  throw new Error('No port is free.');
}

function mentions(pid: string, dataDir: string): boolean {
  try {
    // Throws for a zombie, which has no working directory and does not count.
    if (readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir)) return true;
    return ['cmdline', 'environ'].some((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8').includes(dataDir));
  } catch {
    return false;
  }
}

/** Creates the data folder and chooses the port; starts nothing yet. */
export async function serverProcess(options: ProcessOptions = {}): Promise<ServerProcess> {
  // A local agent runs programs in its folder, which memory may not allow.
  const home = mkdtempSync(join(options.agent ? tmpdir() : placeOfClusters(), 'cloudfit-process-'));
  // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(home, 0o711);
  const dataDir = join(home, 'data');
  const port = options.port ?? (await freePort());
  const url = `http://localhost:${port}`;
  let child: ChildProcess | undefined;
  let output = '';

  const ended = (): boolean => !child || child.exitCode !== null || child.signalCode !== null;

  async function ready(): Promise<boolean> {
    // The server may answer a moment before it has printed its output.
    if (!/^CloudFit.* is running/m.test(output)) return false;
    return (
      options.roles === 'worker' ||
      options.roles === 'ingest' ||
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    );
  }

  async function start(): Promise<number> {
    if (!ended()) throw new Error('The server runs already.');
    output = '';
    const { agent = false, databaseUrl, roles, env } = options;
    const { file, compileCache } = programOf('server/src/main.ts');
    if (databaseUrl === undefined) await copyCluster(env?.['DATA_DIR'] ?? dataDir);
    const began = performance.now();
    const started = spawn(process.execPath, [file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: compileCache,
        DATA_DIR: dataDir,
        PORT: String(port),
        LOG_LEVEL: 'warn',
        DRAIN_SECONDS: '0',
        AGENT: agent ? 'on' : 'off',
        ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
        ...(roles ? { ROLES: roles } : {}),
        ...env,
      },
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-keptOutput);
      });
    }
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(20)) {
      if (ended()) throw new Error(`The server ended at its start (${started.exitCode ?? started.signalCode}):\n${output}`);
      if (await ready()) return performance.now() - began;
    }
    throw new Error(`The server is not ready after ${patienceMs / 1000} s:\n${output}`);
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const running = child;
    if (!running || ended()) return running?.exitCode ?? null;
    const exited = new Promise((done) => running.once('exit', done));
    running.kill(signal);
    await exited;
    return running.exitCode;
  }

  const processes = (): number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && mentions(name, dataDir))
      .map(Number);

  return {
    url,
    dataDir,
    start,
    processes,
    pid: () => child?.pid ?? 0,
    kill: async () => void (await end('SIGKILL')),
    stop: (signal = 'SIGTERM') => end(signal),
    output: () => output,
    link: () => {
      const [link] = /http\S+\/set-password\/\S+/.exec(output) ?? [];
      if (!link) throw new Error(`No link to set the password was printed:\n${output}`);
      return link;
    },
    remove: async () => {
      await end('SIGTERM');
      for (const pid of processes()) process.kill(pid, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}
