/** Writes the timeline of a unit as Markdown, for the review after an incident: who knew what when. Pure. */
import { reviewTexts as t } from '@cloudfit/contract/messages/incident-review.en.ts';
import { mergeTexts } from '@cloudfit/contract/messages/merge.en.ts';
import type { UnitVisit } from '@cloudfit/contract/actions/work-units/visits.ts';
import { openActionsIn } from '@cloudfit/contract/notes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { valueSeen } from '../../../entities/matches/value-seen.ts';
import { isNote } from '../feed/feed-entry.tsx';
import { labelOf } from '../inputs/field-value.ts';
import type { HistoryRecord } from '../panel/use-work-unit.ts';
import { visitMoments } from '../visits/visit-moments.ts';
import type { RelatedMatch } from '../related/use-related.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

interface TimelineInput {
  unit: PanelWorkUnit;
  history: readonly HistoryRecord[];
  messages: readonly Row<typeof notifications>[];
  matches: readonly RelatedMatch[];
  visits: readonly UnitVisit[];
  nameOf: (userName: string) => string;
}

interface TimelineMoment {
  at: string;
  who: string;
  what: string;
}

/** A cell of a table on one line, in which nothing is markup. */
const cell = (text: string): string => text.replaceAll(/[\\`*_[\]<>|#~]/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' / ');

const time = (at: string): string => at.slice(0, 19).replace('T', ' ');

/** A span from the start: `0:04:10`. */
function since(start: string, at: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(at) - Date.parse(start)) / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function ofMatch(match: RelatedMatch): TimelineMoment[] {
  const rule = match.rule?.name ?? match.label;
  const began = { at: match.firstMatch, who: t.record, what: t.matched(rule, match.device?.name ?? '', valueSeen(match)) };
  return match.closed ? [began, { at: match.closed, who: t.record, what: t.matchEnded(rule, match.matchCount) }] : [began];
}

function ofEntry(entry: HistoryRecord, nameOf: TimelineInput['nameOf']): TimelineMoment {
  const { created: at, detail, field, oldValue, newValue, mergedNumber } = entry;
  const of = mergedNumber === undefined ? '' : `${mergeTexts.entryOf(mergedNumber)}: `;
  const who = entry.createdBy ? nameOf(entry.createdBy) : t.system;
  if (isNote(entry)) return { at, who, what: `${of}${entry.isExternalNote ? t.wroteToRequester : t.wrote} ${detail}` };
  // A reference has an id as its value, and its name in the text.
  const isPlain = field !== null && field !== undefined && !detail.startsWith(`${labelOf(field)} changed `);
  return { at, who, what: of + (isPlain ? t.changed(labelOf(field), oldValue || t.none, newValue || t.none) : detail) };
}

const ofMessage = ({ created, name, channel, whom, outcome }: Row<typeof notifications>): TimelineMoment => ({
  at: created,
  who: t.system,
  what: t.told(name, channel, whom, outcome),
});

const earliest = (times: readonly (string | null | undefined)[]): string | undefined => times.filter((at) => at != null).toSorted()[0];

export function timelineMarkdown({ unit, history, messages, matches, visits, nameOf }: TimelineInput): string {
  const moments = [
    ...matches.flatMap(ofMatch),
    ...messages.map(ofMessage),
    ...visitMoments(visits),
    ...history.toSorted((a, b) => a.id - b.id).map((entry) => ofEntry(entry, nameOf)),
  ].toSorted((a, b) => a.at.localeCompare(b.at));
  const start = moments[0]?.at ?? unit.created;
  const when = (at: string | null | undefined): string => (at ? `${time(at)} ${t.after(since(start, at))}` : t.none);
  const acknowledged = history.filter(({ field, newValue }) => field === 'stateId' && newValue === 'Acknowledged');
  const facts: readonly (readonly [string, string])[] = [
    [t.facts.tenant, unit.tenant?.name ?? t.none],
    [t.facts.severity, unit.severityId],
    [t.facts.state, unit.stateId],
    [t.facts.first, when(earliest(matches.map(({ firstMatch }) => firstMatch)))],
    [t.facts.opened, when(unit.created)],
    [t.facts.toldFirst, when(earliest(messages.filter(({ outcome }) => outcome === 'Sent').map(({ created }) => created)))],
    [t.facts.acknowledged, when(earliest(acknowledged.map(({ created }) => created)))],
    [t.facts.ended, when(unit.resolved)],
    [t.facts.resolution, unit.resolution || t.none],
  ];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const actions = history.toSorted((a, b) => a.id - b.id).flatMap((entry) => (isNote(entry) ? openActionsIn(entry.detail) : []));
  return [
    `# ${cell(t.title(unit.publicWorkUnitId, unit.title))}`,
    '',
    ...facts.map(([name, value]) => `- **${name}**: ${cell(value)}`),
    '',
    `## ${t.timeline}`,
    '',
    t.times,
    '',
    row(t.columns),
    row(t.columns.map(() => '---')),
    ...moments.map(({ at, who, what }) => row([time(at), since(start, at), cell(who), cell(what)])),
    '',
    `## ${t.actions}`,
    '',
    ...(actions.length > 0 ? actions.map((action) => `- [ ] ${action}`) : [t.noActions]),
    '',
  ].join('\n');
}
