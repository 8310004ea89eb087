/** A hop count is trusted only when this installation signed it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openHopCounts } from './hop-count.ts';
import { masterKeyOf } from '../auth/master-key.ts';

const key = () => randomBytes(32).toString('base64');
const tenantId = randomUUID();
const caller = (tenants: readonly string[] | 'all', secondsLater = 0) => ({
  tenants,
  now: () => new Date(Date.now() + secondsLater * 1_000),
});

it('is read by every server with the key, also after the key was replaced', () => {
  const [old, next] = [key(), key()];
  const header = openHopCounts(masterKeyOf([old])).header(5, tenantId);
  for (const keys of [[old], [next, old]]) {
    const counts = openHopCounts(masterKeyOf(keys));
    expect(counts.read(header, caller([tenantId]))).toBe(5);
    expect(counts.read(header, caller('all'))).toBe(5);
  }
  expect(openHopCounts(masterKeyOf([next])).read(header, caller([tenantId]))).toBe(0);
});

it('is nothing when somebody else wrote or changed it, for another tenant, or after an hour', () => {
  const counts = openHopCounts(masterKeyOf([key()]));
  const header = counts.header(5, tenantId);
  const [, seconds, , signature] = header.split('.');
  for (const forged of [
    undefined,
    '99',
    `99.${seconds}.${tenantId}.${signature}`,
    `5.${Number(seconds) + 1}.${tenantId}.${signature}`,
    `5.${seconds}.${randomUUID()}.${signature}`,
    `5.${seconds}.${tenantId}.${'A'.repeat(43)}`,
    `5.${seconds}.${tenantId}.`,
    [header, header],
  ])
    expect(counts.read(forged, caller('all'))).toBe(0);
  expect(counts.read(header, caller([randomUUID()]))).toBe(0);
  expect(counts.read(header, caller([tenantId], 3_500))).toBe(5);
  expect(counts.read(header, caller([tenantId], 3_700))).toBe(0);
});
