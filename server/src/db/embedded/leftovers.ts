/** Cleans up after a killed server: ends PostgreSQL's processes that still run in its cluster, and deletes the lock file. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The content of `postmaster.pid`; the lines are PostgreSQL's own format (src/include/utils/pidfile.h). */
export interface Postmaster {
  pid: number;
  port: number;
  socketDir: string;
  ready: boolean;
}

export function readPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  return { pid: Number(lines[0]), port: Number(lines[3]), socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' };
}

/**
 * Ends the processes that still run in the cluster, then deletes PostgreSQL's lock file. Call this only while holding
 * the folder's lock: then every process in the cluster is an orphan. PostgreSQL takes the lock file for a running
 * server even if its process is a zombie or another program with the same id, and the file must stay while a process of
 * the old server can still write.
 */
export async function clearLeftovers(cluster: string, log: (line: string) => void): Promise<void> {
  const postmaster = readPostmaster(cluster);
  if (!postmaster) return;
  const processes = processesIn(cluster, postmaster.pid);
  if (processes.length > 0) {
    log(`Stopping the PostgreSQL that a killed server left running (process ${processes.join(', ')}).`);
    if (processes.includes(postmaster.pid)) signal([postmaster.pid], 'SIGINT');
    else signal(processes, 'SIGQUIT');
    if (!(await areStoppedWithin(15, cluster, postmaster.pid))) signal(processesIn(cluster, postmaster.pid), 'SIGQUIT');
    if (!(await areStoppedWithin(5, cluster, postmaster.pid))) signal(processesIn(cluster, postmaster.pid), 'SIGKILL');
    if (!(await areStoppedWithin(5, cluster, postmaster.pid))) throw new Error(`PostgreSQL in ${cluster} cannot be stopped.`);
  }
  for (const name of readdirSync(cluster)) {
    if (name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')) rmSync(join(cluster, name), { force: true });
  }
}

async function areStoppedWithin(seconds: number, cluster: string, pid: number): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(10)) {
    if (processesIn(cluster, pid).length === 0) return true;
  }
  return false;
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/**
 * Returns the ids of PostgreSQL's processes in the cluster. Each has the cluster as its working directory; a zombie has
 * none and does not count.
 */
function processesIn(cluster: string, postmaster: number): number[] {
  if (process.platform !== 'linux') return isPostgres(postmaster) ? [postmaster] : [];
  const path = realpathSync(cluster);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === path && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
      } catch {
        return false;
      }
    });
}

function isPostgres(pid: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).includes('postgres');
  } catch {
    return false;
  }
}
