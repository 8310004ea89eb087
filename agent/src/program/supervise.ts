/**
 * `--supervise`: the mode in which a service manager starts the program. It starts the right executable of the agent and
 * watches a new version until it has reported to the server; if it does not, the previous version is started again. The
 * installed supervisor hands over to the supervisor of the version in use, which was tried together with its agent. So the
 * supervisor is updated too, without rights to write the installed program.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { isSea } from 'node:sea';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';
import { uninstalledExitCode } from '@cloudfit/contract/agent/uninstall.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { agentVersion } from '../version.ts';
import { lateReason, openProgramState, type Plan } from './program-state.ts';
import { restartExitCode, runnerVariable } from './restart.ts';

const pollMs = 500;
const killAfterMs = 10_000;
const delaysMs = doublingDelays(1_000, 60_000);
/** Milliseconds after which a process counts as healthy: its end then resets the count of failures in a row. */
const healthyMs = 60_000;

/** Returns the command of this program, without its arguments. */
function ownCommand(): string[] {
  return isSea() ? [process.execPath] : [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
}

/** The supervisor that the service manager starts. */
interface SupervisorProgram {
  version: string;
  /** The command, without its arguments. */
  command: string[];
}

/** Environment variable that names the installed executable to the supervisor that takes over. */
const installedVariable = 'CLOUDFIT_INSTALLED';

function installedOf(self: SupervisorProgram): SupervisorProgram {
  const handedOver = process.env[installedVariable];
  const installed = handedOver === undefined ? self : (JSON.parse(handedOver) as SupervisorProgram);
  // If the installed supervisor is started again with this environment, its version counts: the file may have been replaced.
  return installed.command.join('\n') === self.command.join('\n') ? self : installed;
}

/** Whether this process can replace itself by another program; Windows has no such call. */
const canBecome = process.platform !== 'win32' && process.execve !== undefined;

export async function supervise(settings: Settings, args: readonly string[], log: Log): Promise<void> {
  const state = openProgramState(settings.stateDir);
  const self: SupervisorProgram = { version: agentVersion, command: ownCommand() };
  const installed = installedOf(self);
  const env = {
    ...process.env,
    [runnerVariable]: JSON.stringify([...installed.command, '--supervise', ...args]),
    [installedVariable]: JSON.stringify(installed),
  };
  const become = ([command = '', ...first]: readonly string[], last: readonly string[], withEnv: NodeJS.ProcessEnv) =>
    process.execve?.(command, [command, ...first, ...last], withEnv);
  // This supervisor is on trial: it becomes the agent, for whose report the parent, the previous supervisor, waits.
  if (canBecome && process.env[runnerVariable] === 'parent') become(self.command, args, process.env);
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const stop = () => {
    stopping.abort();
    child?.kill('SIGTERM');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);

  /** Runs the executable as a child. Returns its exit code, signal or error, or how its trial ended: `confirmed`, `late`. */
  async function watch(plan: Plan): Promise<number | string | null> {
    const [command = '', ...first] = plan.file === null ? installed.command : [plan.file];
    const isTried = canBecome && plan.trialLeftMs !== undefined;
    // The pipe to the child closes when this process ends, even by `kill -9`; the child then ends too.
    const running = spawn(command, [...first, ...(isTried ? ['--supervise'] : []), ...args], {
      env: { ...env, [runnerVariable]: 'parent', CLOUDFIT_PARENT: '1' },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child = running;
    running.stdin?.on('error', () => undefined);
    let ended: number | string | null | undefined;
    const exited = new Promise<void>((resolve) => {
      running.once('error', (error) => resolve(void (ended = error.message)));
      running.once('exit', (code, signal) => resolve(void (ended = signal ?? code)));
    });
    if (plan.trialLeftMs === undefined) {
      await exited;
      return ended ?? null;
    }
    for (const until = performance.now() + plan.trialLeftMs; ended === undefined;) {
      const isConfirmed = !state.isOnTrial();
      if (!isConfirmed && performance.now() < until) {
        await Promise.race([exited, sleep(pollMs)]);
        continue;
      }
      // The agent must release the state folder before its successor takes it over.
      running.kill('SIGTERM');
      const force = setTimeout(() => running.kill('SIGKILL'), killAfterMs);
      await exited;
      clearTimeout(force);
      return isConfirmed ? 'confirmed' : 'late';
    }
    return ended;
  }

  if (canBecome && installed === self) {
    const next = state.handOver(installed.version);
    if (next === 'failed') log('error', 'The supervisor of the version in use ended before its agent reported; the installed one goes on.');
    else if (next) become([next.file], ['--supervise', ...args], env);
  }
  for (let failures = 0; !stopping.signal.aborted;) {
    const plan = state.plan(installed.version, settings.trialMs);
    const onTrial = plan.trialLeftMs !== undefined;
    // This process becomes the agent, so that no supervisor stays in memory beside it.
    if (!onTrial && canBecome) become(plan.file === null ? installed.command : [plan.file], args, env);
    if (onTrial)
      log('info', `Version ${plan.version} is on trial: it has to report within ${Math.ceil((plan.trialLeftMs ?? 0) / 1_000)} s.`);
    const startedAt = performance.now();
    const end = await watch(plan);
    if (stopping.signal.aborted) return;
    if (end === 'confirmed') log('info', `Version ${plan.version} reports and is in use.`);
    else if (end === uninstalledExitCode) {
      process.exitCode = uninstalledExitCode;
      return;
    } else if (end === restartExitCode) failures = 0;
    else if (onTrial && state.isOnTrial()) {
      const reason = end === 'late' ? lateReason(settings.trialMs) : `It ended with ${end} before it reported.`;
      state.refuse(reason);
      log('error', `Version ${plan.version} is not used: ${reason}`);
    } else {
      failures = performance.now() - startedAt > healthyMs ? 0 : failures + 1;
      log('warn', `The agent ended with ${end} and is started again.`);
      await sleep(backoffMs(failures, { delaysMs }), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
}
