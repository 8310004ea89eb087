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
  /** Called for an item that the server refuses for good. */
  onRefused?: (item: T, reason: string) => void;
  log: Log;
}

/** Sends the items of the outbox until `signal` aborts. */
export async function sendOutbox<T>(sending: OutboxSending<T>, signal: AbortSignal): Promise<void> {
  const { outbox, added, what, post, isTaken, onRefused, log } = sending;
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
      const reason = apiMessageOf(answer.body);
      log('error', `The server refuses one of the ${what} (${answer.status} ${reason}); it is dropped.`);
      for (const item of batch.items) onRefused?.(item, reason);
      outbox.markSent(batch.end);
    } else {
      log('error', `The server did not take the ${what} (${answer.status} ${apiMessageOf(answer.body)}); trying again.`);
      await wait(retryDelayMs(++failures), signal);
    }
  }
}

/** Corrects the time of a packet that was measured before the server's time was known. */
function corrected({ isCorrected, epoch, elapsedMs, run: _run, ...packet }: StoredPacket, clock: Clock): AgentPacket {
  return { ...packet, timestamp: clock.timeOf({ timestamp: packet.timestamp, isCorrected, epoch, elapsedMs }) };
}

interface PacketSending {
  outbox: PacketOutbox;
  client: Client;
  clock: Clock;
  /** Wakes the sender when the outbox was empty. */
  packetAdded: Signal;
  /** Called for a packet that the server refuses for good. */
  onRefused: (packet: StoredPacket, reason: string) => void;
  log: Log;
}

/** Sends the packets until `signal` aborts. */
export function sendPackets({ outbox, client, clock, packetAdded, onRefused, log }: PacketSending, signal: AbortSignal): Promise<void> {
  const post = async (packets: readonly StoredPacket[]) => {
    // Gets the server's time first, which any answer contains: packets with a wrong time would be refused for good.
    if (!clock.isKnown() && (await client.request('GET', '/healthz', signal)) === null) return null;
    return client.request('POST', '/v1/packets', signal, { body: packets.map((packet) => corrected(packet, clock)) });
  };
  /** Whether the answer has an outcome for each packet. Refused packets are not sent again. */
  function isTaken({ body }: Answer, packets: readonly StoredPacket[]): boolean {
    const parsed = packetsAnswer.safeParse(body);
    if (!parsed.success || new Set(parsed.data.value.map((item) => item.index)).size < packets.length) return false;
    const refused = parsed.data.value.filter((item) => item.status === 'refused');
    const reasonOf = ({ message = 'no reason given' }: { message?: string | undefined }) => message;
    if (refused[0]) log('warn', `The server refused ${refused.length} of ${packets.length} packets: ${reasonOf(refused[0])}`);
    for (const item of refused) {
      const packet = packets[item.index];
      if (packet) onRefused(packet, reasonOf(item));
    }
    return true;
  }
  return sendOutbox({ outbox, added: packetAdded, what: 'packets', maxBatch, post, isTaken, onRefused, log }, signal);
}
