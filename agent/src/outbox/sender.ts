/** Sends the entries of an outbox, oldest first. */
import { packetsAnswer, type AgentPacket } from '@cloudfit/contract/agent/messages.ts';
import type { Clock } from '../connection/clock.ts';
import { apiMessageOf, type Answer, type Client } from '../connection/client.ts';
import type { Log } from '../log.ts';
import { retryDelayMs } from '../connection/backoff.ts';
import type { Signal } from '../signal.ts';
import { wait } from '../wait.ts';
import type { Outbox } from './outbox.ts';
import type { PacketOutbox, StoredPacket } from './packet-outbox.ts';

const maxBatch = 500;

interface OutboxSending<T> {
  outbox: Outbox<T>;
  /** Notified when an item was added; wakes the sender when the outbox was empty. */
  added: Signal;
  /** The word for the items in the log, such as packets. */
  what: string;
  maxBatch: number;
  /** Sends a batch; returns null when the agent stops. */
  post: (items: readonly T[]) => Promise<Answer | null>;
  isTaken: (answer: Answer, items: readonly T[]) => boolean;
  log: Log;
}

/** Sends the items of the outbox until `signal` aborts. */
export async function sendOutbox<T>(sending: OutboxSending<T>, signal: AbortSignal): Promise<void> {
  const { outbox, added, what, post, isTaken, log } = sending;
  let limit = sending.maxBatch;
  let failures = 0;
  while (!signal.aborted) {
    const batch = outbox.peek(limit);
    if (!batch) {
      await added.wait(60_000, signal);
      continue;
    }
    const answer = await post(batch.items);
    if (answer === null) return;
    if (isTaken(answer, batch.items)) {
      outbox.markSent(batch.end);
      limit = sending.maxBatch;
      failures = 0;
    } else if (answer.status >= 400 && batch.items.length > 1) {
      // The server may refuse the whole batch because of one item; smaller batches isolate this item.
      limit = Math.ceil(batch.items.length / 2);
    } else if (answer.status === 400 || answer.status === 413) {
      log('error', `The server refuses one of the ${what} (${answer.status} ${apiMessageOf(answer.body)}); it is dropped.`);
      outbox.markSent(batch.end);
    } else {
      log('error', `The server did not take the ${what} (${answer.status} ${apiMessageOf(answer.body)}); trying again.`);
      await wait(retryDelayMs(++failures), signal);
    }
  }
}

/** Corrects the time of a packet that was measured before the server's time was known. */
function corrected({ isCorrected, epoch, elapsedMs, ...packet }: StoredPacket, clock: Clock): AgentPacket {
  return { ...packet, timestamp: clock.timeOf({ timestamp: packet.timestamp, isCorrected, epoch, elapsedMs }) };
}

/** Sends the packets until `signal` aborts. `packetAdded` wakes the sender when the outbox was empty. */
export function sendPackets(
  { outbox, client, clock, packetAdded, log }: { outbox: PacketOutbox; client: Client; clock: Clock; packetAdded: Signal; log: Log },
  signal: AbortSignal,
): Promise<void> {
  const post = async (packets: readonly StoredPacket[]) => {
    // Gets the server's time first, which any answer contains: packets with a wrong time would be refused for good.
    if (!clock.isKnown() && (await client.request('GET', '/healthz', signal)) === null) return null;
    return client.request('POST', '/v1/packets', signal, { body: packets.map((packet) => corrected(packet, clock)) });
  };
  const isTaken = ({ body }: Answer, packets: readonly StoredPacket[]) => isEachAnswered(body, packets.length, log);
  return sendOutbox({ outbox, added: packetAdded, what: 'packets', maxBatch, post, isTaken, log }, signal);
}

/** Whether the answer has an outcome for each packet. Logs refused packets, which are not sent again. */
function isEachAnswered(body: unknown, count: number, log: Log): boolean {
  const parsed = packetsAnswer.safeParse(body);
  if (!parsed.success || new Set(parsed.data.value.map((item) => item.index)).size < count) return false;
  const refused = parsed.data.value.filter((item) => item.status === 'refused');
  if (refused.length > 0)
    log('warn', `The server refused ${refused.length} of ${count} packets: ${refused[0]?.message ?? 'no reason given'}`);
  return true;
}
