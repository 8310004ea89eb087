/** Keeps one child process running: restarts it when it exits, with growing delays while it exits early. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';

export interface ChildOptions {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  onLine: (line: string) => void;
  onExit: (reason: string, restartMs: number) => void;
}

const delaysMs = doublingDelays(500, 60_000);
/** A process that ran longer than this was healthy: the delay before its restart is the shortest one. */
const wellMs = 60_000;
const killAfterMs = 5_000;

export function keepRunning(options: ChildOptions): { stop(): Promise<void> } {
  let child: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;
  let deaths = 0;
  let stopping = false;

  function start(): void {
    const startedAt = Date.now();
    // The pipe to the child's stdin closes when this process ends in any way; the child then exits too.
    const started = spawn(options.command, options.args, { env: options.env, stdio: ['pipe', 'pipe', 'pipe'] });
    child = started;
    started.stdin.on('error', () => undefined);
    createInterface({ input: started.stdout }).on('line', options.onLine);
    createInterface({ input: started.stderr }).on('line', options.onLine);
    let ended = false;
    const onEnd = (reason: string) => {
      if (ended) return;
      ended = true;
      child = undefined;
      if (stopping) return;
      deaths = Date.now() - startedAt > wellMs ? 0 : deaths + 1;
      const restartMs = backoffMs(deaths, { delaysMs });
      options.onExit(reason, restartMs);
      restart = setTimeout(start, restartMs);
    };
    started.once('error', (error) => onEnd(error.message));
    started.once('exit', (code, signal) => onEnd(signal === null ? `exit code ${code}` : `signal ${signal}`));
  }

  start();
  return {
    stop: async () => {
      stopping = true;
      clearTimeout(restart);
      const running = child;
      if (!running) return;
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      running.kill('SIGTERM');
      const force = setTimeout(() => running.kill('SIGKILL'), killAfterMs);
      await ended;
      clearTimeout(force);
    },
  };
}
