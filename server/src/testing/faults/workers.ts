/** A server and two workers on one database, for tests that kill the workers in the middle of their work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import { testDatabase } from '../database.ts';
import { serverProcess } from '../server-process.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';

export interface FaultWorkers {
  client: pg.Client;
  databaseUrl: string;
  site: FaultSite;
  call(method: string, path: string, body: unknown, status?: number): Promise<Record<string, unknown>>;
  /** Kills and restarts one worker, in turn the first and the second; at its start, its unfinished jobs are due at once. */
  kill(): Promise<void>;
  /** Kills the worker with this process id, and does not restart it. */
  lose(pid: number): Promise<void>;
  /** Whether one of the workers has this process id. */
  isWorker(pid: number): boolean;
  /** The last 2,000 characters of the output of the server and of each worker. */
  output(): string;
  close(): Promise<void>;
}

export async function startFaultWorkers(env: Readonly<Record<string, string>>): Promise<FaultWorkers> {
  const database = await testDatabase();
  const shared = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '8', OUTBOUND_ALLOW: '127.0.0.1', ...env };
  const start = (roles: 'api' | 'worker') => serverProcess({ roles, databaseUrl: database.url, env: shared });
  const [api, ...workers] = [await start('api'), await start('worker'), await start('worker')];
  const all = [api, ...workers];
  await Promise.all(all.map((item) => item.start()));
  const client = await connect(database.url);
  const site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 1, cool: 1 });
  let kills = 0;
  return {
    client,
    databaseUrl: database.url,
    site,
    call: async (method: string, path: string, body: unknown, status = 201) => {
      const answer = await fetch(`${api.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const created = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, created['error']]).toEqual([status, undefined]);
      return created;
    },
    async kill() {
      const victim = workers[kills % 2];
      kills += 1;
      await victim?.kill();
      await victim?.start();
    },
    async lose(pid) {
      await workers.find((worker) => worker.pid() === pid)?.kill();
    },
    isWorker: (pid) => workers.some((worker) => worker.pid() === pid),
    output: () => all.map((item) => item.output().slice(-2_000)).join('\n'),
    async close() {
      await Promise.all(all.map((item) => item.remove()));
      await client.end();
      await database.close();
    },
  };
}

/** Waits for a random time of 50 ms to 50 ms + `longestMs`, so that kills fall into different steps in each run. */
export const anyMoment = (longestMs: number): Promise<void> => sleep(50 + Math.random() * longestMs);
