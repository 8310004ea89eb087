import { runAgent } from './agent.ts';
import { createLog } from './log.ts';
import { help, readSettings, SettingsError, type Settings } from './settings.ts';
import { holdAlone } from './single.ts';
import { agentVersion } from './version.ts';

async function run(settings: Settings): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (settings.hasParent) {
    // The parent never writes: the pipe ends when it does. Its output pipe is gone then, too.
    process.stdin.resume().once('end', stop).once('error', stop).unref?.();
    process.stdout.on('error', stop);
  }
  const release = await holdAlone(settings.stateDir);
  const end = await runAgent(settings, createLog(), stopping.signal);
  release();
  if (end === 'restart') startAnew();
}

/** For whoever starts this agent: it wants to be started again. */
const startAgain = 75;

/** This process becomes a new one under the same id; where the system cannot do that, it ends for its starter to start another. */
function startAnew(): void {
  if (process.platform === 'win32' || !process.execve) process.exit(startAgain);
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], process.env);
}

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
