/**
 * Builds the agent's executables for machines like this one, and for Windows, while the server runs, so that `/agent/` and the home page
 * offer them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

const script = fileURLToPath(new URL('../../../scripts/agent/build.mjs', import.meta.url));

/** In turn. The second needs Node's binary for Windows from npm, which a server without a way to npm cannot have. */
const builds = [
  { args: ['--own'], failure: "The agent's executable could not be built. Try: npm run agent", level: 'warn' },
  {
    args: ['--platform', 'win-x64'],
    failure: 'The Windows agent could not be built, so the home page does not offer it. With a way to npm, try: npm run agent',
    level: 'info',
  },
] as const;

/**
 * Starts the builds, which take about 15 s each at low priority, or 1 s if nothing has changed. Calls `onBuilt` after each success.
 * `program`: another script, for tests.
 */
export function startAgentBuild(log: Logger, onBuilt: () => Promise<void>, program: string = script): { stop(): Promise<void> } {
  let child: ChildProcess | undefined;
  let stopping = false;

  async function build({ args, failure, level }: (typeof builds)[number]): Promise<boolean> {
    const started = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let output = '';
    if (started.pid !== undefined) setPriority(started.pid, constants.priority.PRIORITY_LOW);
    started.stderr.on('data', (text) => (output += text));
    const [code] = (await once(started, 'close')) as [number | null];
    if (code === 0) await onBuilt();
    else if (!stopping) log[level]({ output: output.trim().slice(-2_000) }, failure);
    return code === 0;
  }

  async function buildAll(): Promise<void> {
    for (const one of builds) if (stopping || !(await build(one))) return;
  }
  const done = buildAll().catch((error: unknown) => log.warn({ err: error }, "The agent's executable could not be built."));
  return {
    stop: async () => {
      stopping = true;
      child?.kill();
      await done;
    },
  };
}
