/** Restarts the process of the agent. */
import { isSea } from 'node:sea';

/** Environment variable of a supervised agent: the supervisor's command as JSON, or `parent` if the parent supervises. */
export const runnerVariable = 'CLOUDFIT_RUNNER';

/** The exit code that tells the supervisor or service manager to start the agent again. */
export const restartExitCode = 75;

/** Whether a supervisor chooses the executable at the next start, so that another version can take over. */
export function isSupervised(env: NodeJS.ProcessEnv = process.env): boolean {
  return env[runnerVariable] !== undefined;
}

/**
 * Replaces this process by a new one with the same process id (execve). If the system has no such call, or a supervisor
 * waits for this process, the process exits with `restartExitCode` and is started again.
 */
export function restartProcess(env: NodeJS.ProcessEnv = process.env): void {
  const runner = env[runnerVariable];
  if (process.platform === 'win32' || !process.execve || runner === 'parent') process.exit(restartExitCode);
  // In the single executable, `argv[1]` repeats `argv[0]`, and the options of Node are built in.
  const ownCommand = [process.execPath, ...(isSea() ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)])];
  const [command = '', ...args] = runner === undefined ? ownCommand : (JSON.parse(runner) as string[]);
  process.execve(command, [command, ...args], env);
}
