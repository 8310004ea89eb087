/** Finds, signals and kills the processes of a run: its program and all processes that the program has started. */
import { spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable with the run's id; it identifies processes of a run that have left the run's process group. */
export const runVariable = 'CLOUDFIT_RUN';

const markName = (runId: string): string => `cloudfit-run-${runId}`;

/**
 * Opens a file, already deleted, for a program to inherit. It identifies processes of the run that have neither its process group nor
 * its environment, such as those of `setsid env -i`. Returns undefined if there is no folder for it.
 */
export function openMark(runId: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const path = join(tmpdir(), markName(runId));
  try {
    const mark = openSync(path, 'wx', 0o600);
    rmSync(path);
    return mark;
  } catch {
    return undefined;
  }
}

/** Returns the pids of all processes; none except on Linux, which shows their environment and open files. */
export function allProcesses(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function hasVariable(pid: number, variable: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable);
  } catch {
    return false;
  }
}

function hasOpen(pid: number, name: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).includes(name);
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

/** Returns the pids of a run's processes among `pids`. */
function processesOf(runId: string, pids: readonly number[] = allProcesses()): number[] {
  return pids.filter((pid) => pid !== process.pid && (hasVariable(pid, `${runVariable}=${runId}`) || hasOpen(pid, markName(runId))));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}

/** Signals the process group of `leader` and all other processes of the run. On Windows, kills the process tree. */
export function signalTree(leader: number | undefined, runId: string, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    if (leader !== undefined)
      spawn('taskkill', ['/PID', String(leader), '/T', '/F'], { windowsHide: true, stdio: 'ignore' }).on('error', () => undefined);
    return;
  }
  if (leader !== undefined) send(-leader, signal);
  for (const pid of processesOf(runId)) send(pid, signal);
}

/**
 * Kills the processes that a program left running: those of its process group, and others of its run. `before` are the processes
 * that ran before the program, which need no look.
 */
export function killLeftovers(leader: number, runId: string, before: ReadonlySet<number>): void {
  if (process.platform === 'win32') return;
  send(-leader, 'SIGKILL');
  for (const pid of processesOf(
    runId,
    allProcesses().filter((process) => !before.has(process)),
  ))
    send(pid, 'SIGKILL');
}

/** Whether a process of the run still runs; always false on Windows. */
export function isTreeAlive(leader: number | undefined, runId: string): boolean {
  if (process.platform === 'win32' || leader === undefined) return false;
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return processesOf(runId).length > 0;
  }
}
