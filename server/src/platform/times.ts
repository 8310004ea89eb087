/** Writes times in pages and messages, by what their reader chose; the counterpart of the portal's `theme/times.ts`. */
import type { LocaleFormat } from '@cloudfit/contract/messages/language.ts';
import type { TextReader } from './language.ts';

/** The language of `Intl` that writes as the format says; the Swedish one writes as ISO 8601 does. */
const languageOfFormat: Readonly<Record<LocaleFormat, string>> = { 'en-US': 'en-US', 'en-GB': 'en-GB', 'de-DE': 'de-DE', iso: 'sv-SE' };

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor({ language, format, timeZone }: TextReader, parts: 'moment' | 'clock' | 'day'): Intl.DateTimeFormat {
  const tag = languageOfFormat[format ?? (language === 'de' ? 'de-DE' : 'iso')];
  const key = `${tag} ${timeZone} ${parts}`;
  const existing = formatters.get(key);
  if (existing) return existing;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  const created = new Intl.DateTimeFormat(tag, {
    ...(parts === 'clock' ? {} : day),
    ...(parts === 'day' ? {} : clock),
    timeZone: timeZone ?? 'UTC',
  });
  formatters.set(key, created);
  return created;
}

// Some languages put a narrow space before AM and PM, which SMS would count as a character of another alphabet.
const written = (reader: TextReader, parts: 'moment' | 'clock' | 'day', at: string | number | Date): string =>
  formatterFor(reader, parts)
    .format(new Date(at))
    .replaceAll(/[\u00a0\u202f]/g, ' ');

/** A time with its zone: `2026-11-28 13:30 UTC`, `28.11.2026, 14:30 MEZ`. */
export const momentText = (reader: TextReader, at: string | number | Date): string => written(reader, 'moment', at);

/** A time of day with its zone: `13:30 UTC`. */
export const clockText = (reader: TextReader, at: string | number | Date): string => written(reader, 'clock', at);

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long ago a time was, in whole days, hours or minutes: `3 hours ago`, `vor 3 Stunden`. */
export function agoText({ language }: TextReader, at: string, now: number): string {
  const passed = Math.max(0, now - Date.parse(at));
  const [unit, length] = steps.find(([, atLeast]) => passed >= atLeast) ?? steps[2];
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(passed / length), unit);
}

/** A day: `2026-11-28`. */
export const dayText = (reader: TextReader, at: string | number | Date): string => written(reader, 'day', at);

/** A number with separators: `1,234.5` or `1.234,5`. */
export function numberText({ language, format }: TextReader, value: number): string {
  const chosen = format === null || format === 'iso' ? (language === 'de' ? 'de-DE' : 'en-US') : format;
  return value.toLocaleString(chosen, { maximumFractionDigits: 1 });
}
