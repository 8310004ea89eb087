/**
 * Stores packets, or reports of runs, on disk until the server has acknowledged them. It is bounded and survives kill -9; when
 * it is full, it drops and counts the oldest ones. Entries that do not fit on a full disk are held in memory.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Log } from '../log.ts';
import { openSegments } from './segments.ts';

export interface Batch<T> {
  items: T[];
  /** The position after the batch, for `markSent`. */
  end: { segment: number; offset: number };
}

export interface Outbox<T> {
  /** Returns false for an item that is too large to be sent; it is not stored. */
  append(item: T): boolean;
  /** The oldest items, at most `limit`; undefined when the outbox is empty. */
  peek(limit: number): Batch<T> | undefined;
  /** Removes the items up to `end`; call it when the server has answered for all of them. */
  markSent(end: Batch<T>['end']): void;
  /** The number of dropped items that no item has reported yet. */
  unreportedDrops(): number;
  close(): void;
}

export interface OutboxOptions<T> {
  folder: string;
  schema: z.ZodType<T>;
  /** How many dropped items an item reports to the server. */
  dropsOf?: (item: T) => number;
  maxBytes: number;
  log: Log;
}

interface Position {
  segment: number;
  offset: number;
  dropped: number;
}

function isPosition(value: unknown): value is Position {
  if (typeof value !== 'object' || value === null) return false;
  return ['segment', 'offset', 'dropped'].every((name) => Number.isSafeInteger((value as Record<string, unknown>)[name]));
}

/** The maximum bytes of a batch, so that a request, brackets included, is below the server's limit of 1 MiB for a body. */
const batchBytes = 768 * 1_024;
/** The maximum bytes of an entry, so that every entry fits into a batch; longer entries are dropped. */
const packetMaxBytes = 512 * 1_024;

/** The maximum bytes of entries that are held in memory while they cannot be written to disk. */
const heldMaxBytes = 1_048_576;
/** The segment number of positions of entries that are held in memory, and so in no file. */
const heldSegment = -1;

export function openOutbox<T>({ folder, maxBytes, log, schema, dropsOf = () => 0 }: OutboxOptions<T>): Outbox<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const segments = openSegments(folder);
  const segmentBytes = Math.min(1_048_576, Math.ceil(maxBytes / 16));
  const positionFile = join(folder, 'position.json');
  let position = readPosition();

  function readPosition(): Position {
    const start = { segment: segments.list[0]?.id ?? 1, offset: 0, dropped: 0 };
    try {
      const stored: unknown = JSON.parse(readFileSync(positionFile, 'utf8'));
      if (!isPosition(stored)) return start;
      const segment = segments.list.find((s) => s.id === stored.segment);
      return segment && stored.offset <= segment.bytes ? stored : { ...start, dropped: stored.dropped };
    } catch {
      // Without the position, acknowledged entries are sent again; the server recognises them by their id.
      return start;
    }
  }

  function writePosition(): void {
    try {
      writeFileSync(`${positionFile}.new`, JSON.stringify(position), { mode: 0o600 });
      renameSync(`${positionFile}.new`, positionFile);
    } catch (error) {
      log('warn', `The outbox cannot write its position (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  /** Returns undefined for a line that is damaged on disk. */
  function parse(line: string): T | undefined {
    try {
      return schema.parse(JSON.parse(line));
    } catch {
      return undefined;
    }
  }

  /** Reads up to `bytes` from the offset. Returns the items, each with the offset after the item. */
  function lines(segment: number, offset: number, bytes: number): { item: T | undefined; end: number }[] {
    const buffer = segments.read(segment, offset, bytes);
    const entries: { item: T | undefined; end: number }[] = [];
    for (let from = 0, to = buffer.indexOf(0x0a); to >= 0; from = to + 1, to = buffer.indexOf(0x0a, from)) {
      entries.push({ item: parse(buffer.toString('utf8', from, to)), end: offset + to + 1 });
    }
    return entries;
  }

  function dropOldest(): void {
    const [oldest, next] = segments.list;
    if (!oldest || !next) return;
    const offset = oldest.id === position.segment ? position.offset : 0;
    for (const { item } of lines(oldest.id, offset, oldest.bytes)) position.dropped += 1 + (item === undefined ? 0 : dropsOf(item));
    position = { segment: next.id, offset: 0, dropped: position.dropped };
    writePosition();
    segments.remove(oldest.id);
    log('warn', `The outbox is full: ${position.dropped} entries were dropped, the oldest first.`);
  }

  /** Starts an empty segment after all entries were sent, so that the previous segment can be removed. */
  function startNewSegment(): void {
    try {
      position = { segment: segments.rotate(), offset: 0, dropped: position.dropped };
    } catch (error) {
      log('warn', `The outbox cannot start a new file (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  function makeRoom(bytes: number): void {
    const active = segments.list.at(-1);
    if (active && active.bytes > 0 && active.bytes + bytes > segmentBytes) segments.rotate();
    const total = () => segments.list.reduce((sum, segment) => sum + segment.bytes, bytes);
    while (segments.list.length > 1 && total() > maxBytes) dropOldest();
  }

  const pending: { item: T; bytes: number; number: number }[] = [];
  let heldCount = 0;

  function store(line: string, bytes: number): void {
    makeRoom(bytes);
    segments.append(line);
  }

  /** Stores the entries held in memory, in their order, before any newer entry. */
  function storeHeld(): void {
    for (let [first] = pending; first; [first] = pending) {
      store(JSON.stringify(first.item), first.bytes);
      pending.shift();
    }
  }

  function hold(item: T, bytes: number, error: unknown): void {
    if (pending.length === 0)
      log('error', `An entry cannot be stored (${(error as NodeJS.ErrnoException).code}); entries are held in memory until they are sent.`);
    pending.push({ item, bytes, number: ++heldCount });
    while (pending.reduce((sum, item) => sum + item.bytes, 0) > heldMaxBytes) {
      const oldest = pending.shift();
      if (oldest) position.dropped += 1 + dropsOf(oldest.item);
    }
  }

  function peekHeld(limit: number): Batch<T> | undefined {
    let bytes = 0;
    const batch = pending.slice(0, limit).filter((item) => (bytes += item.bytes) <= batchBytes);
    const last = batch.at(-1);
    return last && { items: batch.map((item) => item.item), end: { segment: heldSegment, offset: last.number } };
  }

  /** Returns the next items of a segment, at most `limit`, without damaged lines; undefined when no item follows the offset. */
  function itemsFrom(segment: number, offset: number, limit: number): Batch<T> | undefined {
    for (let from = offset, end = from; ; from = end) {
      const items: T[] = [];
      for (const entry of lines(segment, from, batchBytes)) {
        if (items.length === limit) break;
        end = entry.end;
        if (entry.item !== undefined) items.push(entry.item);
      }
      if (items.length > 0) return { items, end: { segment, offset: end } };
      if (end === from) return undefined;
    }
  }

  return {
    append: (item) => {
      const line = JSON.stringify(item);
      const bytes = Buffer.byteLength(line) + 1;
      if (bytes > Math.min(packetMaxBytes, maxBytes)) {
        position.dropped++;
        log('error', `An entry of ${bytes} bytes is too large to be sent and was dropped.`);
        writePosition();
        return false;
      }
      const reported = dropsOf(item);
      position.dropped -= Math.min(reported, position.dropped);
      try {
        storeHeld();
        store(line, bytes);
      } catch (error) {
        hold(item, bytes, error);
      }
      if (reported > 0) writePosition();
      return true;
    },
    peek: (limit) => {
      for (const segment of segments.list) {
        if (segment.id < position.segment) continue;
        const batch = itemsFrom(segment.id, segment.id === position.segment ? position.offset : 0, limit);
        if (batch) return batch;
      }
      return peekHeld(limit);
    },
    markSent: (end) => {
      if (end.segment === heldSegment) {
        while ((pending[0]?.number ?? Infinity) <= end.offset) pending.shift();
        return;
      }
      // The segment was deleted to make room while the batch was being sent.
      if (end.segment < position.segment) return;
      position = { ...end, dropped: position.dropped };
      const active = segments.list.at(-1);
      if (active?.id === end.segment && end.offset >= active.bytes) startNewSegment();
      for (const segment of segments.list.filter((s) => s.id < position.segment)) segments.remove(segment.id);
      writePosition();
    },
    unreportedDrops: () => position.dropped,
    close: segments.close,
  };
}
