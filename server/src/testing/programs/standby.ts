/** A real streaming standby of an embedded PostgreSQL, made as pg_basebackup does it, which the embedded one does not bring. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from '../../db/embedded/binaries.ts';
import { cleanEnvironment, databaseName, ownerName, readPassword } from '../../db/embedded/cluster.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { chooseIdentity } from '../../db/embedded/identity.ts';
import { migrate } from '../../db/migrate.ts';
import { copyCluster, placeOfClusters } from './prepared-cluster.ts';

export interface Primary {
  /** Address of the owner. */
  url: string;
  dataDir: string;
  stop(): Promise<void>;
}

export interface StandbyServer {
  /** Address of the owner. */
  url: string;
  /** Stops the replay of the log, or goes on with it. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it like `kill -9` of all its processes. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops and continues the processes that exist, as when a machine hangs. */
  stall(): void;
  goOn(): void;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

const quick = { fsync: 'off', full_page_writes: 'off', max_connections: '100' };

function newFolder(name: string): string {
  const folder = mkdtempSync(join(placeOfClusters(), `cloudfit-${name}-`));
  // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  return folder;
}

/** Starts a migrated PostgreSQL, which standbys can follow. */
export async function startPrimary(): Promise<Primary> {
  const dataDir = newFolder('primary');
  await copyCluster(dataDir);
  const server = await startEmbedded({ dataDir, log: () => undefined, settings: quick });
  await migrate(server.url);
  return {
    url: server.url,
    dataDir,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const left = /\/(?:postmaster\.(?:pid|opts)|\.s\.PGSQL\..*|pg_wal\/.+|pg_replslot\/.+|backup_label.*)$/;

/** Copies the files of the primary while it runs, and starts a standby that follows it. */
export async function startStandby(primary: Primary): Promise<StandbyServer> {
  const dataDir = newFolder('standby');
  const [from, cluster] = [join(primary.dataDir, 'postgres'), join(dataDir, 'postgres')];
  const backup = new pg.Client({ connectionString: primary.url });
  await backup.connect();
  await backup.query("select pg_backup_start('standby', true)");
  cpSync(from, cluster, { recursive: true, preserveTimestamps: true, filter: (path) => !left.test(path) });
  const { rows } = await backup.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await backup.end();
  writeFileSync(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
  writeFileSync(join(cluster, 'standby.signal'), '');
  mkdirSync(join(cluster, 'pg_wal'), { recursive: true });
  const { uid, gid } = statSync(from);
  for (const path of ['', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })]) lchownSync(join(cluster, path), uid, gid);
  chmodSync(cluster, 0o700);
  const identity = chooseIdentity(dataDir, cluster, findBinaries().postgres);
  const follow = `host=${from} port=5432 user=${ownerName} password=${readPassword(from)} application_name=standby`;
  const settings = {
    ...quick,
    primary_conninfo: follow,
    hot_standby: 'on',
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: cluster,
    max_locks_per_transaction: '256',
    wal_retrieve_retry_interval: '200ms',
    timezone: 'UTC',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command = '', ...args] = [...identity.prefix, findBinaries().postgres, '-D', cluster, ...options];
  const url = `postgres://${ownerName}:${readPassword(from)}@localhost:5432/${databaseName}?host=${encodeURIComponent(cluster)}`;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const started = spawn(command, args, {
      ...identity.user,
      cwd: '/',
      env: cleanEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    child = started;
    let output = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)));
    for (const end = Date.now() + 60_000; ; await sleep(50)) {
      if (started.exitCode !== null || Date.now() > end) throw new Error(`The standby does not run: ${output}`);
      const isReady = await run(url, 'select').then(
        () => true,
        () => false,
      );
      if (isReady) return;
    }
  }

  /** Sends a signal to the postmaster and everything that it has started. */
  function signal(name: NodeJS.Signals): void {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const childrenOf = (pid: string): string[] =>
      readdirSync('/proc').filter((other) => {
        try {
          return /^\d+$/.test(other) && readFileSync(`/proc/${other}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === pid;
        } catch {
          return false;
        }
      });
    for (const pid of [String(child.pid), ...childrenOf(String(child.pid))]) {
      try {
        process.kill(Number(pid), name);
      } catch {
        // It has just ended.
      }
    }
  }

  async function kill(): Promise<void> {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise<void>((done) => running.once('exit', () => done()));
    signal('SIGKILL');
    await ended;
    rmSync(join(cluster, 'postmaster.pid'), { force: true });
  }

  await start();
  return {
    url,
    start,
    kill,
    pause: () => run(url, 'do $$ begin perform pg_wal_replay_pause(); end $$'),
    resume: () => run(url, 'do $$ begin perform pg_wal_replay_resume(); end $$'),
    stall: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    promote: () => run(url, 'do $$ begin perform pg_promote(); end $$'),
    async remove() {
      signal('SIGCONT');
      await kill();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
