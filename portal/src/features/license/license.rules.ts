/** When the licence banner shows, how, and what it says (LIC-010..016). */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { license } from '@cloudfit/contract/messages/license.en.ts';

const shownFromDays = 45;
const errorBelowDays = 10;

/** Remaining days, rounded up; 0 after the end. */
export function daysLeft(expiration: string, now: number): number {
  return Math.max(0, Math.ceil((new Date(expiration).getTime() - now) / dayMs));
}

export function isExpired(expiration: string, now: number): boolean {
  return new Date(expiration).getTime() <= now;
}

export function licenseBanner(expiration: string | null | undefined, now: number): { severity: 'error' | 'warning'; text: string } | null {
  if (!expiration) return null;
  if (isExpired(expiration, now)) return { severity: 'error', text: license.expired };
  const days = daysLeft(expiration, now);
  if (days > shownFromDays) return null;
  // By the time itself: 9.5 days are fewer than ten, although the text rounds them up.
  const isNear = new Date(expiration).getTime() - now < errorBelowDays * dayMs;
  return { severity: isNear ? 'error' : 'warning', text: license.expiresIn(days) };
}
