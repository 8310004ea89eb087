/** A real Prometheus and a real Alertmanager, for tests on machines that have them (Debian's packages of these names). */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server-process.ts';

const prometheus = '/usr/bin/prometheus';
const alertmanager = '/usr/bin/prometheus-alertmanager';
export const hasPrometheus = existsSync(prometheus);
export const hasAlertmanager = existsSync(alertmanager);

interface MonitoringProgram {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Starts a program that says at `/-/ready` when it is; `configuration` gets its port. */
async function start(
  program: string,
  configuration: (port: number) => string,
  args: (folder: string, file: string, port: number) => string[],
): Promise<MonitoringProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-monitoring-'));
  const port = await freePort();
  const file = join(folder, 'configuration.yml');
  writeFileSync(file, configuration(port));
  const child = spawn(program, args(folder, file, port), { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output = (output + part).slice(-4_000)));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`${program} does not run: ${output}`);
    if (
      await fetch(`${url}/-/ready`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
  }
  return {
    url,
    port,
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a Prometheus that scrapes itself each second; `more` is added to its configuration. */
export const startPrometheus = (more: string): Promise<MonitoringProgram> =>
  start(
    prometheus,
    (port) =>
      `global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: self\n    static_configs:\n      - targets: ['127.0.0.1:${port}']\n${more}`,
    (folder, file, port) => [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
  );

/** Starts an Alertmanager with a configuration. */
export const startAlertmanager = (configuration: string): Promise<MonitoringProgram> =>
  start(
    alertmanager,
    () => configuration,
    (folder, file, port) => [
      `--config.file=${file}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
  );
