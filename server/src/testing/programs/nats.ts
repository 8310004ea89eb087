/** A real NATS server with JetStream, for tests on machines that have it (Debian's package `nats-server`). */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server-process.ts';

const program = '/usr/sbin/nats-server';
export const hasNats = existsSync(program);

export interface NatsServer {
  url: string;
  /** Ends it like `kill -9`; what it has stored is there after `start`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sends it a signal such as SIGSTOP. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    return await new Promise<boolean>((done) => socket.once('connect', () => done(true)).once('error', () => done(false)));
  } finally {
    socket.destroy();
  }
}

interface NatsOptions {
  maxPayload?: string;
  /** Files of a certificate and its key: the server takes encrypted connections only. */
  tls?: { cert: string; key: string };
  /** Its name and port in a cluster, and the ports of all servers there. */
  cluster?: { name: string; port: number; ports: readonly number[] };
}

/** Starts a server. */
export async function startNats({ maxPayload = '2MB', tls, cluster }: NatsOptions = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-nats-'));
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  const routes = cluster?.ports.map((other) => `nats://127.0.0.1:${other}`).join(', ');
  writeFileSync(
    file,
    [
      `host: 127.0.0.1\nport: ${port}\nmax_payload: ${maxPayload}\nauthorization { user: cloudfit, password: "p%w" }`,
      `jetstream { store_dir: "${folder}/data", max_file_store: 10GB }`,
      ...(tls ? [`tls { cert_file: "${tls.cert}", key_file: "${tls.key}" }`] : []),
      ...(cluster
        ? [`server_name: ${cluster.name}`, `cluster { name: test, host: 127.0.0.1, port: ${cluster.port}, routes: [${routes}] }`]
        : []),
      '',
    ].join('\n'),
  );
  let child: ChildProcess | undefined;
  async function start(): Promise<void> {
    const started = spawn(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let output = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)));
    for (const end = Date.now() + 60_000; !(await accepts(port)); await sleep(50))
      if (started.exitCode !== null || Date.now() > end) throw new Error(`nats-server does not run: ${output}`);
  }
  async function kill(): Promise<void> {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise<void>((done) => running.once('exit', () => done()));
    running.kill('SIGKILL');
    await ended;
  }
  await start();
  return {
    url: `${tls ? 'tls' : 'nats'}://cloudfit:p%25w@127.0.0.1:${port}`,
    start,
    kill,
    signal: (name) => void child?.kill(name),
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
