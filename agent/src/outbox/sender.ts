import { packetsAnswer, type AgentPacket } from '@cloudfit/contract/agent/messages.ts';
import type { Clock } from '../connection/clock.ts';
import { messageOf, type Client } from '../connection/client.ts';
import type { Log } from '../log.ts';
import { retryDelayMs } from '../connection/backoff.ts';
import type { Signal } from '../signal.ts';
import { wait } from '../wait.ts';
import type { Outbox, StoredPacket } from './outbox.ts';

const maxBatch = 500;

/** Corrects the time of a packet that was measured before the server's time was known. */
function corrected({ isCorrected, ...packet }: StoredPacket, clock: Clock): AgentPacket {
  if (isCorrected || clock.offsetMs() === 0) return packet;
  return { ...packet, timestamp: new Date(Date.parse(packet.timestamp) + clock.offsetMs()).toISOString() };
}

/** Sends the packets of the outbox, oldest first, until `signal` aborts. `packetAdded` wakes it when the outbox was empty. */
export async function sendPackets(
  { outbox, client, clock, packetAdded, log }: { outbox: Outbox; client: Client; clock: Clock; packetAdded: Signal; log: Log },
  signal: AbortSignal,
): Promise<void> {
  let limit = maxBatch;
  let failures = 0;
  while (!signal.aborted) {
    const batch = outbox.peek(limit);
    if (!batch) {
      await packetAdded.wait(60_000, signal);
      continue;
    }
    // Packets with a wrong time would be refused for good; any answer of the server contains its time.
    if (!clock.isKnown() && (await client.request('GET', '/healthz', signal)) === null) return;
    const body = batch.packets.map((packet) => corrected(packet, clock));
    const answer = await client.request('POST', '/v1/packets', signal, { body });
    if (answer === null) return;
    if (isEachAnswered(answer.body, batch.packets.length, log)) {
      outbox.markSent(batch.end);
      limit = maxBatch;
      failures = 0;
    } else if (answer.status >= 400 && batch.packets.length > 1) {
      // The server refuses the whole batch because of one packet: smaller batches isolate it.
      limit = Math.ceil(batch.packets.length / 2);
    } else if (answer.status === 400 || answer.status === 413) {
      log('error', `The server refuses a packet (${answer.status} ${messageOf(answer.body)}); it is dropped.`);
      outbox.markSent(batch.end);
    } else {
      log('error', `The server did not take the packets (${answer.status} ${messageOf(answer.body)}); trying again.`);
      await wait(retryDelayMs(++failures), signal);
    }
  }
}

/** Whether the answer has an outcome for each packet. Logs refused packets, because they are not sent again. */
function isEachAnswered(body: unknown, count: number, log: Log): boolean {
  const parsed = packetsAnswer.safeParse(body);
  if (!parsed.success || new Set(parsed.data.value.map((item) => item.index)).size < count) return false;
  const refused = parsed.data.value.filter((item) => item.status === 'refused');
  if (refused.length > 0)
    log('warn', `The server refused ${refused.length} of ${count} packets: ${refused[0]?.message ?? 'no reason given'}`);
  return true;
}
