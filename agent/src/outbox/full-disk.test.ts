import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openOutbox } from './outbox.ts';
import type * as segments from './segments.ts';

const disk = { isFull: false };
vi.mock('./segments.ts', async (original) => {
  const { openSegments } = await original<typeof segments>();
  return {
    openSegments: (folder: string) => {
      const files = openSegments(folder);
      const append = (line: string) => {
        if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        files.append(line);
      };
      return { ...files, append };
    },
  };
});

let folder: string;
const lines: string[] = [];
const open = () =>
  openOutbox({ folder, schema: z.string(), maxBytes: 64 * 1_024 ** 2, log: (_level: string, text: string) => void lines.push(text) });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  disk.isFull = false;
  lines.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('gives what a full disk does not take after what it holds, once, and says so once', () => {
  const outbox = open();
  outbox.append('a');
  disk.isFull = true;
  for (const item of ['b', 'c', 'd']) outbox.append(item);
  expect(lines).toEqual(['An entry cannot be stored (ENOSPC); entries are held in memory until they are sent.']);
  const sent: string[] = [];
  for (let batch = outbox.peek(2); batch; batch = outbox.peek(2)) {
    sent.push(...batch.items);
    outbox.markSent(batch.end);
  }
  expect(sent).toEqual(['a', 'b', 'c', 'd']);
  expect(outbox.unreportedDrops()).toBe(0);
  outbox.close();
});

it('stores what it held when there is room again, before anything newer, and then survives a kill', () => {
  const outbox = open();
  disk.isFull = true;
  for (const item of ['a', 'b']) outbox.append(item);
  disk.isFull = false;
  outbox.append('c');
  // The second `open` reads what is on disk, as after a kill without `close`.
  expect(open().peek(10)?.items).toEqual(['a', 'b', 'c']);
  expect(outbox.peek(10)?.items).toEqual(['a', 'b', 'c']);
  outbox.close();
});

it('holds a bounded amount, drops the oldest and counts them', () => {
  const outbox = open();
  disk.isFull = true;
  const items = Array.from({ length: 30 }, (_, n) => `${n} ${'x'.repeat(100_000)}`);
  for (const item of items) outbox.append(item);
  const batch = outbox.peek(100)?.items ?? [];
  expect(batch[0]).toBe(items[20]);
  expect(batch.length).toBe(7);
  expect(outbox.unreportedDrops()).toBe(20);
  outbox.close();
});
