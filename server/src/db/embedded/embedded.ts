/** Runs the embedded PostgreSQL in the data folder: starts it, restarts it, stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, chownSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { StartError } from '../../platform/start-error.ts';
import { archiveSettings } from '../archive/log.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { cleanEnvironment, databaseName, ensureCluster, ownerName, readPassword } from './cluster.ts';
import { chooseIdentity, type ProcessIdentity } from './identity.ts';
import { clearLeftovers, readPostmaster } from './leftovers.ts';

export interface EmbeddedOptions {
  dataDir: string;
  log: (line: string) => void;
  /** Called when the first program runs, initdb or PostgreSQL: whoever keeps this process busy from now on does not delay it. */
  onLaunch?: () => void;
  /** Called when PostgreSQL has stopped and cannot be restarted; by default ends the process. */
  onLost?: (error: Error) => void;
  /** Folder or `s3://bucket/prefix` for its archived write-ahead log; by default the log is not archived. */
  archive?: string;
  /** Further settings of PostgreSQL; tests turn `fsync` off. */
  settings?: Record<string, string>;
}

export interface EmbeddedServer {
  /** Address with which the owner connects, who has all privileges in the database. */
  url: string;
  /** Ends open connections, flushes everything to disk and releases the folder. */
  stop(): Promise<void>;
}

export class DataFolderInUse extends StartError {
  override name = 'DataFolderInUse';
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'postgres');
  const release = claimFolder(dataDir);
  try {
    const binaries = findBinaries();
    const identity = chooseIdentity(dataDir, cluster, binaries.postgres);
    const isNew = !existsSync(cluster);
    const creation = ensureCluster(cluster, binaries, identity, options.log);
    if (isNew) options.onLaunch?.();
    await creation;
    const archiving = options.archive === undefined ? {} : archiveSettings(options.archive, cluster, binaries.libraries, identity.user);
    const settings = { ...archiving, ...options.settings };
    const stop = await supervise(cluster, binaries, identity, { ...options, settings });
    return {
      url: urlOf(cluster),
      stop: async () => {
        await stop();
        release();
      },
    };
  } catch (error) {
    release();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw new StartError(`The data folder ${dataDir} belongs to another user: ${message}.`);
    throw error;
  }
}

/** For commands: uses the database that runs in this folder, or starts it when none does. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    return await startEmbedded(options);
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    const cluster = join(resolve(options.dataDir), 'postgres');
    for (const end = Date.now() + 10_000; Date.now() < end; await sleep(50)) {
      if (readPostmaster(cluster)?.ready) return { url: urlOf(cluster), stop: async () => {} };
    }
    throw error;
  }
}

/** Locks the folder; returns the function that unlocks it. The kernel unlocks it when the process ends, even by kill -9. */
export function claimFolder(dataDir: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    if (!existsSync(dataDir)) {
      mkdirSync(dirname(dataDir), { recursive: true });
      // PostgreSQL runs as another user than root, who must be able to enter the folder.
      mkdirSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
    }
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    lock = new DatabaseSync(join(dataDir, 'lock'), { timeout: 0 });
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === 5) {
      throw new DataFolderInUse(
        `The data folder ${dataDir} is in use by another running server: stop that one, or set DATA_DIR to another folder.`,
      );
    }
    throw new StartError(`The data folder ${dataDir} cannot be written: ${messageOf(error)}.`);
  }
  const lockFile = lock;
  return () => lockFile.isOpen && lockFile.close();
}

function urlOf(cluster: string): string {
  const postmaster = readPostmaster(cluster);
  if (!postmaster) throw new Error(`No PostgreSQL runs in ${cluster}.`);
  const { port, socketDir } = postmaster;
  const base = `postgres://${ownerName}:${readPassword(cluster)}`;
  return socketDir
    ? `${base}@localhost:${port}/${databaseName}?host=${encodeURIComponent(socketDir)}`
    : `${base}@127.0.0.1:${port}/${databaseName}`;
}

/** Starts PostgreSQL and restarts it when it dies; returns the function that stops it. */
async function supervise(
  cluster: string,
  binaries: Binaries,
  identity: ProcessIdentity,
  options: EmbeddedOptions,
): Promise<() => Promise<void>> {
  const { log } = options;
  const address = await chooseAddress(cluster, identity);
  const settings = Object.entries({ ...defaults(), ...address.settings, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const [command = '', ...args] = [...identity.prefix, binaries.postgres, '-D', cluster, ...settings];
  let stopping = false;
  let startedAt = 0;
  let shortLives = 0;

  const launch = async (): Promise<ChildProcess> => {
    await clearLeftovers(cluster, log);
    startedAt = Date.now();
    // Detached, so that Ctrl-C in the terminal reaches only this process, which then stops the database last.
    const started = spawn(command, args, {
      ...identity.user,
      cwd: '/',
      env: cleanEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    options.onLaunch?.();
    await untilReady(started, cluster, (line) => !stopping && log(`PostgreSQL: ${line}`));
    started.once('exit', (code, signal) => {
      if (!stopping) void revive(`PostgreSQL stopped unexpectedly (${signal ?? `exit code ${code}`})`);
    });
    return started;
  };
  const revive = async (what: string): Promise<void> => {
    try {
      shortLives = Date.now() - startedAt < 10_000 ? shortLives + 1 : 0;
      if (shortLives > 3) throw new Error(`${what} again and again right after its start.`);
      log(`${what}; starting it again.`);
      child = await launch();
    } catch (error) {
      (options.onLost ?? endProcess(log))(error as Error);
    }
  };

  let child = await launch();
  const interrupt = (): boolean => child.kill('SIGINT');
  process.once('exit', interrupt);
  return async () => {
    process.off('exit', interrupt);
    stopping = true;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((done) => child.once('exit', done));
      interrupt();
      const killTimer = setTimeout(() => child.kill('SIGQUIT'), 15_000);
      await exited;
      clearTimeout(killTimer);
    }
    address.remove();
  };
}

function endProcess(log: EmbeddedOptions['log']): (error: Error) => void {
  return (error) => {
    log(`The database is lost: ${error.message}`);
    process.exit(1);
  };
}

/**
 * Resolves when `postmaster.pid` says ready, which needs no connection. There is no timeout, because recovery may take
 * any time.
 */
async function untilReady(child: ChildProcess, cluster: string, onLine: (line: string) => void): Promise<void> {
  const lines: string[] = [];
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  child.once(
    'exit',
    () =>
      (failure ??= new Error(
        lines.find((line) => line.includes('FATAL'))?.replace(/^.*FATAL:\s*/, '') ?? lines.at(-1) ?? 'it ended at once',
      )),
  );
  if (child.stderr)
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line === '') return;
      lines.push(line);
      if (lines.length > 20) lines.shift();
      onLine(line);
    });
  for (;;) {
    const postmaster = readPostmaster(cluster);
    if (postmaster?.ready && postmaster.pid === child.pid) return;
    if (failure) throw new StartError(`PostgreSQL does not start: ${failure.message}`);
    await sleep(3);
  }
}

/**
 * Returns the settings of PostgreSQL's address: a socket in the cluster's folder (a temporary folder if the path is too
 * long), which needs no free port and which no other user can open; on Windows a free port.
 */
async function chooseAddress(
  cluster: string,
  identity: ProcessIdentity,
): Promise<{ settings: Record<string, string>; remove: () => void }> {
  if (process.platform === 'win32')
    return { settings: { listen_addresses: '127.0.0.1', port: String(await freePort()) }, remove: () => {} };
  const longest = 107 - '/.s.PGSQL.5432'.length;
  const settings = (folder: string) => ({ listen_addresses: '', port: '5432', unix_socket_directories: folder });
  if (Buffer.byteLength(cluster) < longest) return { settings: settings(cluster), remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-'));
  if (identity.user) chownSync(folder, identity.user.uid, identity.user.gid);
  return { settings: settings(folder), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer()
      .once('error', failed)
      .listen(0, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
      });
  });
}

/** Returns default settings: small enough for a laptop, large enough for a busy installation of two cores. */
function defaults(): Record<string, string> {
  const mib = 1024 * 1024;
  const mebibytes = (min: number, bytes: number, max: number): string => `${Math.round(Math.min(max, Math.max(min, bytes / mib)))}MB`;
  return {
    shared_buffers: mebibytes(64, totalmem() / 32, 512),
    effective_cache_size: mebibytes(256, totalmem() / 2, 16_384),
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    max_connections: '60',
    // A statement that writes work units locks 70 tables and indexes. With the default of 64, all but ten of these locks go
    // through the table that connections share.
    max_locks_per_transaction: '256',
    max_wal_size: '2GB',
    synchronous_commit: 'on',
    io_method: 'sync',
    random_page_cost: '1.1',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors of statements go to the caller, which logs them.
    log_min_messages: 'fatal',
    log_line_prefix: '',
  };
}
