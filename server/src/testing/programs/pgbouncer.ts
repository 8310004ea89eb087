/** A real PgBouncer before a database, for tests on machines that have it. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server-process.ts';

const program = '/usr/sbin/pgbouncer';
export const hasPgBouncer = existsSync(program);

export interface PgBouncer {
  url: string;
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

/** Starts PgBouncer as docs/OPERATIONS.md sets it up; it signs in to the database as the user of `databaseUrl`. */
export async function startPgBouncer(databaseUrl: string, options: { mode: string; poolSize?: number }): Promise<PgBouncer> {
  const { hostname, port, pathname, username, password, searchParams } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-pgbouncer-'));
  const listenPort = await freePort();
  const name = pathname.slice(1);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
${name} = host=${searchParams.get('host') ?? hostname} port=${port} dbname=${name} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${options.mode}
default_pool_size = ${options.poolSize ?? 40}
ignore_startup_parameters = extra_float_digits,options
`,
  );
  // It does not run as root, and must be able to read its file as another user.
  chmodSync(folder, 0o755);
  const child = spawn(program, [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  for (const end = Date.now() + 10_000; !(await accepts(listenPort)); await sleep(50))
    if (child.exitCode !== null || Date.now() > end) throw new Error(`PgBouncer does not run: ${output}`);
  return {
    url: `postgres://${username}@127.0.0.1:${listenPort}${pathname}`,
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
