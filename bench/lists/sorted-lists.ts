/** Times sorted lists of the API over HTTP. */
import http from 'node:http';
import type { SortedList } from '../../server/src/testing/statements/sorted-lists.ts';
import { percentile } from '../load.ts';

const warmUps = 2;
const runs = 20;

function get(agent: http.Agent, port: number, path: string, bearer: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${bearer}` };
    http
      .get({ port, host: '127.0.0.1', agent, path: encodeURI(path), headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      })
      .on('error', reject);
  });
}

export interface TimedList {
  name: string;
  p50: number;
  p95: number;
}

/** The times of each list over HTTP, one client, slowest first. Leaves out lists that the server refuses (403, 501). */
export async function timeSortedLists(
  lists: readonly SortedList[],
  port: number,
  bearers: { one: string; all: string },
): Promise<TimedList[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const timed: TimedList[] = [];
  for (const { name, path, all } of lists) {
    const times: number[] = [];
    for (let i = 0; i < warmUps + runs; i++) {
      const started = performance.now();
      const { status, text } = await get(agent, port, path, all ? bearers.all : bearers.one);
      if (status === 403 || status === 501) break;
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text.slice(0, 300)}`);
      if (i >= warmUps) times.push(performance.now() - started);
    }
    if (times.length > 0) timed.push({ name, p50: percentile(times, 0.5), p95: percentile(times, 0.95) });
  }
  agent.destroy();
  return timed.toSorted((a, b) => b.p95 - a.p95);
}
