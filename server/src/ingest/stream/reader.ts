/** Reads a partition ahead of its writer, in order, and begins again after every fault. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { readEnvelope, type PacketEnvelope } from './envelope.ts';
import type { PacketStream } from './stream.ts';

/** A message that was read. */
export interface ReadMessage {
  sequence: number;
  text: string;
  /** Undefined when the text is none of this server's. */
  envelope: PacketEnvelope | undefined;
}

/** How much waits for the writer at most: less than what a partition sends at once, so that memory stays small while the database is away. */
const maxWaiting = 500;
const maxWaitingLength = 4_194_304;

/** Milliseconds between attempts after a fault. */
const retryMs = 500;

export interface PartitionReader {
  /** Messages that were read and not written yet, oldest first. */
  readonly waiting: readonly ReadMessage[];
  /** Removes written messages from `waiting`. */
  drop(count: number): void;
  stop(): Promise<void>;
}

function envelopeOf(text: string): PacketEnvelope | undefined {
  try {
    return readEnvelope(text);
  } catch {
    return undefined;
  }
}

/** What the reader tells: `read` for each message, `replaced` when the stream is another one than it was, after which it reads no more. */
interface ReaderEvents {
  log: Logger;
  read: () => void;
  replaced: () => void;
}

/** Reads the messages of a partition after `sequence`, as long as it is that of the stream `identity`. */
export function readPartition(
  stream: PacketStream,
  { partition, identity, sequence }: { partition: number; identity: string; sequence: number },
  { log, read, replaced }: ReaderEvents,
): PartitionReader {
  const stopping = new AbortController();
  const { signal } = stopping;
  const waiting: ReadMessage[] = [];
  let length = 0;
  let last = sequence;
  let room: (() => void) | undefined;

  const isFull = (): boolean => waiting.length >= maxWaiting || length >= maxWaitingLength;

  async function session(): Promise<void> {
    const state = await stream.state(partition);
    // Positions mean nothing in another stream.
    if (state.stream !== identity || state.lastSequence < last) {
      stopping.abort();
      return replaced();
    }
    for await (const { sequence: at, text } of stream.read(partition, last, signal)) {
      if (at <= last) continue;
      last = at;
      waiting.push({ sequence: at, text, envelope: envelopeOf(text) });
      length += text.length;
      read();
      if (isFull() && !signal.aborted) await new Promise<void>((resolve) => (room = resolve));
    }
  }

  async function run(): Promise<void> {
    let isFailing = false;
    while (!signal.aborted) {
      try {
        await session();
        isFailing = false;
      } catch (error) {
        if (signal.aborted) return;
        // The connection says itself when it is lost.
        if (!isFailing && stream.isConnected()) log.warn({ err: error, partition }, 'Reading the stream of packets begins again.');
        isFailing = true;
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const running = run();
  return {
    waiting,
    drop(count) {
      for (const { text } of waiting.splice(0, count)) length -= text.length;
      if (isFull()) return;
      room?.();
      room = undefined;
    },
    async stop() {
      stopping.abort();
      room?.();
      await running;
    },
  };
}
