/** A real agent as a process of its own, against the server of a test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '../../../scripts/server/program.mjs';

export interface StartedAgent {
  child: ChildProcess;
  /** The agent's output. */
  output(): string;
  /** Kills the process; resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts an agent. Agents with the same `stateDir` (default: `state` in `folder`) are the same machine. */
export function startAgentProcess(options: { folder: string; url: string; token: string; stateDir?: string }): StartedAgent {
  const tokenFile = join(options.folder, 'token');
  writeFileSync(tokenFile, options.token);
  const { file, compileCache } = programOf('agent/src/main.ts');
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      HOME: options.folder,
      NODE_COMPILE_CACHE: compileCache,
      CLOUDFIT_URL: options.url,
      CLOUDFIT_TOKEN_FILE: tokenFile,
      CLOUDFIT_STATE_DIR: options.stateDir ?? join(options.folder, 'state'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    child,
    output: () => printed,
    kill: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
