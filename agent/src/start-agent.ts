import { isSea } from 'node:sea';
import { runAgent } from './agent.ts';
import { createLog } from './log.ts';
import { help, readSettings, SettingsError, type Settings } from './settings.ts';
import { lockStateFolder } from './state-folder-lock.ts';
import { agentVersion } from './version.ts';

async function run(settings: Settings): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (settings.hasParent) {
    // The parent never writes to this pipe, so the pipe ends only when the parent ends. The output pipe breaks at the same time.
    process.stdin.resume().once('end', stop).once('error', stop).unref?.();
    process.stdout.on('error', stop);
  }
  const release = await lockStateFolder(settings.stateDir);
  const end = await runAgent(settings, createLog(), stopping.signal);
  release();
  if (end === 'restart') restartProcess();
}

/** Tells the service manager to start the agent again. */
const restartExitCode = 75;

/** Replaces this process by a new one with the same process id. Where the system has no such call, it exits and the service manager starts the agent. */
function restartProcess(): void {
  if (process.platform === 'win32' || !process.execve) process.exit(restartExitCode);
  // Inside the single executable the second argument repeats the first; its options of Node are part of the file.
  const args = isSea() ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, [process.execPath, ...args], process.env);
}

/** Reads the settings and runs the agent until it is stopped; what prevents that is printed as one line, exit code 1. */
export async function startAgent(): Promise<void> {
  try {
    const settings = readSettings(process.argv.slice(2), process.env);
    if (settings === 'help') process.stdout.write(help);
    else if (settings === 'version') process.stdout.write(`${agentVersion}\n`);
    else await run(settings);
  } catch (error) {
    process.stderr.write(
      `cloudfit-agent: ${error instanceof SettingsError ? error.message : error instanceof Error ? (error.stack ?? error.message) : error}\n`,
    );
    process.exitCode = 1;
  }
}
