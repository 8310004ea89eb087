/** Which offsets of a sender's clock are steady, and at which times its packets are evaluated. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctedTime, noteReceipt, type SenderClock } from './sender-clock.ts';

const start = 1_780_000_000_000;

/** Receives one packet after the other, given with the seconds of its receipt and of its time; returns what is known after each. */
function after(
  packets: readonly (readonly [receivedSeconds: number, seconds: number])[],
  clock?: SenderClock,
): (SenderClock | undefined)[] {
  return packets.map(([received, sent]) => (clock = noteReceipt(clock, start + received * 1_000, start + sent * 1_000)));
}
const offsets = (clocks: readonly (SenderClock | undefined)[]) => clocks.map((clock) => (clock?.offset ?? 0) / 1_000);
const every = (seconds: number, count: number, offset: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => [i * seconds, i * seconds - offset(i)] as const);

describe('a steady offset', () => {
  it('is known from the third receipt on, behind or ahead', () => {
    expect(offsets(after(every(10, 4, () => 360)))).toEqual([0, 0, 360, 360]);
    expect(offsets(after(every(10, 4, () => -240)))).toEqual([0, 0, -240, -240]);
    expect(offsets(after(every(60, 4, (i) => 300 + (i % 2) * 30)))).toEqual([0, 0, 300, 300]);
  });

  it('costs nothing while a clock is right, or as wrong as it is known to be', () => {
    expect(after(every(10, 4, (i) => i))).toEqual([undefined, undefined, undefined, undefined]);
    const clockBefore = { offset: 360_000 };
    for (const clock of after(
      every(10, 4, (i) => 358 + i),
      clockBefore,
    ))
      expect(clock).toBe(clockBefore);
  });

  it('is unlearnt when the clock is set, and follows a clock that drifts or jumps', () => {
    const clockBefore = { offset: 360_000 };
    expect(
      after(
        every(10, 3, () => 0),
        clockBefore,
      ).at(-1),
    ).toBeUndefined();
    expect(
      offsets(
        after(
          every(10, 4, () => 720),
          clockBefore,
        ),
      ),
    ).toEqual([360, 360, 720, 720]);
    expect(
      offsets(
        after(
          every(600, 60, (i) => 360 + i * 4),
          clockBefore,
        ),
      ).at(-1),
    ).toBeGreaterThan(480);
  });

  it('is not that of one packet among others', () => {
    const clocks = after([...every(10, 3, () => 0), [30, -300], ...every(10, 3, () => 0).map(([a, b]) => [a + 40, b + 40] as const)]);
    expect(clocks.map((clock) => clock?.offset)).toEqual(clocks.map(() => undefined));
    expect(clocks.at(-1)).toBeUndefined();
  });
});

describe('a buffer', () => {
  const buffer = fc.record({
    ageSeconds: fc.integer({ min: 60, max: 6 * 3_600 }),
    pace: fc.double({ min: 2, max: 10_000, noNaN: true }),
    betweenMs: fc.constantFrom(5, 200, 1_000, 1_500, 10_000),
    clockBefore: fc.constantFrom(undefined, { offset: 360_000 }, { offset: -240_000 }),
  });

  it('that is sent at twice the speed or more is never taken for a clock', () => {
    fc.assert(
      fc.property(buffer, ({ ageSeconds, pace, betweenMs, clockBefore }) => {
        let clock: SenderClock | undefined = clockBefore;
        const offset = clockBefore?.offset ?? 0;
        for (let i = 0; i < 200; i += 1) {
          const received = start + i * betweenMs;
          const sent = start - ageSeconds * 1_000 + i * betweenMs * pace;
          if (sent > received) break;
          clock = noteReceipt(clock, received, sent - offset);
          expect(clock?.offset).toBe(clockBefore?.offset);
        }
      }),
    );
  });

  it('of packets of one moment is never taken for a clock', () => {
    for (const between of [0.1, 1, 5, 60])
      expect(offsets(after(Array.from({ length: 20 }, (_, i) => [i * between, -600] as const))).at(-1)).toBe(0);
  });
});

describe('a packet', () => {
  it('is evaluated at its own time, or its receipt when it is from the future', () => {
    for (const ahead of [-10 * minuteMs, 0, 5_000]) expect(correctedTime(undefined, start + ahead, start)).toBe(start + ahead);
    expect(correctedTime(undefined, start + 5_001, start)).toBe(start);
  });

  it('of a steady sender is evaluated at the corrected time, never after its receipt', () => {
    expect(correctedTime({ offset: 360_000 }, start - 370_000, start)).toBe(start - 10_000);
    expect(correctedTime({ offset: 360_000 }, start - 350_000, start)).toBe(start);
    expect(correctedTime({ offset: -240_000 }, start + 240_000 - 600_000, start)).toBe(start - 600_000);
  });
});
