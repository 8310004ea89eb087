/** Relative times such as `18 min ago`, with the exact time on hover; one clock updates all of them. */
import { useSyncExternalStore } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';

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

const two = (n: number) => String(n).padStart(2, '0');

/**
 * A time as `h:mma, ddd, M/D/YYYY` in the viewer's time zone (SHELL-082). Without Intl, whose formatter costs tens of
 * milliseconds on the first page.
 */
export function exactTime(value: string): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  const hours = date.getHours();
  const clock = `${hours % 12 || 12}:${two(date.getMinutes())}${hours < 12 ? 'am' : 'pm'}`;
  return `${clock}, ${en.time.weekdays[date.getDay()]}, ${date.getMonth() + 1}/${date.getDate()}/${date.getFullYear()}`;
}

/** A time with seconds in the viewer's time zone: `14:12:30` today, `Nov 3 14:12:30` this year, otherwise with the year. */
export function clockTime(value: string): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return value;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const today = new Date();
  if (date.toDateString() === today.toDateString()) return clock;
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${en.time.monthNames[date.getMonth()]} ${date.getDate()}${year} ${clock}`;
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

/** A time as the value of a `datetime-local` input, in the viewer's time zone. */
export function localText(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
