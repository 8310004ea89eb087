/** Builds the agent's executable for machines like this one beside the running server, so that `/agent/` offers it after a first start. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

const program = fileURLToPath(new URL('../../../scripts/agent.mjs', import.meta.url));

/** Takes a quarter of a minute at low priority, and a second when nothing changed. */
export function startAgentBuild(log: Logger): { stop(): void } {
  const child = spawn(process.execPath, [program, '--own'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  let stopping = false;
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.stderr.on('data', (text) => (output += text));
  child.on('error', (error) => log.warn({ err: error }, "The agent's executable could not be built."));
  child.on('close', (code) => {
    if (code !== 0 && !stopping)
      log.warn({ output: output.trim().slice(-2_000) }, "The agent's executable could not be built. Try: npm run agent");
  });
  return {
    stop: () => {
      stopping = true;
      child.kill();
    },
  };
}
