/**
 * The role ingest: owns partitions of the stream, and writes their messages in order. A process takes its share of the partitions, gives up
 * what another one needs, and loses all when it does not report. Its position moves in the transaction of its packets, so one that has lost a
 * partition without knowing it cannot write it.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/connection.ts';
import { currentTime } from '../../platform/clock.ts';
import { isLaterEnvelope } from './envelope.ts';
import { readPartition, type PartitionReader, type ReadMessage } from './reader.ts';
import {
  beginStream,
  endProcess,
  isLost,
  ownedPartitions,
  preparePartitions,
  releasePartitions,
  reportProcess,
  takePartitions,
  type Advance,
  type OwnedPartition,
} from './partitions.ts';
import type { PacketStream } from './stream.ts';
import { isPassing, skipMessage, writeMessages, type MessageWriter } from './write-messages.ts';

/** How often a process reports, and looks for partitions without an owner. */
const reportMs = 1_000;
/** Batches that a process writes at a time; each has the partitions of its lane. */
const laneCount = 4;
/** A batch has at most so many packets, unless one message has more. */
const maxPackets = 500;
/** Packets of a batch count as received together, so they are received within this time. */
const spanMs = 1_000;
/** Milliseconds between attempts while the database is away. */
const retryMs = 500;
/** How often a message is tried alone before it is set aside. */
const maxTries = 3;
/** While no other message can be written, the fault may be of all of them, and none is set aside for so long. */
const patienceMs = 300_000;
/** How often written messages are removed from the stream. */
const removeMs = 2_000;

export interface Evaluator {
  /** When the oldest message that waits in a partition of this process was accepted, in epoch milliseconds; undefined when none waits. */
  oldest(): number | undefined;
  /** Numbers of the partitions that this process owns. */
  owned(): number[];
  stop(): Promise<void>;
}

interface Partition {
  id: number;
  stream: string;
  /** Up to which message it is written. */
  sequence: number;
  removed: number;
  reader: PartitionReader;
}

/** A message that is about to be written. */
interface DueMessage extends ReadMessage {
  partition: Partition;
}

interface WriterLane {
  wake(): void;
  /** Resolves when the batch that is under way has ended. */
  idle(): Promise<void>;
}

/** Starts the role. `parts.process` names this process among all; it is a part of the name of the connection on which the process listens. */
export async function startEvaluator(
  stream: PacketStream,
  parts: MessageWriter & { database: Pick<Database, 'scoped'> },
): Promise<Evaluator> {
  const { log, process } = parts;
  const db = parts.database.scoped('all');
  await preparePartitions(db);
  const partitions = new Map<number, Partition>();
  const lanes = Array.from({ length: laneCount }, (_, lane) => newLane(lane));
  const laneOf = (id: number): WriterLane => lanes[id % laneCount] as WriterLane;
  let isStopping = false;

  /** Partitions whose reading begins just now. */
  const beginning = new Set<number>();
  /** When a message was written last, and since when messages cannot be written: by partition, with their numbers. */
  let writtenAt = -Infinity;
  const failing = new Map<number, { sequence: number; since: number; tries: number }>();

  async function begin({ partition, stream: written, sequence }: OwnedPartition): Promise<void> {
    const state = await stream.state(partition);
    const isSame = written === state.stream && sequence <= state.lastSequence;
    if (!isSame) {
      if (written !== null)
        log.error({ partition }, 'The stream of packets is another one than before: what waited in the earlier one is gone.');
      await beginStream(db, process, partition, state.stream);
    }
    const from = isSame ? sequence : 0;
    if (isStopping) return;
    const reader = readPartition(
      stream,
      { partition, identity: state.stream, sequence: from },
      { log, read: () => laneOf(partition).wake(), replaced: () => forget(partition) },
    );
    partitions.set(partition, { id: partition, stream: state.stream, sequence: from, removed: 0, reader });
  }

  /** Stops with a partition after the batch that is under way. */
  async function end(id: number): Promise<void> {
    const partition = partitions.get(id);
    partitions.delete(id);
    await Promise.all([laneOf(id).idle(), partition?.reader.stop()]);
  }

  /** Stops reading a partition at once; the next report begins it again if this process still owns it. */
  function forget(id: number): void {
    const partition = partitions.get(id);
    partitions.delete(id);
    void partition?.reader.stop();
  }

  async function report(): Promise<void> {
    const { owned, free, share } = await reportProcess(db, process);
    for (const id of partitions.keys()) if (!owned.includes(id)) forget(id);
    const surplus = owned.slice(share);
    if (surplus.length > 0) {
      await Promise.all(surplus.map(end));
      await releasePartitions(db, process, surplus);
    }
    const missing = free.slice(0, Math.max(0, share - owned.length));
    if (missing.length > 0) await takePartitions(db, process, missing);
    // One that is owned and not read was taken just now, or its stream is another one, or could not be reached.
    if (missing.length === 0 && owned.slice(0, share).every((id) => partitions.has(id))) return;
    for (const row of await ownedPartitions(db, process)) if (!partitions.has(row.partition)) beginSoon(row);
  }

  /** Begins a partition without delaying the reports. */
  function beginSoon(owned: OwnedPartition): void {
    if (beginning.has(owned.partition)) return;
    beginning.add(owned.partition);
    void begin(owned)
      .catch(
        (error: unknown) =>
          stream.isConnected() && log.warn({ err: error, partition: owned.partition }, 'A partition of the stream cannot be read yet.'),
      )
      .finally(() => beginning.delete(owned.partition));
  }

  /** Takes the oldest messages of the partitions of a lane, at most a batch; each time another partition is the first. */
  function take(lane: number, first: number): DueMessage[] {
    const ids = [...partitions.keys()].filter((id) => id % laneCount === lane).toSorted((a, b) => a - b);
    const messages: DueMessage[] = [];
    let [packets, at, hops] = [0, 0, 0];
    for (let i = 0; i < ids.length; i += 1) {
      const partition = partitions.get(ids[(first + i) % ids.length] as number);
      for (const message of partition?.reader.waiting ?? []) {
        const { envelope } = message;
        const count = envelope?.packets.length ?? 0;
        if (messages.length === 0) [at, hops] = [envelope?.at ?? 0, envelope?.hops ?? 0];
        else if (!envelope || envelope.hops !== hops || Math.abs(envelope.at - at) > spanMs || packets + count > maxPackets) break;
        messages.push({ ...message, partition: partition as Partition });
        packets += count;
        // What cannot be read is told alone.
        if (!envelope) return messages;
      }
    }
    return messages;
  }

  const advancesOf = (messages: readonly DueMessage[]): Advance[] => {
    const advances = new Map<number, Advance>();
    for (const { partition, sequence } of messages)
      advances.set(partition.id, { partition: partition.id, stream: partition.stream, from: partition.sequence, to: sequence });
    return [...advances.values()];
  };

  /** Writes messages together. Throws what the database says. */
  async function write(messages: readonly DueMessage[]): Promise<void> {
    const envelopes = messages.flatMap(({ envelope }) => envelope ?? []);
    if (envelopes.length === 0) throw new Error('The message is none of this server.');
    await writeMessages(parts, { envelopes, advances: advancesOf(messages) });
    writtenAt = currentTime();
    settle(messages);
  }

  /** Notes that messages are written, or set aside. */
  function settle(messages: readonly DueMessage[]): void {
    for (const { partition, sequence } of messages) {
      partition.sequence = sequence;
      partition.reader.drop(1);
      failing.delete(partition.id);
    }
  }

  /** Whether a message that fails alone is set aside now: it is none of this product's, or has failed often while others are written. */
  function isHopeless({ partition, sequence, envelope, text }: DueMessage): boolean {
    if (!envelope && !isLaterEnvelope(text)) return true;
    const before = failing.get(partition.id);
    const now = currentTime();
    const failure = before?.sequence === sequence ? before : { sequence, since: now, tries: 0 };
    failure.tries += 1;
    failing.set(partition.id, failure);
    return failure.tries >= maxTries && (writtenAt > failure.since || now - failure.since > patienceMs);
  }

  /** Writes messages of one partition one after another, up to the first that fails and may pass later. */
  async function writeEach(messages: readonly DueMessage[]): Promise<void> {
    for (const message of messages)
      try {
        await write([message]);
      } catch (error) {
        const [step] = advancesOf([message]);
        if (!step || isPassing(error) || isLost(error) || !isHopeless(message)) throw error;
        await stream.setAside(message.partition.id, message.text);
        await skipMessage(parts, message.envelope, step, error);
        settle([message]);
      }
  }

  /** After a failed batch: writes the messages of each partition by themselves, so that only the partition of the fault waits. */
  async function writeApart(messages: readonly DueMessage[]): Promise<void> {
    let isWaiting = false;
    for (const part of Map.groupBy(messages, ({ partition }) => partition).values())
      await writeEach(part).catch((error: unknown) => {
        isWaiting = true;
        const { id } = part[0]?.partition ?? { id: -1 };
        if (isLost(error)) {
          log.warn({ partition: id }, 'Another process has taken a partition of the stream.');
          forget(id);
        } else log.warn({ err: error, partition: id }, 'Packets of the stream cannot be written just now. They wait.');
      });
    if (isWaiting) await sleep(retryMs);
  }

  function newLane(lane: number): WriterLane {
    let running: Promise<void> | undefined;
    let current: Promise<void> | undefined;
    let turn = 0;
    async function run(): Promise<void> {
      // In a later turn of the event loop, so that what has arrived together is written together.
      await setImmediate();
      for (let messages = take(lane, turn); messages.length > 0 && !isStopping; messages = take(lane, (turn += 1))) {
        current = write(messages).catch(() => writeApart(messages));
        await current;
      }
    }
    function wake(): void {
      running ??= run().finally(() => {
        running = undefined;
        if (!isStopping && hasWork(lane)) wake();
      });
    }
    return { wake, idle: async () => current };
  }

  const hasWork = (lane: number): boolean =>
    [...partitions.values()].some(({ id, reader }) => id % laneCount === lane && reader.waiting.length > 0);

  async function removeWritten(): Promise<void> {
    for (const partition of partitions.values()) {
      const { id, sequence } = partition;
      if (sequence === partition.removed) continue;
      await stream.remove(id, sequence);
      partition.removed = sequence;
    }
  }

  /** Repeats work until the process stops; what fails is tried again at its next time. */
  function repeat(everyMs: number, what: string, work: () => Promise<void>): { stop(): Promise<void> } {
    const stopping = new AbortController();
    async function run(): Promise<void> {
      while (!stopping.signal.aborted) {
        await work().catch((error: unknown) => {
          if (!isPassing(error) && stream.isConnected()) log.warn({ err: error }, what);
        });
        await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    const running = run();
    return {
      stop: () => {
        stopping.abort();
        return running;
      },
    };
  }

  const reports = repeat(reportMs, 'The partitions of the stream could not be looked up.', report);
  const removals = repeat(removeMs, 'Written packets could not be removed from the stream.', removeWritten);
  return {
    oldest() {
      const times = [...partitions.values()].flatMap(({ reader: { waiting } }) => waiting[0]?.envelope?.at ?? []);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    owned: () => [...partitions.keys()].toSorted((a, b) => a - b),
    async stop() {
      isStopping = true;
      await Promise.all([reports.stop(), removals.stop()]);
      const owned = [...partitions.keys()];
      await Promise.all(owned.map(end));
      await releasePartitions(db, process, owned);
      await endProcess(db, process);
    },
  };
}
