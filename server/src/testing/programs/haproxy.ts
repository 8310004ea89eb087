/** A real HAProxy with the file of `deploy/haproxy`, for tests on machines that have it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server-process.ts';

const program = '/usr/sbin/haproxy';
export const hasHaproxy = existsSync(program);
const file = join(import.meta.dirname, '../../../../deploy/haproxy/haproxy.cfg');

export interface Haproxy {
  url: string;
  /** Number of requests that each server of a backend has got. */
  requests(backend: string): Promise<Record<string, number>>;
  /** Whether the checks of a server succeed. */
  isUp(server: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Puts the addresses of the test into the file: of HAProxy itself, and of each `server` in order. */
function configuration(port: number, servers: readonly string[], socket: string): string {
  const lines = readFileSync(file, 'utf8')
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('\nglobal\n', `\nglobal\n  stats socket ${socket} mode 600 level operator\n`);
  return servers.reduce(
    (done, url, i) => done.replaceAll(`10.90.0.${i + 11}:8080`, new URL(url).host.replace('localhost', '127.0.0.1')),
    lines,
  );
}

export async function startHaproxy(servers: readonly string[]): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-haproxy-'));
  const [port, socket, path] = [await freePort(), join(folder, 'stats'), join(folder, 'haproxy.cfg')];
  writeFileSync(path, configuration(port, servers, socket));
  const child = spawn(program, ['-db', '-f', path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));

  /** The values of one column for each server of a backend. */
  async function column(backend: string, name: string): Promise<Record<string, string>> {
    const asking = connect(socket);
    asking.write('show stat\n');
    const [header = '', ...rows] = (await text(asking)).replace(/^# /, '').trim().split('\n');
    const at = header.split(',').indexOf(name);
    return Object.fromEntries(
      rows
        .map((row) => row.split(','))
        .filter(([of, server]) => of === backend && server !== 'BACKEND')
        .map((cells) => [cells[1] ?? '', cells[at] ?? '']),
    );
  }

  for (const end = Date.now() + 20_000; ; await sleep(50)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`HAProxy does not run: ${output}`);
    if (existsSync(socket)) break;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    requests: async (backend) =>
      Object.fromEntries(Object.entries(await column(backend, 'stot')).map(([server, n]) => [server, Number(n)])),
    isUp: async (server) =>
      (await Promise.all(['api', 'packets'].map((backend) => column(backend, 'status')))).every((of) => of[server] === 'UP'),
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
