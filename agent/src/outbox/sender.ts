import { packetsAnswer } from '@cloudfit/contract/agent/messages.ts';
import { messageOf, type Client } from '../connection/client.ts';
import type { Log } from '../log.ts';
import { backoffMs } from '../connection/backoff.ts';
import { wait, type Bell } from '../wait.ts';
import type { Outbox } from './outbox.ts';

const maxBatch = 500;

/** Sends what the outbox holds, oldest first, until `signal` aborts. `bell` rings when there is something new. */
export async function sendPackets(outbox: Outbox, client: Client, bell: Bell, log: Log, signal: AbortSignal): Promise<void> {
  let limit = maxBatch;
  let failures = 0;
  while (!signal.aborted) {
    const batch = outbox.peek(limit);
    if (!batch) {
      await bell.heard(60_000, signal);
      continue;
    }
    const answer = await client.ask('POST', '/v1/packets', signal, { body: batch.packets });
    if (answer === null) return;
    if (isAnswered(answer.body, batch.packets.length, log)) {
      outbox.done(batch.end);
      limit = maxBatch;
      failures = 0;
    } else if (answer.status >= 400 && batch.packets.length > 1) {
      // Something in it spoils the whole batch: smaller ones find it.
      limit = Math.ceil(batch.packets.length / 2);
    } else if (answer.status === 400 || answer.status === 413) {
      log('error', `The server refuses a packet (${answer.status} ${messageOf(answer.body)}); it is dropped.`);
      outbox.done(batch.end);
    } else {
      log('error', `The server did not take the packets (${answer.status} ${messageOf(answer.body)}); trying again.`);
      await wait(backoffMs(++failures), signal);
    }
  }
}

/** Does the answer say of each packet what happened to it? Refused ones are told of here: they are not sent again. */
function isAnswered(body: unknown, count: number, log: Log): boolean {
  const parsed = packetsAnswer.safeParse(body);
  if (!parsed.success || new Set(parsed.data.value.map((item) => item.index)).size < count) return false;
  const refused = parsed.data.value.filter((item) => item.status === 'refused');
  if (refused.length > 0)
    log('warn', `The server refused ${refused.length} of ${count} packets: ${refused[0]?.message ?? 'no reason given'}`);
  return true;
}
