/**
 * The states of the components of a status page: the present one, and the worst one of each of the last days. What a page
 * showed stays: an end or a correction counts from its own time on.
 */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { openStates } from '@cloudfit/contract/enums.ts';

export const shownDays = 90;

/** The levels, from good to bad. */
export type ServiceLevel = 'Operational' | 'Maintenance' | 'Degraded' | 'Outage';

/** A time in which something was wrong with a component; in epoch milliseconds. */
export interface Span {
  level: 'Degraded' | 'Outage';
  from: number;
  /** The end of the span; null while it lasts. */
  to: number | null;
}

/** A work unit as it is, and the recorded changes of its severity and state, in order. */
export interface UnitRecord {
  severity: string;
  state: string;
  created: number;
  /** When it was resolved or last changed, if it is not open. */
  ended: number | null;
  changes: readonly { field: 'severityId' | 'stateId'; before: string | null; after: string | null; at: number }[];
}

const levelOfSeverity: Readonly<Record<string, Span['level']>> = { Sev0: 'Outage', Sev1: 'Outage', Sev2: 'Degraded' };
const isOpen = (state: string): boolean => openStates.some((candidate) => candidate === state);

/** Returns the times in which the unit, while it was open, had a severity that counts. */
export function spansOfUnit({ created, ended, changes, ...last }: UnitRecord): Span[] {
  const firstOf = (field: 'severityId' | 'stateId') => changes.find((change) => change.field === field)?.before;
  let severity = firstOf('severityId') ?? last.severity;
  // A unit whose end was not recorded was open until then.
  let state = firstOf('stateId') ?? (isOpen(last.state) ? last.state : 'New');
  let from = created;
  const spans: Span[] = [];
  const close = (to: number | null) => {
    const level = isOpen(state) ? levelOfSeverity[severity] : undefined;
    const before = spans.at(-1);
    if (level && (to === null || to > from)) {
      if (before && before.level === level && before.to === from) before.to = to;
      else spans.push({ level, from, to });
    }
    from = to ?? from;
  };
  for (const { field, after, at } of changes) {
    close(Math.max(from, at));
    if (field === 'severityId') severity = after ?? severity;
    else state = after ?? state;
  }
  if (isOpen(last.state)) close(null);
  else if (isOpen(state)) close(ended);
  return spans;
}

export interface StatusDay {
  /** Start of the day (UTC) in epoch milliseconds. */
  day: number;
  /** Null for days that ended before there was anything to watch. */
  level: ServiceLevel | null;
}

export interface ComponentStatus {
  name: string;
  level: ServiceLevel;
  days: StatusDay[];
  /** Share of the shown time without an outage, in percent. */
  uptime: number;
}

const badness: Record<ServiceLevel, number> = { Operational: 0, Maintenance: 1, Degraded: 2, Outage: 3 };

export function worstOf(levels: readonly ServiceLevel[]): ServiceLevel {
  return levels.reduce<ServiceLevel>((worst, level) => (badness[level] > badness[worst] ? level : worst), 'Operational');
}

/** Returns the total time in milliseconds that at least one of the spans covers. */
function covered(spans: readonly { from: number; to: number }[]): number {
  let [sum, until] = [0, -Infinity];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

interface Component {
  name: string;
  spans: readonly Span[];
  isInMaintenance: boolean;
}

export function statusOf({ name, spans, isInMaintenance }: Component, now: number, since: number): ComponentStatus {
  const today = Math.floor(now / dayMs) * dayMs;
  const ended = spans.map((span) => ({ ...span, to: span.to ?? now }));
  const days = Array.from({ length: shownDays }, (_, at): StatusDay => {
    const day = today - (shownDays - 1 - at) * dayMs;
    if (day + dayMs <= since) return { day, level: null };
    return { day, level: worstOf(ended.filter(({ from, to }) => from < day + dayMs && to >= day).map(({ level }) => level)) };
  });
  const begin = Math.max(since, today - (shownDays - 1) * dayMs);
  const outages = ended
    .filter(({ level, to }) => level === 'Outage' && to > begin)
    .map(({ from, to }) => ({ from: Math.max(from, begin), to }));
  const current = spans.filter(({ to }) => to === null).map(({ level }) => level);
  return {
    name,
    level: worstOf([...current, ...(isInMaintenance ? (['Maintenance'] as const) : [])]),
    days,
    uptime: now <= begin ? 100 : 100 - (covered(outages) * 100) / (now - begin),
  };
}
