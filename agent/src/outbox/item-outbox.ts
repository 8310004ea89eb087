/**
 * What listeners have heard, until the server has acknowledged it. A listener is a process of its own: it writes each item to files of
 * its folder before it answers its sender, and the agent moves them into its outbox, so a kill of either loses nothing.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { agentItemsAnswer, agentItemsMax, listenerItem } from '@cloudfit/contract/agent/items.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import type { Clock } from '../connection/clock.ts';
import type { Client } from '../connection/client.ts';
import type { Level, Log } from '../log.ts';
import { createSignal } from '../signal.ts';
import { openOutbox } from './outbox.ts';
import { sendOutbox } from './sender.ts';

const storedListenerItem = z.object({
  deviceOperationId: z.string(),
  item: listenerItem,
  timestamp: z.string(),
  isCorrected: z.optional(z.boolean()),
  epoch: z.optional(z.string()),
  elapsedMs: z.optional(z.number()),
  /** How many dropped items it reports. */
  dropped: z.optional(z.number()),
});
type StoredListenerItem = z.infer<typeof storedListenerItem>;

export interface ItemOutbox {
  /** The folder into which the listener of an operation writes what it hears. */
  folderOf(deviceOperationId: string): string;
  /** Moves what the listener of an operation has written into the outbox. `isOver`: the listener has ended. */
  take(deviceOperationId: string, isOver?: boolean): void;
  send(client: Client, signal: AbortSignal): Promise<void>;
  close(): void;
}

interface ItemOutboxOptions {
  stateDir: string;
  maxBytes: number;
  clock: Clock;
  log: Log;
  /** Writes to the log of an operation. */
  say: (level: Level, text: string, deviceOperationId: string) => void;
}

const isFile = (name: string): boolean => /^\d{13}-\d+-\d{6}\.ndjson$/.test(name);

/** Says that items were dropped, as what the source refuses. */
function lost(count = 0): StoredListenerItem['item'][] {
  const message = 'The outbox of the agent was full while the server was away, so the oldest items were dropped.';
  return count === 0 ? [] : [{ refusal: { code: 'OutboxFull', message }, sample: null, count }];
}

/** The bytes of a file from an offset. */
function readFrom(file: string, offset: number): Buffer {
  const from = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.max(0, fstatSync(from).size - offset));
    return buffer.subarray(0, readSync(from, buffer, 0, buffer.length, offset));
  } finally {
    closeSync(from);
  }
}

export function openItemOutbox({ stateDir, maxBytes, clock, log, say }: ItemOutboxOptions): ItemOutbox {
  const folder = join(stateDir, 'items');
  const outbox = openOutbox({
    folder: join(stateDir, 'item-outbox'),
    maxBytes,
    log,
    schema: storedListenerItem,
    dropsOf: ({ dropped = 0 }) => dropped,
  });
  const added = createSignal();
  const folderOf = (deviceOperationId: string): string => join(folder, deviceOperationId);

  /** The time at which an item was heard, whatever the clock of the machine is. */
  function stampOf(at: unknown): Omit<StoredListenerItem, 'deviceOperationId' | 'item'> {
    const { timestamp, elapsedMs, ...stamp } = clock.stamp();
    const agoMs = typeof at === 'number' ? Math.max(0, Date.now() - at) : 0;
    return {
      ...stamp,
      timestamp: new Date(Date.parse(timestamp) - agoMs).toISOString(),
      ...(elapsedMs === undefined ? {} : { elapsedMs: elapsedMs - agoMs }),
    };
  }

  function add(deviceOperationId: string, line: string): void {
    let item: StoredListenerItem['item'];
    try {
      item = listenerItem.parse(JSON.parse(line));
    } catch {
      // The end of a file that a full disk has cut.
      return;
    }
    const stamp = stampOf(item['at']);
    const dropped = outbox.unreportedDrops();
    outbox.append({ deviceOperationId, item, ...stamp, ...(dropped > 0 ? { dropped } : {}) });
  }

  /** Where reading goes on: the file, and the bytes of it that are in the outbox. */
  const positions = new Map<string, { file: string; offset: number }>();
  const positionFile = (deviceOperationId: string): string => join(folderOf(deviceOperationId), 'position.json');
  const position = z.object({ file: z.string(), offset: z.int().min(0) });

  function positionOf(deviceOperationId: string): { file: string; offset: number } {
    const now = positions.get(deviceOperationId);
    if (now) return now;
    try {
      return position.parse(JSON.parse(readFileSync(positionFile(deviceOperationId), 'utf8')));
    } catch {
      // Without it, items are sent again; the server recognises them by their ids.
      return { file: '', offset: 0 };
    }
  }

  function keepPosition(deviceOperationId: string, next: { file: string; offset: number }): void {
    positions.set(deviceOperationId, next);
    writeFileSync(`${positionFile(deviceOperationId)}.new`, JSON.stringify(next), { mode: 0o600 });
    renameSync(`${positionFile(deviceOperationId)}.new`, positionFile(deviceOperationId));
  }

  function take(deviceOperationId: string, isOver: boolean): void {
    const at = folderOf(deviceOperationId);
    let files: string[];
    try {
      files = readdirSync(at).filter(isFile).toSorted();
    } catch {
      // It listens to nothing.
      return;
    }
    let hasNew = false;
    for (const [index, file] of files.entries()) {
      const before = positionOf(deviceOperationId);
      const offset = before.file === file ? before.offset : 0;
      const bytes = readFrom(join(at, file), offset);
      const end = bytes.lastIndexOf(0x0a) + 1;
      for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') add(deviceOperationId, line);
      if (end > 0) {
        hasNew = true;
        keepPosition(deviceOperationId, { file, offset: offset + end });
      }
      // A listener writes only to its last file.
      if (isOver || index < files.length - 1) rmSync(join(at, file), { force: true });
    }
    if (hasNew) added.notify();
  }

  function takeSafely(deviceOperationId: string, isOver = false): void {
    try {
      take(deviceOperationId, isOver);
    } catch (error) {
      log('warn', `What a listener has heard cannot be read yet (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // What listeners wrote before the agent was killed, and they with it.
  for (const id of readdirSync(folder)) if (guidSchema.safeParse(id).success) takeSafely(id, true);

  const reported = new Map<string, string>();
  /** Says a problem in the log of its operation, once until it changes. */
  function tell(problems: readonly { deviceOperationId: string; message: string }[], items: readonly StoredListenerItem[]): void {
    const byId = new Map(problems.map(({ deviceOperationId, message }) => [deviceOperationId, message]));
    for (const id of new Set(items.map(({ deviceOperationId }) => deviceOperationId))) {
      const message = byId.get(id);
      if (message === undefined) reported.delete(id);
      else if (reported.get(id) !== message) {
        reported.set(id, message);
        say('warn', `The server takes nothing of this listener: ${message}`, id);
      }
    }
  }

  return {
    folderOf: (deviceOperationId) => {
      mkdirSync(folderOf(deviceOperationId), { recursive: true, mode: 0o700 });
      return folderOf(deviceOperationId);
    },
    take: takeSafely,
    send: (client, signal) =>
      sendOutbox(
        {
          outbox,
          added,
          what: 'items of listeners',
          // An item may report others that were dropped, as one more.
          maxBatch: agentItemsMax / 2,
          post: async (items) => {
            // Gets the server's time first, as for packets.
            if (!clock.isKnown() && (await client.request('GET', '/healthz', signal)) === null) return null;
            const body = items.flatMap(({ deviceOperationId, item, dropped, ...stamp }) =>
              [...lost(dropped), item].map((item) => ({ deviceOperationId, item, timestamp: clock.timeOf(stamp) })),
            );
            return client.request('POST', '/v1/agent/items', signal, { body: { items: body } });
          },
          isTaken: ({ status, body }, items) => {
            const answer = status === 200 ? agentItemsAnswer.safeParse(body) : undefined;
            if (answer?.success) tell(answer.data.problems, items);
            return answer?.success ?? false;
          },
          log,
        },
        signal,
      ),
    close: () => outbox.close(),
  };
}
