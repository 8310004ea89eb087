/** The process: reads settings, starts the app, prints a start error without its stack, and shuts down cleanly on signals. */
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import type { App } from './app/app.ts';
import { ownHeap, releaseMemoryWhenCalm } from './app/calm-memory.ts';
import { startOwnDatabase } from './app/own-database.ts';
import { exitWithParent } from './app/parent.ts';
import { loadConfig } from './platform/config.ts';
import { StartError, startErrorOf } from './platform/start-error.ts';

const started = performance.now();

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  return { type: name, message, stack, ...('code' in error ? { code: error.code } : {}) };
}

function fail(cause: unknown): never {
  const error = startErrorOf(cause);
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

/** Signals within this time, as from a terminal and from npm, count as one; a later signal exits at once. */
const patienceMs = 1_000;
/** How long a start that was told to stop may go on: one that waits for a database may never end. */
const startPatienceMs = 3_000;
let stopping: number | undefined;
let startPatience: NodeJS.Timeout | undefined;
let app: App | undefined;
/** Milliseconds between the last request of a balancer and the end of this server; set by the configuration. */
let drainMs = 0;

/** Stops the app. `drains`: a service manager stops the server, so requests may come through a balancer. */
async function end(running: App, drains: boolean): Promise<never> {
  clearTimeout(startPatience);
  if (drains && running.address !== undefined && drainMs > 0) {
    running.drain();
    await sleep(drainMs);
  }
  await running.stop();
  process.exit(0);
}

function stop(signal: NodeJS.Signals): void {
  if (stopping !== undefined) {
    if (performance.now() - stopping > patienceMs) process.exit(1);
    return;
  }
  stopping = performance.now();
  if (app) {
    void end(app, signal === 'SIGTERM');
    return;
  }
  // While the server is still starting, it is stopped after `startApp`, below. What the start has begun survives its end
  // as it survives a kill; an embedded database stops with this process.
  startPatience = setTimeout(() => {
    console.error('Stopped before the start was complete.');
    process.exit(0);
  }, startPatienceMs);
}

try {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  exitWithParent(() => stop('SIGTERM'));
  const config = loadConfig(process.env);
  drainMs = config.drainSeconds * 1_000;
  const log = pino({
    level: config.logLevel,
    // Errors of the driver contain their whole connection, so only useful properties are logged.
    serializers: { err: describeError, cause: describeError },
    redact: { paths: ['*.authorization', '*.cookie', '*.password', '*.token', '*.secret', 'req.headers.authorization'], censor: '***' },
  });
  const launched = Promise.withResolvers<void>();
  const ownDatabase = startOwnDatabase(config, log, launched.resolve);
  // Loading the rest keeps this process busy as long as PostgreSQL's start takes, so that runs first.
  await Promise.race([launched.promise, ownDatabase]);
  const { startApp } = await import('./app/app.ts');
  app = await startApp(config, log, ownDatabase);
  if (stopping !== undefined) await end(app, false);
  releaseMemoryWhenCalm(ownHeap());
  // Node writes it at the end of a process, which one that is killed does not reach.
  flushCompileCache();
  const took = `(${Math.round(performance.now() - started)} ms)`;
  console.log(app.address ? `CloudFit is running at ${app.address} ${took}` : `CloudFit's worker is running ${took}`);
  if (app.setPasswordLink)
    console.log(
      `\nSet the administrator's password within the hour (shown once; user name ${config.adminEmail}):\n  ${app.setPasswordLink}\n`,
    );
} catch (error) {
  fail(error);
}
