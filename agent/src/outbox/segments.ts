/** The files of the outbox: NDJSON, oldest first. A file is only appended to, and removed as a whole. */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Segment {
  id: number;
  bytes: number;
}

const fileOf = (folder: string, id: number) => join(folder, `${String(id).padStart(12, '0')}.ndjson`);

export interface SegmentFiles {
  /** Oldest first; new lines go to the last one. */
  list: readonly Segment[];
  append(line: string): void;
  /** Starts a new file, so that the previous file can be removed. Returns the new file's id. */
  rotate(): number;
  read(id: number, offset: number, maxBytes: number): Buffer;
  remove(id: number): void;
  close(): void;
}

const syncEveryMs = 1_000;

/** Opens the folder's segments and cuts off an incomplete last line, which a killed process leaves. */
export function openSegments(folder: string): SegmentFiles {
  const list: Segment[] = readdirSync(folder)
    .flatMap((name) => (/^\d{12}\.ndjson$/.test(name) ? [Number(name.slice(0, 12))] : []))
    .toSorted((a, b) => a - b)
    .map((id) => ({ id, bytes: statSync(fileOf(folder, id)).size }));
  if (list.length === 0) list.push({ id: 1, bytes: 0 });
  let active = last();
  let fd = openSync(fileOf(folder, active.id), 'a+', 0o600);
  cutIncompleteLine();

  function last(): Segment {
    const segment = list.at(-1);
    if (!segment) throw new Error('An outbox without a segment.');
    return segment;
  }

  function cutIncompleteLine(): void {
    const whole = readFileSync(fileOf(folder, active.id)).lastIndexOf(0x0a) + 1;
    if (whole < active.bytes) ftruncateSync(fd, whole);
    active.bytes = whole;
  }

  // Syncs once a second: `kill -9` loses nothing that was written, a power failure at most the last second.
  let syncing: NodeJS.Timeout | undefined;
  function syncSoon(): void {
    syncing ??= setTimeout(() => {
      syncing = undefined;
      fdatasync(fd, () => undefined);
    }, syncEveryMs).unref();
  }

  function closeActive(): void {
    clearTimeout(syncing);
    syncing = undefined;
    fdatasyncSync(fd);
    closeSync(fd);
  }

  return {
    list,
    append: (line) => {
      const bytes = Buffer.from(`${line}\n`);
      try {
        // On a full disk, `writeSync` may write only a part of the line.
        const written = writeSync(fd, bytes);
        if (written < bytes.length) throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' });
      } catch (error) {
        if (fstatSync(fd).size > active.bytes) ftruncateSync(fd, active.bytes);
        throw error;
      }
      active.bytes += bytes.length;
      syncSoon();
    },
    rotate: () => {
      const next = { id: active.id + 1, bytes: 0 };
      const opened = openSync(fileOf(folder, next.id), 'a+', 0o600);
      closeActive();
      [active, fd] = [next, opened];
      list.push(next);
      return next.id;
    },
    read: (id, offset, maxBytes) => {
      const from = openSync(fileOf(folder, id), 'r');
      try {
        const buffer = Buffer.alloc(maxBytes);
        return buffer.subarray(0, readSync(from, buffer, 0, maxBytes, offset));
      } finally {
        closeSync(from);
      }
    },
    remove: (id) => {
      const index = list.findIndex((segment) => segment.id === id);
      if (index < 0 || id === active.id) return;
      rmSync(fileOf(folder, id), { force: true });
      list.splice(index, 1);
    },
    close: closeActive,
  };
}
