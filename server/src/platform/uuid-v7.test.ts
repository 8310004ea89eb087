import { expect, it } from 'vitest';
import { timeOfUuidV7, uuidV7 } from './uuid-v7.ts';

it('makes ids of version 7 that differ, and tells the time of each', () => {
  const times = [1_796_011_566_081, 1_796_011_566_081, 0, 1_796_011_566_080, 2 ** 48 - 1];
  // More ids than the random bytes of one draw suffice for.
  const ids = Array.from({ length: 3_000 }, (_, i) => ({ at: times[i % times.length] ?? 0, id: uuidV7(times[i % times.length]) }));
  expect(new Set(ids.map(({ id }) => id.slice(14))).size).toBe(3_000);
  for (const { at, id } of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfUuidV7(id)).toBe(at);
  }
});

it('tells no time of an id of another version', () => {
  const id = uuidV7(1_796_011_566_081);
  expect(timeOfUuidV7(id)).toBe(1_796_011_566_081);
  expect(timeOfUuidV7(`${id.slice(0, 14)}4${id.slice(15)}`)).toBeUndefined();
  expect(timeOfUuidV7(id.slice(1))).toBeUndefined();
});
