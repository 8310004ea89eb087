/** The process: reads settings, starts the app, prints a start error without its stack, and shuts down cleanly on signals. */
import pino from 'pino';
import { startApp, type App } from './app/app.ts';
import { loadConfig } from './platform/config.ts';
import { exitWithParent } from './app/parent.ts';
import { StartError } from './platform/start-error.ts';

const started = performance.now();

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  return { type: name, message, stack, ...('code' in error ? { code: error.code } : {}) };
}

function fail(error: unknown): never {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

/** Signals within this time, as from a terminal and from npm, count as one; a later signal exits at once. */
const patienceMs = 1_000;
let stopping: number | undefined;
let app: App | undefined;

function stop(): void {
  if (stopping !== undefined) {
    if (performance.now() - stopping > patienceMs) process.exit(1);
    return;
  }
  stopping = performance.now();
  // While the server is still starting, `app` is undefined; it is then stopped after `startApp`, below.
  void app?.stop().then(() => process.exit(0));
}

try {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  exitWithParent(stop);
  const config = loadConfig(process.env);
  const log = pino({
    level: config.logLevel,
    // Errors of the driver contain their whole connection, so only useful properties are logged.
    serializers: { err: describeError, cause: describeError },
    redact: { paths: ['*.authorization', '*.cookie', '*.password', '*.token', '*.secret', 'req.headers.authorization'], censor: '***' },
  });
  app = await startApp(config, log);
  if (stopping !== undefined) await app.stop().then(() => process.exit(0));
  const took = `(${Math.round(performance.now() - started)} ms)`;
  console.log(app.address ? `CloudFit is running at ${app.address} ${took}` : `CloudFit's worker is running ${took}`);
  if (app.setPasswordLink)
    console.log(
      `\nSet the administrator's password within the hour (shown once; user name ${config.adminEmail}):\n  ${app.setPasswordLink}\n`,
    );
} catch (error) {
  fail(error);
}
