/** Matches of the past as rules of types Correlation and Aggregation saw them: what stood at a time, and when something became of one. */
import type { MatchFact } from '@cloudfit/contract/rules/facts.ts';
import type { Db } from '../../db/connection.ts';
import type { Entity } from '../entities.ts';
import { iso } from './past-packets.ts';

/** Times are epoch milliseconds. */
interface RecordedMatch {
  ruleMatchId: string;
  ruleId: string;
  subjectId: string;
  /** When it was written, and when its first packet says that it was. */
  created: number;
  firstMatch: number;
  /** In the packet's own time. */
  lastMatch: number;
  closed: number | null;
  matchCount: number;
}

/** Matches that are open for longer than this are not looked for: a lifetime is rarely a day. */
const maxOpenMs = 31 * 86_400_000;
const atOnce = 5_000;
/** More are not looked at, the newest are left out. */
export const maxMatches = 200_000;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const text = (
  ofSubjects: boolean,
) => `select rule_match_id as "ruleMatchId", rule_id as "ruleId", subject_id as "subjectId", ${ms('created')} as created,
  ${ms('first_match')} as "firstMatch", ${ms('last_match')} as "lastMatch", ${ms('closed')} as closed, match_count as "matchCount"
from rule_match where tenant_id = $1 and created >= $2::timestamptz and created < $3::timestamptz and (created, rule_match_id) > ($4::timestamptz, $5::uuid)
  and (closed is null or greatest(closed, last_match) >= $6::timestamptz)${ofSubjects ? ' and subject_id = any($8::uuid[])' : ''}
order by created, rule_match_id limit $7`;

/** Those that were open, or were hit, at or after `from`, by when they were written. */
export async function readMatches(
  db: Db,
  { tenantId, subjects, from, to }: { tenantId: string; subjects?: readonly string[]; from: number; to: number },
): Promise<RecordedMatch[]> {
  const matches: RecordedMatch[] = [];
  let last = { created: iso(from - maxOpenMs), id: '00000000-0000-0000-0000-000000000000' };
  while (matches.length < maxMatches) {
    const values = [tenantId, iso(from - maxOpenMs), iso(to), last.created, last.id, iso(from), atOnce];
    const rows = await db.query<RecordedMatch>({ text: text(subjects !== undefined), values: subjects ? [...values, subjects] : values });
    matches.push(...rows);
    const end = rows.at(-1);
    if (!end || rows.length < atOnce) break;
    last = { created: iso(end.created), id: end.ruleMatchId };
  }
  return matches;
}

/** Over before it was written: it never stood open, and nothing was told of it. */
const wasLate = ({ closed, created }: RecordedMatch) => closed !== null && closed <= created;

/** When something became of a match, as far as it is on record. */
interface PastMatchEvent {
  at: number;
  match: RecordedMatch;
}

/**
 * It opened, was hit for the last time, ended. Hits between are counted in the match, their times are not kept.
 * In the order of time.
 */
export function matchEventsOf(matches: readonly RecordedMatch[]): PastMatchEvent[] {
  const events = matches.flatMap((match) => {
    if (wasLate(match)) return [];
    const times = [match.created];
    const hit = Math.max(match.created, match.lastMatch);
    if (match.matchCount > 1 && hit > match.created && (match.closed === null || hit < match.closed)) times.push(hit);
    if (match.closed !== null) times.push(match.closed);
    return times.map((at): PastMatchEvent => ({ at, match }));
  });
  return events.toSorted((a, b) => a.at - b.at);
}

interface OfSubject {
  matches: RecordedMatch[];
  next: number;
  /** Open, or hit within the window, at the time that was last asked for. */
  current: RecordedMatch[];
}

/** What stood at a time, exactly: an open match counts whenever it was hit, an ended one by its last hit. */
export interface MatchPast {
  /** Of one subject the times that are asked for do not go back. */
  factsAt(subjectId: string, at: number): MatchFact[];
}

/** `subjectOf`: under which id the matches of an entity are asked for. */
export function newMatchPast(
  matches: readonly RecordedMatch[],
  entities: ReadonlyMap<string, Entity>,
  subjectOf: (entity: Entity) => string | null | undefined,
  windowMs: number,
): MatchPast {
  const subjects = new Map<string, OfSubject>();
  for (const match of matches) {
    const entity = entities.get(match.subjectId);
    const subject = entity && subjectOf(entity);
    if (!subject) continue;
    const subjectMatches = subjects.get(subject);
    if (subjectMatches) subjectMatches.matches.push(match);
    else subjects.set(subject, { matches: [match], next: 0, current: [] });
  }
  return {
    factsAt(subjectId, at) {
      const subjectMatches = subjects.get(subjectId);
      if (!subjectMatches) return [];
      for (
        ;
        subjectMatches.next < subjectMatches.matches.length && (subjectMatches.matches[subjectMatches.next] as RecordedMatch).created <= at;
        subjectMatches.next += 1
      )
        subjectMatches.current.push(subjectMatches.matches[subjectMatches.next] as RecordedMatch);
      const isOpen = (match: RecordedMatch) => match.closed === null || match.closed > at;
      subjectMatches.current = subjectMatches.current.filter((match) => isOpen(match) || match.lastMatch > at - windowMs);
      return subjectMatches.current.flatMap((match) => {
        const entity = entities.get(match.subjectId);
        return entity ? [{ ruleId: match.ruleId, entity, open: isOpen(match), lastMatch: match.lastMatch }] : [];
      });
    },
  };
}
