/** Formats times and durations for reports. */
import type { Language } from '../messages/language.ts';
import { communicationsEn } from '../messages/communications.en.ts';

const t = communicationsEn.report;

/** Formats a time as `D/MMM/YYYY HH:mm z` (SHELL-083), in other languages as it is usual there; null for null. */
export function reportTime(value: string | null, timeZone: string, language: Language = 'en'): string | null {
  if (value === null) return null;
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-US' : language, {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  if (language !== 'en') return format.format(new Date(value));
  const parts = Object.fromEntries(format.formatToParts(new Date(value)).map((part) => [part.type, part.value]));
  return `${parts['day']}/${parts['month']}/${parts['year']} ${parts['hour']}:${parts['minute']} ${parts['timeZoneName']}`;
}

/** Formats the duration between two times; null when one is null or `until` is earlier than `from`. */
export function reportSpan(from: string | null, until: string | null): string | null {
  if (from === null || until === null) return null;
  const minutes = Math.round((Date.parse(until) - Date.parse(from)) / 60_000);
  if (minutes < 0) return null;
  if (minutes < 60) return t.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? t.hours(hours, minutes % 60) : t.days(Math.floor(hours / 24), hours % 24);
}
