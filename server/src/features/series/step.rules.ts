/**
 * The length of buckets: one of a fixed list, or 100 days doubled, so that similar calls have the same buckets.
 */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Each step below a day divides the next longer unit. From ten minutes on, each is a multiple of ten minutes, so that slots of
 * pages fit into buckets.
 */
const steps = [
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((n) => n * second),
  ...[1, 2, 3, 4, 5, 6, 10, 20, 30].map((n) => n * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((n) => n * hour),
  ...[1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100].map((n) => n * day),
];

/** Returns the number of buckets of this length that a range touches. */
export function bucketsIn(from: number, to: number, step: number): number {
  return Math.ceil(to / step) - Math.floor(from / step);
}

/** The numbers of days for which packets, and pages by minute and hour, are stored. */
export interface SeriesRetention {
  packetDays: number;
  minuteDays: number;
  hourDays: number;
}

/** Returns the shortest step for data of this age: older data is stored only by minute, hour or day. */
export function shortestStep(ageMs: number, { packetDays, minuteDays, hourDays }: SeriesRetention): number {
  if (ageMs > hourDays * day) return day;
  if (ageMs > minuteDays * day) return hour;
  return ageMs > packetDays * day ? minute : second;
}

/** Returns the shortest step, from `shortest` on, with which at most `points` buckets cover the range. */
export function stepFor({ from, to, points, shortest }: { from: number; to: number; points: number; shortest: number }): number {
  const enough = steps.find((step) => step >= shortest && bucketsIn(from, to, step) <= points);
  if (enough !== undefined) return enough;
  let step = 100 * day;
  while (bucketsIn(from, to, step) > points) step *= 2;
  return step;
}
