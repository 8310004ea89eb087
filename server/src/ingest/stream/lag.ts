/** How much of the stream waits to be written, for people and balancers. */
import type { Database } from '../../db/connection.ts';
import { partitionCount } from './envelope.ts';
import { positions } from './partitions.ts';
import type { PacketStream } from './stream.ts';

export interface PartitionLag {
  partition: number;
  /** Messages that wait, each with packets of one request. */
  waiting: number;
  /** For how long the oldest of them has waited. */
  oldestSeconds: number;
  bytes: number;
  /** The process that writes the partition; null when none does, undefined while the database does not say it. */
  owner: string | null | undefined;
}

export interface StreamLag {
  isConnected: boolean;
  waiting: number;
  oldestSeconds: number;
  /** Partitions that no process writes. */
  withoutOwner: number;
  partitions: readonly PartitionLag[];
}

/** Balancers and metrics ask often, of each process. */
const freshMs = 1_000;
/** Written messages are removed a moment later; without the database they are counted as waiting. */
const answerMs = 1_500;

async function read(stream: PacketStream, database: Pick<Database, 'scoped' | 'answers'>): Promise<StreamLag> {
  const away = { isConnected: false, waiting: 0, oldestSeconds: 0, withoutOwner: 0, partitions: [] };
  if (!stream.isConnected()) return away;
  const states = await Promise.all(Array.from({ length: partitionCount }, (_, partition) => stream.state(partition))).catch(
    () => undefined,
  );
  if (!states) return away;
  const rows = (await database.answers(answerMs)) ? await positions(database.scoped('all')).catch(() => []) : [];
  const now = Date.now();
  const partitions = states.map(({ partition, stream: name, lastSequence, messages, bytes, oldest }): PartitionLag => {
    const row = rows.find((position) => position.partition === partition);
    const waiting = row?.stream === name ? Math.max(0, lastSequence - row.sequence) : messages;
    return {
      partition,
      waiting,
      oldestSeconds: waiting > 0 && oldest !== undefined ? Math.max(0, now - oldest) / 1_000 : 0,
      bytes,
      owner: row?.owner,
    };
  });
  return {
    isConnected: true,
    waiting: partitions.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestSeconds: Math.max(...partitions.map(({ oldestSeconds }) => oldestSeconds)),
    withoutOwner: partitions.filter(({ owner }) => owner === null).length,
    partitions,
  };
}

/** Returns a function that says how much waits; it asks the stream once a second at most. */
export function openStreamLag(stream: PacketStream, database: Pick<Database, 'scoped' | 'answers'>): () => Promise<StreamLag> {
  let last: { at: number; lag: Promise<StreamLag> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > freshMs) last = { at: performance.now(), lag: read(stream, database) };
    return last.lag;
  };
}
