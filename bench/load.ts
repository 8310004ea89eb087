/** Tools of the benches: HTTP load from a separate thread, a bare server, percentiles, memory and processor time. */
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';

export interface BenchRow {
  name: string;
  figures: Record<string, string | number>;
  /** The figure of the product divided by a reference from the same run; `of` names the reference, such as a bare handler. */
  ratio?: { of: string; value: number };
}

export interface Request {
  method: string;
  path: string;
  body?: string;
}

interface HttpLoad {
  port: number;
  clients: number;
  seconds: number;
  headers: Record<string, string>;
  /** The requests that each client sends in turn. */
  requests: readonly Request[];
}

export interface LoadResult {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  /** The number of responses without success, and the first of them. */
  failed: number;
  failure?: string;
}

export function percentile(values: readonly number[], share: number): number {
  return Math.round((values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0) * 100) / 100;
}

function call(agent: http.Agent, load: HttpLoad, request: Request): Promise<{ status: number; text: () => string }> {
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  return new Promise((resolve, reject) => {
    const sent = http.request(
      {
        port: load.port,
        host: '127.0.0.1',
        agent,
        method: request.method,
        path: request.path,
        headers: { ...load.headers, ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}) },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: () => Buffer.concat(parts).toString() }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function run(load: HttpLoad): Promise<LoadResult> {
  const latencies: number[] = [];
  let failed = 0;
  let failure: string | undefined;
  const until = performance.now() + load.seconds * 1_000;
  const client = async (first: number): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = first; performance.now() < until; n++) {
      const request = load.requests[n % load.requests.length];
      if (!request) return;
      const started = performance.now();
      const { status, text } = await call(agent, load, request);
      latencies.push(performance.now() - started);
      if (status >= 300) {
        failed += 1;
        failure ??= `${status} ${text().slice(0, 300)}`;
      }
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: load.clients }, (_, i) => client(i)));
  return {
    perSecond: Math.round((latencies.length - failed) / load.seconds),
    failed,
    ...(failure ? { failure } : {}),
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
  };
}

/** Warms up for a second, then measures. Throws when a request fails, because fast failures would improve the figures. */
export async function measure(load: HttpLoad): Promise<LoadResult> {
  const once = async (part: HttpLoad): Promise<LoadResult> => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: part, execArgv: [] });
    try {
      return await new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    } finally {
      await worker.terminate();
    }
  };
  await once({ ...load, seconds: 1 });
  const result = await once(load);
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${result.failure ?? ''}`);
  return result;
}

/** A bare node:http server: the ceiling for our server's figures. */
export async function bareServer(answer: (body: string) => Promise<unknown>): Promise<{ port: number; close: () => void }> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      answer(Buffer.concat(parts).toString()).then(
        (value) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

if (!isMainThread && parentPort) parentPort.postMessage(await run(workerData as HttpLoad));

/** The resident memory of a process, in MiB. */
export function residentMb(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1_024);
}

/** Processor time in milliseconds of the processes of a PostgreSQL server on this machine, without the process of `db`. */
export async function databaseMs(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('select pid from pg_stat_activity where pid <> pg_backend_pid()');
  return rows.reduce((sum, { pid }) => sum + (existsSync(`/proc/${pid}`) ? processorMs(pid) : 0), 0);
}

/** Processor time of a process so far, in milliseconds. Unlike wall-clock time, it hardly depends on other processes. */
export function processorMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  // Ticks of 10 ms in user mode and in the kernel.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
