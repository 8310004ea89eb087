/** The process: settings in, one line out when something is wrong, a clean end on every signal. */
import pino from 'pino';
import { startApp } from './app.ts';
import { loadConfig } from './config.ts';
import { exitWithParent } from './parent.ts';
import { StartError } from './start-error.ts';

const started = performance.now();

function fail(error: unknown): never {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

try {
  const config = loadConfig(process.env);
  const log = pino({
    level: config.logLevel,
    redact: { paths: ['*.authorization', '*.cookie', '*.password', '*.token', '*.secret', 'req.headers.authorization'], censor: '***' },
  });
  const app = await startApp(config, log);

  let stopping = false;
  const stop = (): void => {
    // The second signal means now.
    if (stopping) process.exit(1);
    stopping = true;
    void app.stop().then(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  exitWithParent(stop);

  console.log(`CloudFit is running at ${app.publicUrl} (${Math.round(performance.now() - started)} ms)`);
  if (app.setPasswordLink) console.log(`\nSet the administrator's password within the hour (shown once; user name ${config.adminEmail}):\n  ${app.setPasswordLink}\n`);
} catch (error) {
  fail(error);
}
