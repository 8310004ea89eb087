/** How a person is notified: by which channels in which order, and the hours in which only urgent messages come. Pure. */
import { hourMs, dayMs } from '../durations.ts';
import { severities } from '../enums.ts';
import { layerShifts, type Layer, type Restriction } from './shifts.ts';

/** The channels by precedence: if no step's channel reaches the person, the first channel that does is used. */
export const channels = ['Push', 'Sms', 'Mail'] as const;
export type PersonChannel = (typeof channels)[number];
export type Severity = (typeof severities)[number];

/** One message by a channel: after which time, and for which severities. */
export interface ChannelStep {
  channel: PersonChannel;
  /** Minutes after the first message, while nobody has acknowledged. */
  afterMinutes: number;
  severities: Severity[];
}

export interface NotificationPreferences {
  timeZone: string;
  steps: ChannelStep[];
  quietHours: Restriction[];
  /** Severities whose messages also come in quiet hours, besides `alwaysUrgent`. */
  urgent: Severity[];
}

/** Severities whose messages come in quiet hours, whatever a person chooses. */
export const alwaysUrgent: readonly Severity[] = ['Sev0', 'Sev1'];

/** The preferences of a person who has chosen none. */
export const defaultPreferences: NotificationPreferences = {
  timeZone: 'UTC',
  steps: [
    { channel: 'Push', afterMinutes: 0, severities: [...severities] },
    { channel: 'Mail', afterMinutes: 0, severities: [...severities] },
  ],
  quietHours: [],
  urgent: [...alwaysUrgent],
};

/** The maximum hours of quiet hours without a break, because longer ones would hide a fault for days. */
export const longestQuietHours = 72;

function quietTimes({ timeZone, quietHours }: NotificationPreferences, from: number, to: number): { from: number; to: number }[] {
  if (quietHours.length === 0) return [];
  // The quiet hours as the only layer of a schedule, with one turn of almost 200 years.
  const always: Layer = {
    name: '',
    people: ['always'],
    start: '2000-01-01T00:00',
    unit: 'Weeks',
    every: 10_000,
    restrictions: quietHours,
    holidays: 'Same',
  };
  return layerShifts(always, { timeZone, holidays: [] }, from, to);
}

/** Returns when the quiet hours end that hold a message of this severity; undefined when the message may be sent now. */
export function quietUntil(preferences: NotificationPreferences, severityId: string, at: number): number | undefined {
  if ([...alwaysUrgent, ...preferences.urgent].some((candidate) => candidate === severityId)) return undefined;
  const [first] = quietTimes(preferences, at, at + longestQuietHours * hourMs);
  return first?.from === at ? first.to : undefined;
}

export interface PlannedStep {
  channel: PersonChannel;
  afterMs: number;
}

/**
 * Returns the steps of the messages about one work unit: those of the person for this severity whose channels reach the person.
 * The first message goes out at once. If no step is left, the first of `channels` that reaches the person is used. If no
 * channel reaches the person, there are no steps.
 */
export function stepsFor({ steps }: NotificationPreferences, severityId: string, usable: ReadonlySet<PersonChannel>): PlannedStep[] {
  const left = steps
    .filter((step) => usable.has(step.channel) && step.severities.some((severity) => severity === severityId))
    .toSorted((a, b) => a.afterMinutes - b.afterMinutes);
  const [first] = left;
  if (first) return left.map(({ channel, afterMinutes }) => ({ channel, afterMs: (afterMinutes - first.afterMinutes) * 60_000 }));
  const otherwise = channels.find((channel) => usable.has(channel));
  return otherwise ? [{ channel: otherwise, afterMs: 0 }] : [];
}

/** Returns the problems of preferences by field, besides those that the schema finds. */
export function preferenceProblems(preferences: NotificationPreferences): { target: string; message: string }[] {
  const problems: { target: string; message: string }[] = [];
  const silent = severities.filter((severity) => !preferences.steps.some((step) => step.severities.includes(severity)));
  if (silent.length > 0)
    problems.push({ target: 'steps', message: `No channel is chosen for ${silent.join(', ')}. Each severity needs at least one channel.` });
  const monday = Date.UTC(2026, 0, 5);
  const longest = quietTimes(preferences, monday, monday + 14 * dayMs).reduce((length, { from, to }) => Math.max(length, to - from), 0);
  if (longest > longestQuietHours * hourMs)
    problems.push({ target: 'quietHours', message: `Quiet hours last at most ${longestQuietHours} hours without a break.` });
  return problems;
}
