import { beforeEach, describe, expect, it } from 'vitest';
import { createClock, systemTime, type Clock, type TimeSource } from './clock.ts';

const start = Date.parse('2026-11-28T10:00:00Z');
const minute = 60_000;
let wallMs: number;
let elapsedMs: number;
let changes: number[];

const machine = (epoch = 'boot 1'): TimeSource => ({ wallMs: () => wallMs, elapsedMs: () => elapsedMs, epoch });
const newClock = (epoch?: string): Clock => createClock((offsetMs) => changes.push(Math.floor(offsetMs / 1_000)), machine(epoch));

beforeEach(() => {
  [wallMs, elapsedMs, changes] = [start, 500_000, []];
});

function passes(ms: number): void {
  wallMs += ms;
  elapsedMs += ms;
}
/** Somebody sets the clock of the machine. */
const set = (byMs: number): void => void (wallMs += byMs);
const answer = (clock: Clock, serverMs: number): void => clock.noteAnswer(new Date(serverMs).toUTCString());
/** Whole seconds after the start of the test; an answer is taken for half a second old. */
const secondsOf = (time: string | Date): number => Math.floor((new Date(time).getTime() - start) / 1_000);

describe('an answer that was slow or read late', () => {
  const late = (clock: Clock, dateMs: number, tookMs: number): void => clock.noteAnswer(new Date(dateMs).toUTCString(), tookMs);

  it('shows a difference only where its time is neither that of its call nor that of its arrival', () => {
    const clock = newClock();
    late(clock, start - 20_000, 21_000);
    late(clock, start - 5_000, 100);
    expect(changes).toEqual([]);
    late(clock, start - 40_000, 21_000);
    expect(changes).toEqual([-40]);
    // A clock that is behind is no matter of how long the call took.
    late(clock, start + 20_000, 60_000);
    expect(changes).toEqual([-40, 20]);
  });
});

describe('a time that was stored before the server was known', () => {
  it('is the true one if the clock was right and is set wrong before it is sent', () => {
    const clock = newClock();
    const stamp = clock.stamp();
    passes(5 * minute);
    set(37 * minute);
    answer(clock, start + 5 * minute);
    expect(secondsOf(clock.timeOf(stamp))).toBe(0);
    expect(secondsOf(clock.now())).toBe(300);
  });

  it('is corrected if the clock was wrong, whether or not it is set right before it is sent', () => {
    for (const isSet of [false, true]) {
      const clock = newClock();
      [wallMs, elapsedMs] = [start - 37 * minute, 500_000];
      const stamp = clock.stamp();
      passes(5 * minute);
      if (isSet) set(37 * minute);
      answer(clock, start + 5 * minute);
      expect(Math.abs(secondsOf(clock.timeOf(stamp)))).toBeLessThanOrEqual(1);
    }
  });

  it('is corrected by another process of the agent after the same start of the machine, not after another', () => {
    wallMs = start - 37 * minute;
    const stamp = newClock().stamp();
    passes(minute);
    const restarted = newClock();
    answer(restarted, start + minute);
    expect(Math.abs(secondsOf(restarted.timeOf(stamp)))).toBeLessThanOrEqual(1);
    const rebooted = newClock('boot 2');
    answer(rebooted, start + minute);
    expect(rebooted.timeOf(stamp)).toBe(stamp.timestamp);
    // An uptime that began again cannot be of the same start.
    elapsedMs = 1_000;
    expect(restarted.timeOf(stamp)).toBe(stamp.timestamp);
  });

  it('stays as it is while the server is not known, and when it differs by less than its answer tells', () => {
    const clock = newClock();
    const stamp = clock.stamp();
    passes(minute);
    expect(clock.timeOf(stamp)).toBe(stamp.timestamp);
    answer(clock, start + minute + 2_000);
    expect(clock.timeOf(stamp)).toBe(stamp.timestamp);
    expect(clock.timeOf({ timestamp: stamp.timestamp, isCorrected: false })).toBe(stamp.timestamp);
  });
});

it('the time is that of the server although the clock is set while the server is away', () => {
  const clock = newClock();
  answer(clock, start);
  passes(minute);
  set(-37 * minute);
  expect(secondsOf(clock.now())).toBe(60);
  const stamp = clock.stamp();
  expect([secondsOf(stamp.timestamp), stamp.isCorrected]).toEqual([60, true]);
  passes(minute);
  set(90 * minute);
  answer(clock, start + 2 * minute);
  expect(secondsOf(clock.now())).toBe(120);
  expect(clock.timeOf(stamp)).toBe(stamp.timestamp);
  expect(changes).toEqual([-53 * 60]);
});

it('the time of this machine passes as its clock does, in one epoch for all processes where the system tells', () => {
  const [one, other] = [systemTime(), systemTime()];
  expect(one.elapsedMs()).toBeGreaterThan(0);
  expect(one.epoch === other.epoch).toBe(process.platform === 'linux');
});
