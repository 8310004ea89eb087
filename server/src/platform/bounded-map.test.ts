import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

describe('a bounded map', () => {
  it('never holds more than its size, changes what it holds, and tells what it dropped', () => {
    const dropped: [number, string][] = [];
    const map = new BoundedMap<number, string>(3, (...entry) => dropped.push(entry));
    for (let key = 0; key < 11; key++) map.set(key, `v${key}`);
    expect(map.size).toBe(3);
    expect(dropped).toEqual([[0, 'v0']]);
    expect([map.get(0), map.get(1), map.get(10)]).toEqual([undefined, 'v1', 'v10']);
    expect(map.set(1, 'new')).toBe(true);
    expect([map.get(1), map.size]).toEqual(['new', 3]);
    expect([map.delete(1), map.delete(1), map.size]).toEqual([true, false, 2]);
    expect(map.set(20, 'room')).toBe(true);
    map.clear();
    expect([map.size, map.get(20)]).toEqual([0, undefined]);
  });

  it('answers most keys that come in turn and are a few more than fit', () => {
    const map = new BoundedMap<number, number>(500);
    let [hits, looks] = [0, 0];
    for (let round = 0; round < 40; round++)
      for (let key = 0; key < 600; key++) {
        if (round >= 10) looks += 1;
        if (map.get(key) !== undefined && round >= 10) hits += 1;
        map.set(key, key);
      }
    expect(hits / looks).toBeGreaterThan(0.6);
  });
});
