/** The process: reads settings, starts the app, prints a start error without its stack, and shuts down cleanly on signals. */
import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import type { App } from './app/app.ts';
import { ownHeap, releaseMemoryWhenCalm } from './app/calm-memory.ts';
import { startOwnDatabase } from './app/own-database.ts';
import { exitWithParent } from './app/parent.ts';
import { ownPart, type OwnPart } from './app/processes/part.ts';
import { connectionsFor, planOf, poolOfEach } from './app/processes/plan.ts';
import { environmentOf } from './platform/arguments.ts';
import { loadConfig, type Config } from './platform/config.ts';
import { StartError, startErrorOf } from './platform/start-error.ts';

const started = performance.now();

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  return { type: name, message, stack, ...('code' in error ? { code: error.code } : {}) };
}

async function fail(cause: unknown): Promise<never> {
  const error = startErrorOf(cause);
  if (asPart) await asPart.failed(error instanceof Error ? error.message : String(error));
  if (!asPart || !(error instanceof StartError)) console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

/** Signals within this time, as from a terminal and from npm, count as one; a later signal exits at once. */
const patienceMs = 1_000;
/** How long a start that was told to stop may go on: one that waits for a database may never end. */
const startPatienceMs = 3_000;
let stopping: number | undefined;
let startPatience: NodeJS.Timeout | undefined;
let app: App | undefined;
/** Set when another process has started this one as one of several. */
let asPart: OwnPart | undefined;
/** Milliseconds between the last request of a balancer and the end of this server; set by the configuration. */
let drainMs = 0;

/** Stops the app. `drains`: a service manager stops the server, so requests may come through a balancer. */
async function end(running: App, drains: boolean): Promise<never> {
  clearTimeout(startPatience);
  if (drains && running.address !== undefined && drainMs > 0) {
    running.drain(asPart !== undefined);
    await sleep(drainMs);
  }
  await running.stop();
  process.exit(0);
}

function stop(signal?: NodeJS.Signals): void {
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

function tellStart(running: App, config: Config, names: readonly string[] | undefined): void {
  const took = `(${names ? `${names.join(', ')}; ` : ''}${Math.round(performance.now() - started)} ms)`;
  console.log(running.address ? `CloudFit is running at ${running.address} ${took}` : `CloudFit's worker is running ${took}`);
  if (running.setPasswordLink)
    console.log(
      `\nSet the administrator's password within the hour (shown once; user name ${config.adminEmail}):\n  ${running.setPasswordLink}\n`,
    );
}

try {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  exitWithParent(() => stop('SIGTERM'));
  asPart = await ownPart(stop);
  const config: Config = { ...loadConfig({ ...process.env, ...environmentOf(process.argv.slice(2)) }), ...asPart?.settings };
  if (asPart && !asPart.part.isFirst) Object.assign(config, { agent: false, agentBuild: false });
  const plan = asPart ? undefined : planOf(config);
  drainMs = config.drainSeconds * 1_000;
  const log = pino({
    ...(asPart ? { base: { pid: process.pid, hostname: hostname(), process: asPart.part.name } } : {}),
    level: config.logLevel,
    // Errors of the driver contain their whole connection, so only useful properties are logged.
    serializers: { err: describeError, cause: describeError },
    redact: { paths: ['*.authorization', '*.cookie', '*.password', '*.token', '*.secret', 'req.headers.authorization'], censor: '***' },
  });
  const launched = Promise.withResolvers<void>();
  const processes = plan?.length ?? 1;
  const connections = connectionsFor(poolOfEach(config.dbPool, processes), processes);
  const ownDatabase = asPart ? Promise.resolve(undefined) : startOwnDatabase(config, log, { onLaunch: launched.resolve, connections });
  // Loading the rest keeps this process busy as long as PostgreSQL's start takes, so that runs first.
  await Promise.race([launched.promise, ownDatabase]);
  app = plan
    ? await (await import('./app/processes/supervise.ts')).supervise(config, log, ownDatabase, plan)
    : await (await import('./app/app.ts')).startApp(config, log, ownDatabase, asPart?.part);
  if (stopping !== undefined) await end(app, false);
  releaseMemoryWhenCalm(ownHeap());
  // Node writes it at the end of a process, which one that is killed does not reach.
  flushCompileCache();
  asPart?.ready(app);
  if (!asPart)
    tellStart(
      app,
      config,
      plan?.map(({ name }) => name),
    );
} catch (error) {
  await fail(error);
}
