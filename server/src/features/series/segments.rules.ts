/** Which parts of a range are read from pages, and which from packets. */
import { minuteMs, hourMs, dayMs } from '@cloudfit/contract/durations.ts';

/** The source of a part of a range: packets, or slots of a minute, ten minutes, an hour or a day. */
export type SeriesLevel = 'packets' | 'minutes' | 'tens' | 'hours' | 'days';

export interface SeriesSegment {
  level: SeriesLevel;
  from: number;
  to: number;
}

/** Returns the level with the longest slots that fit into buckets of this length. */
export function levelFor(step: number): SeriesLevel {
  if (step % dayMs === 0) return 'days';
  if (step % hourMs === 0) return 'hours';
  if (step % (10 * minuteMs) === 0) return 'tens';
  return step % minuteMs === 0 ? 'minutes' : 'packets';
}

/** Returns the segments of a range whose pages are complete. At the level of days, hours around whole days are read by hour. */
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
  /** Hours before this time have pages, unless they are due again; null when no hour has pages. */
  closedUntil: number | null;
  /** Hours of the entity whose pages are out of date, in order. */
  due: readonly number[];
}

/** Returns the segments of a part of an hour that has pages: whole minutes from pages, the rest from packets. */
function edgeOf(from: number, to: number): SeriesSegment[] {
  const [firstMinute, lastMinute] = [Math.ceil(from / minuteMs) * minuteMs, Math.floor(to / minuteMs) * minuteMs];
  if (firstMinute >= lastMinute) return [{ level: 'packets', from, to }];
  return [
    { level: 'packets', from, to: firstMinute },
    { level: 'minutes', from: firstMinute, to: lastMinute },
    { level: 'packets', from: lastMinute, to },
  ];
}

/**
 * Divides the range into segments, in order and without gaps. Parts of minutes, and hours that are not closed yet or out of
 * date, are read from packets.
 */
export function segmentsOf(
  { from, to, step }: { from: number; to: number; step: number },
  { closedUntil, due }: CompletePages,
): SeriesSegment[] {
  const level = levelFor(step);
  const end = Math.min(to, closedUntil ?? 0);
  if (level === 'packets' || from >= end) return [{ level: 'packets', from, to }];
  const outdatedHours = new Set(due);
  const [firstHour, lastHour] = [Math.ceil(from / hourMs) * hourMs, Math.floor(end / hourMs) * hourMs];
  const parts: SeriesSegment[] = [];
  const addEdge = (since: number, until: number): void => {
    if (outdatedHours.has(Math.floor(since / hourMs) * hourMs)) parts.push({ level: 'packets', from: since, to: until });
    else parts.push(...edgeOf(since, until));
  };
  if (firstHour > lastHour) addEdge(from, end);
  else {
    addEdge(from, firstHour);
    let reached = firstHour;
    for (const hour of outdatedHours) {
      if (hour < firstHour || hour >= lastHour) continue;
      parts.push(...pagesOf(level, reached, hour), { level: 'packets', from: hour, to: hour + hourMs });
      reached = hour + hourMs;
    }
    parts.push(...pagesOf(level, reached, lastHour));
    addEdge(lastHour, end);
  }
  parts.push({ level: 'packets', from: end, to });
  const segments: SeriesSegment[] = [];
  for (const part of parts) {
    const last = segments.at(-1);
    if (part.from >= part.to) continue;
    if (last?.level === part.level) last.to = part.to;
    else segments.push({ ...part });
  }
  return segments;
}
