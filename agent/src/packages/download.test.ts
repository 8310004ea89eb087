/** The download of a version: it goes on after an interruption, and refuses what is too long or not handed out. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client, StreamedAnswer } from '../connection/client.ts';
import * as waiting from '../wait.ts';
import { download, type TargetVersion } from './download.ts';

let folder: string;
let file: string;
/** The headers of each request; the pauses between them. */
let ranges: (Record<string, string> | undefined)[] = [];
let pauses: number[] = [];
let progress: number[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'download-'));
  file = join(folder, 'zip');
  [ranges, pauses, progress] = [[], [], []];
  vi.spyOn(waiting, 'wait').mockImplementation((ms) => Promise.resolve(void pauses.push(ms)));
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  chunks?: readonly string[];
  retryAfter?: string;
  /** What happens after the chunks. */
  ends?: Error;
}

/** Downloads eight bytes by these answers, in turn. */
async function load(answers: readonly (Answer | Error)[], signal = new AbortController().signal): Promise<void> {
  const rest = [...answers];
  const client = {
    open: (_path: string, _signal: AbortSignal, headers?: Record<string, string>) => {
      ranges.push(headers);
      const answer = rest.shift();
      if (!answer) throw new Error('There is no further answer.');
      if (answer instanceof Error) return Promise.reject(answer);
      const streamed = {
        status: answer.status,
        retryAfter: answer.retryAfter ?? null,
        json: () => Promise.resolve({ error: { message: 'It was withdrawn.' } }),
        async *chunks() {
          for (const chunk of answer.chunks ?? []) yield Buffer.from(chunk);
          if (answer.ends) throw answer.ends;
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
      return Promise.resolve(streamed as unknown as StreamedAnswer);
    },
  } as unknown as Client;
  const target = { packageVersionId: 'v', version: '1.2.0', fileSize: 8, sha256: 'ab' } as TargetVersion;
  await download({ client, packageId: 'p', target, file, onProgress: (bytes) => progress.push(bytes), log: () => undefined }, signal);
}
const stored = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

it('goes on where it was interrupted, if the version is still the same', async () => {
  await load([
    { status: 200, chunks: ['abc', 'de'], ends: new Error('Connection reset') },
    { status: 206, chunks: ['fgh'] },
  ]);
  expect(stored()).toBe('abcdefgh');
  expect(ranges).toEqual([undefined, { range: 'bytes=5-', 'if-range': '"ab"' }]);
  expect(progress).toEqual([3, 5, 8]);
});

it('begins again when the server sends the whole file, or has no such range', async () => {
  writeFileSync(file, 'xyz');
  await load([{ status: 200, chunks: ['abcdefgh'] }]);
  expect([stored(), ranges.length]).toEqual(['abcdefgh', 1]);
  writeFileSync(file, 'xyz');
  await load([{ status: 416 }, { status: 200, chunks: ['ABCDEFGH'] }]);
  expect(stored()).toBe('ABCDEFGH');
  expect(ranges.slice(1)).toEqual([{ range: 'bytes=3-', 'if-range': '"ab"' }, undefined]);
});

it('asks for nothing when the file is complete, and begins again when it is longer', async () => {
  writeFileSync(file, 'abcdefgh');
  await load([]);
  expect(ranges).toEqual([]);
  writeFileSync(file, 'abcdefghi');
  await load([{ status: 200, chunks: ['12345678'] }]);
  expect([stored(), ranges]).toEqual(['12345678', [undefined]]);
});

it.each([401, 403, 408, 429, 500, 503])('tries again after %s, later if the server says so', async (status) => {
  await load([{ status }, { status, retryAfter: '7' }, { status: 200, chunks: ['abcdefgh'] }]);
  expect(stored()).toBe('abcdefgh');
  expect(pauses).toHaveLength(2);
  expect(pauses[1]).toBeGreaterThanOrEqual(7_000);
});

it('waits longer after each failure, and shortly again after progress', async () => {
  vi.mocked(Math.random).mockReturnValue(0.999);
  const lost = new Error('Connection reset');
  await load([lost, lost, lost, { status: 200, chunks: ['abc'], ends: lost }, lost, { status: 206, chunks: ['defgh'] }]);
  const [first = 0, second = 0, third = 0, , fifth = 0] = pauses;
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
  expect(fifth).toBe(first);
});

it.each([404, 410, 409])('refuses at once what the server does not hand out: %s', async (status) => {
  await expect(load([{ status }])).rejects.toThrow(`The server does not hand out this version (${status} It was withdrawn.).`);
});

it('removes a file that is longer than announced', async () => {
  await expect(load([{ status: 200, chunks: ['abcdefgh', 'i'] }])).rejects.toThrow('longer than the 8 bytes');
  expect(stored()).toBeUndefined();
});

it('ends when the disk is full, and when the agent stops', async () => {
  const full = Object.assign(new Error('full'), { syscall: 'write', code: 'ENOSPC' });
  await expect(load([full])).rejects.toBe(full);
  const ending = new AbortController();
  ending.abort();
  await load([], ending.signal);
  expect(ranges).toHaveLength(1);
});
