/** Builds the agent's executable for machines like this one while the server runs, so that `/agent/` offers it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

const program = fileURLToPath(new URL('../../../scripts/agent/build.mjs', import.meta.url));

/**
 * Starts the build, which takes about 15 s at low priority, or 1 s if nothing has changed. Calls `onBuilt` after its success.
 */
export function startAgentBuild(log: Logger, onBuilt: () => Promise<void>): { stop(): Promise<void> } {
  const child = spawn(process.execPath, [program, '--own'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  let stopping = false;
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.stderr.on('data', (text) => (output += text));
  const work = once(child, 'close').then(async ([code]) => {
    if (stopping) return;
    if (code === 0) await onBuilt();
    else log.warn({ output: output.trim().slice(-2_000) }, "The agent's executable could not be built. Try: npm run agent");
  });
  const done = work.catch((error: unknown) => log.warn({ err: error }, "The agent's executable could not be built."));
  return {
    stop: async () => {
      stopping = true;
      child.kill();
      await done;
    },
  };
}
