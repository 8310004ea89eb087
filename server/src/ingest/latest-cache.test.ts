import { expect, it, vi } from 'vitest';
import type { LatestPacketState } from '../rules/run/evaluate-entity.ts';
import { newLatestCache } from './latest-cache.ts';

it('lets a batch begin when all batches with one of its entities have ended, also when one has failed', async () => {
  const cache = newLatestCache(10);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done: string[] = [];
  const run = (name: string, ids: string[], work: Promise<void>) =>
    cache
      .exclusive(ids, async () => {
        done.push(`begin ${name}`);
        await work;
      })
      .catch(() => done.push(`failed ${name}`));
  const all = [
    run('a', ['1'], first.promise),
    run('b', ['2'], second.promise),
    run('c', ['3', '1', '2'], Promise.resolve()),
    run('d', ['4'], Promise.resolve()),
  ];
  await all[3];
  expect(done).toEqual(['begin a', 'begin b', 'begin d']);
  first.reject(new Error('no'));
  await all[0];
  // More turns than the batch would need to begin.
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(done).toEqual(['begin a', 'begin b', 'begin d', 'failed a']);
  second.resolve();
  await Promise.all(all);
  expect(done.at(-1)).toBe('begin c');
});

it('forgets each of several entities, and for a minute that others write them too', () => {
  vi.useFakeTimers();
  const cache = newLatestCache(10);
  const state = { packetId: 'p' } as LatestPacketState;
  for (const id of ['1', '2', '3']) cache.set(id, state);
  cache.set('4', null);
  cache.forget(['1', '3']);
  expect(['1', '2', '3', '4'].map((id) => cache.get(id))).toEqual([undefined, state, undefined, null]);
  expect(cache.isShared()).toBe(false);
  cache.noteSharing();
  vi.advanceTimersByTime(59_999);
  expect(cache.isShared()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(cache.isShared()).toBe(false);
  vi.useRealTimers();
});
