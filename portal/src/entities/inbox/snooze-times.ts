/** When something that is snoozed comes back. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { dayAt, instantAt, wallClock } from '../../theme/times.ts';

/** At this hour of the morning. */
const morning = 8;

function morningAfter(now: Date, days: number): Date {
  const day = new Date(Date.parse(dayAt(now)) + days * 24 * hourMs).toISOString().slice(0, 10);
  return instantAt(`${day}T0${morning}:00`);
}

/** The times until which an item or a work unit may be snoozed, in the person's time zone. */
export function snoozeTimes(now: Date): { id: 'hour' | 'afternoon' | 'tomorrow' | 'monday'; until: Date }[] {
  const inHours = (hours: number) => new Date(now.getTime() + hours * hourMs);
  // Days until the next Monday: 7 on a Monday.
  const toMonday = (8 - wallClock(now).getUTCDay()) % 7 || 7;
  return [
    { id: 'hour', until: inHours(1) },
    { id: 'afternoon', until: inHours(4) },
    { id: 'tomorrow', until: morningAfter(now, 1) },
    { id: 'monday', until: morningAfter(now, toMonday) },
  ];
}
