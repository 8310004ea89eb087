/** Past matches as rules of types Correlation and Aggregation saw them: the state at a time, and the times of changes. */
import type { MatchFact } from '@cloudfit/contract/rules/facts.ts';
import type { Db } from '../../db/db.ts';
import type { Entity } from '../run/entity.ts';
import { iso } from './past-packets.ts';

/** Times are epoch milliseconds. */
interface RecordedMatch {
  ruleMatchId: string;
  ruleId: string;
  subjectId: string;
  /** When the match was written. `firstMatch` is the time of its first packet. */
  created: number;
  firstMatch: number;
  /** The time of the last packet that matched. */
  lastMatch: number;
  closed: number | null;
  matchCount: number;
}

/** The age in milliseconds above which matches are ignored, even if they are open; a lifetime rarely exceeds a day. */
const maxOpenMs = 31 * 86_400_000;
const atOnce = 5_000;
/** The maximum number of matches that are read; the newest are omitted. */
export const maxMatches = 200_000;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const text = (
  ofSubjects: boolean,
) => `select rule_match_id as "ruleMatchId", rule_id as "ruleId", subject_id as "subjectId", ${ms('created')} as created,
  ${ms('first_match')} as "firstMatch", ${ms('last_match')} as "lastMatch", ${ms('closed')} as closed, match_count as "matchCount"
from rule_match where tenant_id = $1 and created >= $2::timestamptz and created < $3::timestamptz and (created, rule_match_id) > ($4::timestamptz, $5::uuid)
  and (closed is null or greatest(closed, last_match) >= $6::timestamptz)${ofSubjects ? ' and subject_id = any($8::uuid[])' : ''}
order by created, rule_match_id limit $7`;

/** Reads matches that were open or hit at or after `from`, in the order in which they were written. */
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

/** Whether a match ended before it was written: it was never open and caused no event. */
const wasLate = ({ closed, created }: RecordedMatch) => closed !== null && closed <= created;

/** A recorded change of a match. */
interface PastMatchEvent {
  at: number;
  match: RecordedMatch;
}

/** Returns the openings, latest hits and ends of matches, in order of time. The times of the hits between are not on record. */
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

interface MatchOfEntity {
  match: RecordedMatch;
  entity: Entity;
}

interface SubjectMatches {
  matches: MatchOfEntity[];
  next: number;
  /** Matches that were open or hit within the window at the latest requested time. */
  current: MatchOfEntity[];
}

/** The matches that counted at past times: the open matches, and ended matches whose last hit was within the window. */
export interface MatchPast {
  /** The requested times of one subject must not decrease. */
  factsAt(subjectId: string, at: number): MatchFact[];
}

/** `subjectOf` maps an entity to the id, or ids, by which its matches are requested. */
export function newMatchPast(
  matches: readonly RecordedMatch[],
  entities: ReadonlyMap<string, Entity>,
  subjectOf: (entity: Entity) => string | null | undefined | readonly string[],
  windowMs: number,
): MatchPast {
  const subjects = new Map<string, SubjectMatches>();
  for (const match of matches) {
    const entity = entities.get(match.subjectId);
    if (!entity) continue;
    for (const subject of [subjectOf(entity) ?? []].flat()) {
      const subjectMatches = subjects.get(subject);
      if (subjectMatches) subjectMatches.matches.push({ match, entity });
      else subjects.set(subject, { matches: [{ match, entity }], next: 0, current: [] });
    }
  }
  return {
    factsAt(subjectId, at) {
      const subjectMatches = subjects.get(subjectId);
      if (!subjectMatches) return [];
      for (let next = subjectMatches.matches[subjectMatches.next]; next && next.match.created <= at;) {
        subjectMatches.current.push(next);
        subjectMatches.next += 1;
        next = subjectMatches.matches[subjectMatches.next];
      }
      const isOpen = (match: RecordedMatch) => match.closed === null || match.closed > at;
      subjectMatches.current = subjectMatches.current.filter(({ match }) => isOpen(match) || match.lastMatch > at - windowMs);
      return subjectMatches.current.map(({ match, entity }) => ({
        ruleId: match.ruleId,
        entity,
        open: isOpen(match),
        lastMatch: match.lastMatch,
      }));
    },
  };
}
