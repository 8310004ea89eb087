/** Runs a package's executable for a step of its installation, with a time limit. */
import { spawn } from 'node:child_process';
import type { InstallationStep } from '@cloudfit/contract/packages/manifest.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { PackageFault } from './fault.ts';
import type { InstalledPackage } from './installed.ts';
import { callAfter } from '../wait.ts';
import { packageCommand } from './package-command.ts';

const outputMax = 2_000;

export type StepName = 'install' | 'uninstall' | 'check';

/** Returns the environment of the agent without the agent's settings, which contain secrets. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CLOUDFIT_')));
}

/** Kills the process group of a program; on Windows its process tree. */
function endAll(pid: number): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Runs a step; rejects with the reason and the end of the output unless the step ends with exit code 0. */
export async function runStep(installed: InstalledPackage, name: StepName, step: InstallationStep, signal: AbortSignal): Promise<void> {
  const [command, ...first] = packageCommand(installed);
  const child = spawn(command, [...first, ...step.arguments], {
    cwd: installed.folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let output = '';
  let end: 'timeout' | 'stopped' | undefined;
  const take = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-outputMax));
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const stop = (why: 'timeout' | 'stopped') => {
    end ??= why;
    if (child.pid !== undefined) endAll(child.pid);
  };
  const onAbort = () => stop('stopped');
  signal.addEventListener('abort', onAbort);
  const endLimit = callAfter(secondsOf(step.timeLimit) * 1_000, () => stop('timeout'));
  const fault = (what: string) => {
    const text = output.trim().replace(/[^.!?]$/, '$&.');
    return new PackageFault(`The ${name} of version ${installed.version} ${what}${text === '' ? '.' : `: ${text}`}`);
  };
  try {
    const [code, killedBy] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', (error) => reject(fault(`could not be started (${(error as NodeJS.ErrnoException).code ?? error.message})`)));
      // Not `close`: a program that the step left running would hold the pipes open.
      child.once('exit', (...result) => setTimeout(resolve, 20, result));
    });
    if (end === 'timeout') throw fault(`did not end within ${step.timeLimit}`);
    if (end === 'stopped') throw fault('was stopped');
    if (code !== 0) throw fault(killedBy === null ? `ended with exit code ${code}` : `was ended by ${killedBy}`);
  } finally {
    endLimit();
    signal.removeEventListener('abort', onAbort);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
