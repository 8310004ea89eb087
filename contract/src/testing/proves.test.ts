import { expect, it } from 'vitest';
import { proves } from './proves.ts';

it('names the requirement whose check fails', async () => {
  await expect(proves('[XXXXXX-001] is one', () => expect(1).toBe(2))).rejects.toThrow(/^\[XXXXXX-001\] is one: expected 1 to be 2/);
  await expect(proves('[XXXXXX-002] comes', () => Promise.reject(new Error('late')))).rejects.toThrow('[XXXXXX-002] comes: late');
});

it('passes when the check passes, and returns what it returns', async () => {
  await proves('[XXXXXX-003] passes', () => expect(1).toBe(1));
  expect(await proves('[XXXXXX-004] returns', () => Promise.resolve(2))).toBe(2);
});
