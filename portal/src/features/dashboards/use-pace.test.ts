/** When a wall reads again, by a clock of the test. */
import '../../testing/browser.ts';
import { act, renderHook } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { usePace } from './use-pace.ts';

let isLive = true;
let change: (event: { entity: string }) => void;
vi.mock('../../api/live.ts', () => ({
  useLive: () => isLive,
  followLive: (follow: typeof change) => {
    change = follow;
    return () => (change = () => undefined);
  },
}));

const start = Date.parse('2026-11-29T12:00:00Z');
beforeEach(() => vi.useFakeTimers({ now: start }));
afterEach(() => {
  isLive = true;
  vi.useRealTimers();
});

/** A wall of work units whose first reading has just ended. Returns the seconds at which it read again. */
function wall() {
  const seconds: number[] = [];
  const { unmount, rerender } = renderHook(() => {
    const [endedAt, setEndedAt] = useState(start);
    const read = () => {
      seconds.push(Math.round((Date.now() - start) / 1_000));
      setEndedAt(Date.now());
    };
    usePace({ read, endedAt, entities: ['workUnits', 'packets'] });
  });
  return { seconds, unmount, rerender };
}
/** In steps, between which React renders. */
function pass(ms: number) {
  for (let at = 0; at < ms; at += 1_000) {
    act(() => {
      vi.advanceTimersByTime(1_000);
    });
  }
}
/** A change each second, for so many seconds. */
function busy(entity: string, seconds: number) {
  for (let n = 0; n < seconds; n += 1) {
    act(() => change({ entity }));
    pass(1_000);
  }
}

it('reads at once when what it shows changes, and not for anything else', () => {
  const { seconds, unmount } = wall();
  pass(10_000);
  busy('people', 3);
  expect(seconds).toEqual([]);
  busy('workUnits', 1);
  expect(seconds).toEqual([14]);
  unmount();
  pass(120_000);
  expect(seconds).toHaveLength(1);
});

it('reads no more than four times a minute, whatever changes', () => {
  const { seconds } = wall();
  busy('workUnits', 180);
  for (const at of seconds) expect(seconds.filter((other) => other >= at && other < at + 60).length).toBeLessThanOrEqual(4);
  expect(seconds.length).toBeGreaterThanOrEqual(8);
});

it('leaves readings for units while packets come all the time', () => {
  const { seconds } = wall();
  busy('packets', 70);
  expect(seconds).toEqual([20, 40, 60]);
  act(() => change({ entity: 'workUnits' }));
  pass(1_000);
  expect(seconds.at(-1)).toBe(71);
});

it('reads at once when changes stop to arrive, by which a lost server is seen, and when they arrive again', () => {
  const { seconds, rerender } = wall();
  pass(5_000);
  isLive = false;
  rerender();
  pass(2_000);
  expect(seconds).toEqual([6]);
  isLive = true;
  rerender();
  pass(2_000);
  expect(seconds).toEqual([6, 8]);
});

it('reads seldom while nothing changes, and as often as before while changes do not arrive', () => {
  const quiet = wall();
  pass(120_000);
  expect(quiet.seconds).toEqual([30, 60, 90, 120]);
  quiet.unmount();
  isLive = false;
  vi.setSystemTime(start);
  const cut = wall();
  pass(60_000);
  expect(cut.seconds).toEqual([15, 30, 45, 60]);
});
