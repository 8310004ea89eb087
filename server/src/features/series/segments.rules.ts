/** Which parts of a range are read from pages, and which from packets. */

/** From where a part of a range is read: packets, or slots of a minute, ten minutes, an hour or a day. */
export type SeriesLevel = 'packets' | 'minutes' | 'tens' | 'hours' | 'days';

export interface SeriesSegment {
  level: SeriesLevel;
  from: number;
  to: number;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The longest slots that fit into buckets of this length. */
export function levelFor(step: number): SeriesLevel {
  if (step % dayMs === 0) return 'days';
  if (step % hourMs === 0) return 'hours';
  if (step % (10 * minuteMs) === 0) return 'tens';
  return step % minuteMs === 0 ? 'minutes' : 'packets';
}

/** A time whose pages are complete: whole days of it by day, the hours around them by hour. */
function pagesOf(level: SeriesLevel, from: number, to: number): SeriesSegment[] {
  if (level !== 'days') return [{ level, from, to }];
  const [firstDay, lastDay] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs];
  if (firstDay >= lastDay) return [{ level: 'hours', from, to }];
  return [
    { level: 'hours', from, to: firstDay },
    { level: 'days', from: firstDay, to: lastDay },
    { level: 'hours', from: lastDay, to },
  ];
}

interface CompletePages {
  /** Hours before it have pages, unless they are due; null: none has. */
  closedUntil: number | null;
  /** Hours of the entity whose pages are out of date, in order. */
  due: readonly number[];
}

/** Parts of the range, in order and without gaps. What is no whole hour, not closed yet or out of date is read from packets. */
export function segmentsOf(
  { from, to, step }: { from: number; to: number; step: number },
  { closedUntil, due }: CompletePages,
): SeriesSegment[] {
  const level = levelFor(step);
  const [firstHour, lastHour] = [Math.ceil(from / hourMs) * hourMs, Math.min(Math.floor(to / hourMs) * hourMs, closedUntil ?? 0)];
  if (level === 'packets' || firstHour >= lastHour) return [{ level: 'packets', from, to }];
  const parts: SeriesSegment[] = [{ level: 'packets', from, to: firstHour }];
  let reached = firstHour;
  for (const hour of new Set(due)) {
    if (hour < firstHour || hour >= lastHour) continue;
    parts.push(...pagesOf(level, reached, hour), { level: 'packets', from: hour, to: hour + hourMs });
    reached = hour + hourMs;
  }
  parts.push(...pagesOf(level, reached, lastHour), { level: 'packets', from: lastHour, to });
  const segments: SeriesSegment[] = [];
  for (const part of parts) {
    const last = segments.at(-1);
    if (part.from >= part.to) continue;
    if (last?.level === part.level) last.to = part.to;
    else segments.push({ ...part });
  }
  return segments;
}
