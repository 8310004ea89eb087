/** Relative times such as `18 min ago`, with the exact time on hover; one clock updates all of them. */
import { useSyncExternalStore } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { exactTime } from '../theme/times.ts';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void) {
  listeners.add(listener);
  // The clock does not tick while no component shows a time.
  if (!timer) now = Date.now();
  timer ??= setInterval(() => {
    if (document.hidden) return;
    now = Date.now();
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
