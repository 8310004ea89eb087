/** What a person reads when a start fails for lack of room. */
import { expect, it } from 'vitest';
import { StartError, startErrorOf } from './start-error.ts';

it.each([
  'The database cannot be prepared: could not write init file: No space left on device',
  'PostgreSQL does not start: could not write lock file "postmaster.pid": No space left on device',
  "ENOSPC: no space left on device, mkdir '/data/upgrades'",
  'The data folder /data cannot be written: database or disk is full.',
  'EDQUOT: disk quota exceeded, write',
])('names a full disk and the way out: %s', (message) => {
  const error = startErrorOf(new Error(message));
  expect(error).toBeInstanceOf(StartError);
  expect((error as Error).message).toMatch(/^The storage is full: .* Make room, then start again\. \(/);
  expect((error as Error).message).toContain(message);
});

it('leaves other errors as they are', () => {
  const error = new StartError('Port 80 is taken by another program.');
  expect(startErrorOf(error)).toBe(error);
  expect(startErrorOf('text')).toBe('text');
});
