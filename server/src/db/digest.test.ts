import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { digestOf } from './digest.ts';

const of = (...chunks: string[]) => digestOf(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));

it('is the same for the same rows in any order and cut in any way, and another for any other row', async () => {
  const digest = await of('one\ttwo\n', 'three\n', 'three\n');
  expect(digest.rows).toBe(3);
  expect(await of('three\nthr', 'ee\none\tt', 'wo\n')).toEqual(digest);
  expect((await of('one\ttwo\n', 'three\n')).digest).not.toBe(digest.digest);
  expect((await of('one\ttwo\n', 'three\n', 'thref\n')).digest).not.toBe(digest.digest);
  expect(await of()).toEqual({ rows: 0, digest: '0-0' });
});
