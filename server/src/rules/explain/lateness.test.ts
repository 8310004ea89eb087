import { describe, expect, it } from 'vitest';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { englishWords } from '../../platform/rule-words.ts';
import type { PastPacket } from '../past/past-packets.ts';
import { packetAt, ruleOf, web } from '../testing/hits.ts';
import { judge, type JudgedPacket } from './judge-rules.ts';
import { isTooLate, latenesses, latenessText } from './lateness.ts';

const start = 1_780_000_000_000;
const past = (at: number, received: number): PastPacket => ({
  entityId: web.id,
  packetId: uuidV7(start + received),
  timestamp: start + at,
  received: start + received,
  message: {},
});

describe('a packet that arrived after newer ones', () => {
  it('is late by the newest one that was received before it', () => {
    const packets = [past(1_000, 9_000), past(4_000, 4_001), past(5_000, 5_001), past(9_500, 9_501)];
    expect([...latenesses(packets).values()]).toEqual([4_000]);
    expect([isTooLate(10_000, {}), isTooLate(10_001, {}), isTooLate(2_001, { graceMs: 2_000 })]).toEqual([false, true, true]);
  });

  it('says whether it was evaluated in its place, or by how much it came too late', () => {
    const newer = { timestamp: new Date(start + 6_500).toISOString() };
    const text = (graceMs: number | undefined, isTaken: boolean) =>
      latenessText({ timestamp: start }, newer, graceMs === undefined ? {} : { graceMs }, isTaken, englishWords);
    expect(text(undefined, true)).toBe('It arrived after a packet that is 6.5 s newer, and was evaluated in its place.');
    expect(text(5_000, false)).toBe('It arrived after a packet that is 6.5 s newer: too late by 1.5 s for the rule, whose grace is 5 s.');
    expect(text(undefined, false)).toContain('was only stored');
  });

  it('is judged by the grace of each rule', () => {
    const packet = packetAt(start, 95);
    const around: JudgedPacket = {
      event: { entity: web, packet },
      tick: undefined,
      memoryOf: () => undefined,
      isStale: false,
      newer: { timestamp: new Date(start + 6_500).toISOString() },
      recordOf: () => undefined,
      matchOf: () => undefined,
    };
    const judged = (graceMs: number, more: Partial<JudgedPacket> = {}) =>
      judge(compileRule(ruleOf({ graceMs })), { ...around, ...more }, englishWords);
    expect(judged(7_000)).toMatchObject({ outcome: 'hit' });
    expect(judged(5_000)).toMatchObject({ outcome: 'stale', reasons: [expect.stringContaining('too late by 1.5 s')] });
    expect(judged(7_000, { isStale: true })).toMatchObject({ outcome: 'stale', reasons: [expect.stringContaining('only stored')] });
    expect(judged(5_000, { sent: { timestamp: start + 5_000 } })).toMatchObject({ outcome: 'hit' });
  });
});
