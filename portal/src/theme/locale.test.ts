import '../testing/browser.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const german = { language: 'de', timeZone: 'Asia/Tokyo', weekStart: 6, format: 'iso' } as const;
const none = { language: null, timeZone: null, weekStart: null, format: null } as const;

/** The modules of a page that loads with this stored choice and this language. */
async function page(stored: object | undefined, language = 'en') {
  vi.resetModules();
  document.documentElement.lang = language;
  if (stored) localStorage.setItem('cloudfit.locale', JSON.stringify(stored));
  return { locale: await import('./locale.ts'), times: await import('./times.ts') };
}

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  document.documentElement.lang = 'en';
  document.cookie = 'cloudfit-language=; max-age=0; path=/';
});

const at = '2026-11-28T20:05:09.000Z';

it('writes and reads times in the chosen zone and format', async () => {
  const { times } = await page(german);
  expect(times.exactTime(at)).toBe('05:05, Sun, 2026-11-29');
  expect(times.viewerZone()).toBe('Asia/Tokyo');
  expect(times.inputTime(at)).toBe('2026-11-29T05:05:09');
  expect(times.instantAt('2026-11-29T05:05:09').toISOString()).toBe(at);
  expect(times.instantAt('2026-11-29').toISOString()).toBe('2026-11-28T15:00:00.000Z');
  expect(times.zoneTime(at)).toBe('Sun, 11-29, 05:05 GMT+9');
  expect(times.daysText('2026-11-16', '2026-11-22')).toBe('2026-11-16 – 2026-11-22');
  expect(times.decimalText(1_234.5, 2)).toBe('1,234.5');
});

it('follows the language without another choice', async () => {
  const zone = { ...none, timeZone: 'Europe/Berlin' };
  const { times, locale } = await page(zone, 'de');
  expect(times.exactTime(at)).toMatch(/^21:05, \w+, 28\.11\.2026$/);
  expect(times.shortDay(at)).toBe('28. Nov');
  expect(times.daysText('2026-11-16', '2026-11-22')).toBe('16. Nov – 22. Nov 2026');
  expect(times.decimalText(-1_234_567.25, 1)).toMatch(/^-1\.234\.567,[23]$/);
  expect(locale.weekDays).toEqual([1, 2, 3, 4, 5, 6, 0]);
  const english = await page(zone, 'en');
  expect(english.times.exactTime(at)).toBe('9:05pm, Sat, 11/28/2026');
  expect(english.times.daysText('2026-11-30', '2026-12-06')).toBe('Nov 30 – Dec 6, 2026');
  expect(english.locale.weekDays[0]).toBe(0);
  expect((await page({ ...none, weekStart: 6 })).locale.weekDays[0]).toBe(6);
});

it('remembers a choice in storage and cookie, and loads the page again once', async () => {
  const reload = vi.fn<() => void>();
  const { locale } = await page(undefined);
  locale.adoptLocale(none, reload);
  expect(reload).not.toHaveBeenCalled();
  locale.adoptLocale(german, reload);
  expect(reload).toHaveBeenCalledTimes(1);
  expect(document.cookie).toContain('cloudfit-language=de');
  // The page came in English again, as where cookies are blocked.
  (await page(undefined)).locale.adoptLocale(german, reload);
  expect(reload).toHaveBeenCalledTimes(1);
  sessionStorage.clear();
  // The cookie is gone, and the browser asked for English.
  (await page(undefined)).locale.adoptLocale(german, reload);
  expect(reload).toHaveBeenCalledTimes(2);
  (await page(undefined, 'de')).locale.adoptLocale(none, reload);
  expect(reload).toHaveBeenCalledTimes(3);
  expect(document.cookie).not.toContain('cloudfit-language');
});
