import { pageFormat } from './locale.ts';

/** An hour of the day in whatever zone: `2:00pm`, `14:00`. Apart from `times.ts`, because no first page needs it. */
export const hourText = (hour: number): string =>
  pageFormat === 'en-US' ? `${hour % 12 || 12}:00${hour < 12 ? 'am' : 'pm'}` : `${String(hour).padStart(2, '0')}:00`;
