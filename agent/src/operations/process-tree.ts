/** Finds, signals and kills the processes of a run: its program and all processes that the program has started. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable with the run's id; it identifies processes of a run that have left the run's process group. */
export const runVariable = 'CLOUDFIT_RUN';

/** Returns the pids of a run's processes; none except on Linux, which shows the environment of processes. */
export function processesOf(runId: string): number[] {
  if (process.platform !== 'linux') return [];
  const mark = `${runVariable}=${runId}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
      } catch {
        return false;
      }
    });
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

/** Kills the processes that a program left running in its process group. */
export function killGroup(leader: number): void {
  if (process.platform !== 'win32') send(-leader, 'SIGKILL');
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
