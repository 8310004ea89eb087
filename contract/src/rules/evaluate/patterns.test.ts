import { describe, expect, it } from 'vitest';
import { digest, patternOf, type PatternMemory } from './patterns.ts';
import type { OccurrencePattern } from '../schema.ts';

/** Returns the memory of a pattern after each observation: a time, and whether the operator held. */
function memories(pattern: OccurrencePattern, ...observations: [at: number, holds: boolean][]): PatternMemory[] {
  const compiled = patternOf(pattern);
  let memory: PatternMemory;
  return observations.map(([at, holds]) => (memory = compiled?.advance(memory, holds, undefined, at)));
}

describe('what patterns remember', () => {
  it('in a row: a count that stops at its goal', () => {
    const three: OccurrencePattern = { Kind: 'TimesInRow', Times: 3 };
    expect(memories(three, [1, true], [2, true], [3, true], [4, true], [5, false])).toEqual([1, 2, 3, 3, undefined]);
  });

  it('within a period: the latest hits, no more than count', () => {
    const twice: OccurrencePattern = { Kind: 'TimesWithin', Times: 2, Seconds: 1 };
    expect(memories(twice, [0, true], [500, true], [1_000, true], [2_001, true])).toEqual([[0], [0, 500], [500, 1_000], [2_001]]);
    expect(memories(twice, [0, true], [1_000, false], [1_001, false])).toEqual([[0], [0], undefined]);
    expect(memories(twice, [0, true], [0, true], [0, true])).toEqual([[0], [0, 0], [0, 0]]);
  });

  it('of a changed value: its text without case, or the digest of a long one', () => {
    const changed = patternOf({ Kind: 'Changed' });
    const memoryOf = (value: string | number | boolean | null | undefined) => changed?.advance(undefined, true, value, 0);
    expect([undefined, null, '', 5, true, 'OK'].map(memoryOf)).toEqual(['', '', '', '5', 'true', 'ok']);
    expect(memoryOf('X'.repeat(40))).toBe('x'.repeat(40));
    expect(memoryOf('X'.repeat(41))).toBe(`#${digest('x'.repeat(41))}`);
  });
});

describe('the digest of a condition', () => {
  it('never changes, for memory is stored under it', () => {
    expect([digest(''), digest('Cpu > 90')]).toEqual(['ztntfp.0', '1vrtn1w.8']);
  });
});
