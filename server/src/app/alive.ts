/**
 * Calls an outside receiver each minute while the installation works: a dead man's switch, whose receiver raises the alarm when the
 * calls stop. Nobody is told of an outage of everything by the thing that is out.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.ts';
import { processesStatement } from '../db/listener.ts';
import type { Periodic } from '../jobs/schedule.ts';
import type { OutboundHttp } from '../outbound/http.ts';

/** After how many seconds something that is due stands still: several times what a restart or the loss of a process takes. */
const lateSeconds = 60;
const jobSeconds = 120;

const late = `select coalesce(min(name), '') as name, count(*)::int as count from schedule
where name = any($1::text[]) and next_run < now() - $2 * interval '1 second' and (running_until is null or running_until < now())`;

// What runs often and has failed at each run: it is on time, and does nothing. That this work could not call counts for nothing here.
const failing = `select coalesce(min(name), '') as name, count(*)::int as count from schedule
where name = any($1::text[]) and name <> 'alive' and last_error is not null and failed_since < now() - $2 * interval '1 second' and last_run > failed_since
  and next_run < last_run + interval '61 seconds'`;

const oldestJob = `select coalesce(max(extract(epoch from now() - run_at)), 0)::float8 as seconds from job
where dead_at is null and destination is null and run_at < now() - $1 * interval '1 second' and (leased_until is null or leased_until < now())`;

export interface AliveParts {
  /** The receiver of the calls. */
  url: string;
  /** May call it although it is a private address, because whoever starts the process chose it. */
  http: OutboundHttp;
  /** Names of the periodic work of this version, as the schedule has them. */
  names: readonly string[];
  /** What waits in the stream of packets; absent without one. */
  stream?: (() => Promise<{ isConnected: boolean; oldestSeconds: number }>) | undefined;
}

/** Returns the host of the receiver as the rules of outbound calls name it. */
export const aliveHosts = (url: string | undefined): string[] => (url ? [new URL(url).hostname.replaceAll(/^\[|\]$/g, '')] : []);

/** Returns what stands still, in words, or nothing while packets are taken, rules are evaluated and jobs run. */
async function standing(db: Db, { names, stream }: AliveParts): Promise<string[]> {
  const [[work], [failed], [job], processes, inStream] = await Promise.all([
    db.query<{ name: string; count: number }>({ name: 'alive-late', text: late, values: [names, lateSeconds] }),
    db.query<{ name: string; count: number }>({ name: 'alive-failing', text: failing, values: [names, lateSeconds] }),
    db.query<{ seconds: number }>({ name: 'alive-job', text: oldestJob, values: [jobSeconds] }),
    db.query<{ process: string }>({ name: 'alive-processes', text: processesStatement }),
    stream?.(),
  ]);
  // The second word names the roles, see `openDatabase`.
  const takesPackets = processes.some(({ process }) => process.split(' ')[1]?.split('+').includes('api'));
  return [
    ...(work && work.count > 0 ? [`periodic work is late: ${work.name}${work.count > 1 ? ` and ${work.count - 1} more` : ''}`] : []),
    ...(failed && failed.count > 0
      ? [`periodic work fails each time: ${failed.name}${failed.count > 1 ? ` and ${failed.count - 1} more` : ''}`]
      : []),
    ...(job && job.seconds > 0 ? [`a job has waited for ${Math.round(job.seconds)} s`] : []),
    ...(takesPackets ? [] : ['no process of the role api is connected']),
    ...(inStream?.isConnected === false ? ['the stream of packets does not answer'] : []),
    ...(inStream && inStream.oldestSeconds > jobSeconds
      ? [`a packet has waited in the stream for ${Math.round(inStream.oldestSeconds)} s`]
      : []),
  ];
}

/**
 * Periodic work that calls the receiver. When something stands still, or the receiver refuses, it fails with the reason, which the
 * page Installation shows; the receiver then hears nothing.
 */
export function aliveWork(parts: AliveParts): Periodic {
  return {
    name: 'alive',
    everyMs: 60_000,
    // Otherwise half a minute could pass beyond the interval before it is due again.
    aligned: true,
    run: async (db) => {
      const reasons = await standing(db, parts);
      if (reasons.length > 0) throw new Error(`ALIVE_URL is not called, because ${reasons.join(', and ')}.`);
      const { status } = await parts.http.send({ url: parts.url, method: 'GET', headers: {}, messageId: randomUUID() });
      if (status >= 300) throw new Error(`The receiver of ALIVE_URL answered ${status}.`);
    },
  };
}
