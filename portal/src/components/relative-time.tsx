/** Relative times such as `18 min ago`, with the exact time on hover; one clock updates all of them. */
import { useSyncExternalStore } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { nowMs } from '../theme/now.ts';
import { exactTime } from '../theme/times.ts';

const listeners = new Set<() => void>();
let now = nowMs();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void) {
  listeners.add(listener);
  // The clock does not tick while no component shows a time.
  if (!timer) now = nowMs();
  timer ??= setInterval(() => {
    if (document.hidden) return;
    now = nowMs();
    for (const each of listeners) each();
  }, 5_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the present time in epoch milliseconds; updates every five seconds while the page is visible. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** A duration in its largest unit: `18 min`, `3 h`, `2 d`. */
export function span(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1_000);
  const t = en.time;
  if (seconds < 5) return t.now;
  if (seconds < 60) return t.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t.hours(hours);
  const days = Math.floor(hours / 24);
  if (days < 60) return t.days(days);
  return days < 730 ? t.months(Math.floor(days / 30)) : t.years(Math.floor(days / 365));
}

/**
 * How long something lasts or has left, in two units: `3 h 59 min`, `12 min`, `0 s`; seconds below ten minutes alone. With `isWhole`
 * nothing is left out, as of a term that somebody has set.
 */
export function lasting(milliseconds: number, isWhole = false): string {
  const t = en.time;
  const units = [
    [86_400, t.days],
    [3_600, t.hours],
    [60, t.minutes],
    [1, t.seconds],
  ] as const;
  let rest = Math.round(Math.abs(milliseconds) / 1_000);
  if (!isWhole && rest >= 600) rest -= rest % (rest < 86_400 ? 60 : 3_600);
  const parts = units.flatMap(([length, words]) => {
    const n = Math.floor(rest / length);
    rest %= length;
    return n > 0 ? [words(n)] : [];
  });
  return parts.join(' ') || t.seconds(0);
}

function wordsNow(value: string, plain: boolean): string {
  const difference = now - new Date(value).getTime();
  const text = span(difference);
  if (plain) return text;
  return difference >= 0 || text === en.time.now ? en.time.ago(text) : en.time.ahead(text);
}

/** A time relative to now: `3 h ago` or `in 3 h`; with `plain` the bare span, `3 h`, for columns. */
export function RelativeTime({ value, plain = false }: { value: string | null | undefined; plain?: boolean }) {
  // Re-renders only when its text changes, not at each tick of the clock: a list of 500 rows shows a thousand times.
  const words = useSyncExternalStore(subscribe, () => (value ? wordsNow(value, plain) : ''));
  if (!value) return <span className="faint">{en.common.none}</span>;
  return (
    <time className="num" dateTime={value} title={exactTime(value)}>
      {words}
    </time>
  );
}
