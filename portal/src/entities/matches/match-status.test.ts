import { expect, it } from 'vitest';
import { matchStatus } from './match-status.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');

it('[MATCH-011] a match is active while its expiry is in the future', () => {
  expect(matchStatus({ expires: '2026-11-21T10:00:00.001Z' }, now)).toBe('Active');
});
it('[MATCH-012] a match is inactive when its expiry is not in the future', () => {
  expect(matchStatus({ expires: '2026-11-21T10:00:00.000Z' }, now)).toBe('Inactive');
  expect(matchStatus({ expires: '2026-11-20T10:00:00.000Z' }, now)).toBe('Inactive');
});
