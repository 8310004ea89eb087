import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { uninstalledExitCode, uninstalledFile } from '@cloudfit/contract/agent/uninstall.ts';
import { runAgent } from './agent.ts';
import { createLog } from './log.ts';
import { openLogFile } from './log-file.ts';
import { restartProcess } from './program/restart.ts';
import { finishUninstall, serviceVariable } from './program/uninstall.ts';
import { supervise } from './program/supervise.ts';
import { help, readSettings, SettingsError, type Settings } from './settings.ts';
import { lockStateFolder } from './state-folder-lock.ts';
import { agentVersion } from './version.ts';
import { wait } from './wait.ts';

/** Milliseconds after which the start is over. */
const settledMs = 5_000;

/** An agent that was uninstalled stays so: its service manager may start it again, until somebody removes the service. */
async function stayUninstalled({ stateDir, tokenFile }: Settings, signal: AbortSignal): Promise<void> {
  finishUninstall(stateDir, tokenFile);
  if (process.env[serviceVariable] !== 'removable') {
    process.stdout.write('This agent was uninstalled by its server. Remove the service; to install it again, run the installer.\n');
    await wait(Number.POSITIVE_INFINITY, signal);
  }
  process.exitCode = uninstalledExitCode;
}

async function run(settings: Settings): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (settings.hasParent) {
    // The parent never writes to stdin, so stdin ends only when the parent ends. Writing to stdout then fails too.
    process.stdin.resume().once('end', stop).once('error', stop).unref?.();
    process.stdout.on('error', stop);
  }
  if (existsSync(join(settings.stateDir, uninstalledFile))) return stayUninstalled(settings, stopping.signal);
  const release = await lockStateFolder(settings.stateDir);
  // V8 would keep what only the start needed, 5 MB, until the heap grows. Nothing without `--expose-gc`.
  setTimeout(() => globalThis.gc?.({ type: 'major', flavor: 'last-resort' }), settledMs).unref();
  const end = await runAgent(settings, logOf(settings), stopping.signal);
  release();
  if (end === 'restart') restartProcess();
  if (end === 'uninstalled') process.exitCode = uninstalledExitCode;
}

const logOf = ({ logFile }: Settings) => createLog(logFile === undefined ? undefined : openLogFile(logFile));

/** Reads the settings and runs the agent, or its supervisor, until it is stopped. Prints an error; the exit code is then 1. */
export async function startAgent(args: readonly string[], { isSupervisor }: { isSupervisor: boolean }): Promise<void> {
  try {
    const settings = readSettings(args, process.env);
    if (settings === 'help') process.stdout.write(help);
    else if (settings === 'version') process.stdout.write(`${agentVersion}\n`);
    else if (isSupervisor) await supervise(settings, args, logOf(settings));
    else await run(settings);
  } catch (error) {
    process.stderr.write(
      `cloudfit-agent: ${error instanceof SettingsError ? error.message : error instanceof Error ? (error.stack ?? error.message) : error}\n`,
    );
    process.exitCode = 1;
  }
}
