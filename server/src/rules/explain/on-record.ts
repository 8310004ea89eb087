/** Reads recorded evaluations and the matches that they counted in. */
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import type { Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { Db } from '../../db/db.ts';

export interface RecordedEvaluation {
  outcome: string;
  detail: unknown;
  ruleMatchId: string | null;
  at: string;
}

const evaluationColumns = 'select outcome, detail, rule_match_id as "ruleMatchId", at from rule_evaluation';

/** Returns the recorded evaluation of one packet by one rule. Most evaluations are not recorded: see `storeMatches`. */
export async function evaluationOfPacket(db: Db, ruleId: string, packetId: string): Promise<RecordedEvaluation | undefined> {
  const [row] = await db.query<RecordedEvaluation>({
    name: 'explain-kept-packet',
    text: `${evaluationColumns} where correlation_id = $2 and rule_id = $1 order by at desc limit 1`,
    values: [ruleId, packetId],
  });
  return row;
}

/** The newest evaluation about a subject up to a time. */
export async function evaluationUpTo(db: Db, ruleId: string, subjectId: string, at: string): Promise<RecordedEvaluation | undefined> {
  const [row] = await db.query<RecordedEvaluation>({
    name: 'explain-kept-time',
    text: `${evaluationColumns} where rule_id = $1 and subject_id = $2 and at <= $3::timestamptz order by at desc limit 1`,
    values: [ruleId, subjectId, at],
  });
  return row;
}

/** Returns the detail as a trace; undefined for the details of failures and stale packets. */
export function traceIn(detail: unknown): Trace | undefined {
  return typeof detail === 'object' && detail !== null && 'conditions' in detail && 'groups' in detail ? (detail as Trace) : undefined;
}

export type ExplainedMatch = NonNullable<Explanation['match']>;

const match = `select rule_match_id as "ruleMatchId", first_match as "firstMatch", last_match as "lastMatch", expires, closed, match_count as "matchCount",
  in_maintenance as "inMaintenance", recovered, held_since as "heldSince", held_until as "heldUntil" from rule_match`;

export async function matchById(db: Db, ruleMatchId: string): Promise<ExplainedMatch | undefined> {
  const [row] = await db.query<ExplainedMatch>({ name: 'explain-match', text: `${match} where rule_match_id = $1`, values: [ruleMatchId] });
  return row;
}

/** The match that a hit at that time opened or repeated. */
export async function matchAround(db: Db, ruleId: string, subjectId: string, at: string): Promise<ExplainedMatch | undefined> {
  const [row] = await db.query<ExplainedMatch>({
    name: 'explain-match-around',
    text: `${match} where subject_id = $2 and rule_id = $1 and first_match <= $3::timestamptz and last_match >= $3::timestamptz order by first_match desc limit 1`,
    values: [ruleId, subjectId, at],
  });
  return row;
}

/** The match that the recovery conditions ended at that time. */
export async function matchRecoveredAt(db: Db, ruleId: string, subjectId: string, at: string): Promise<ExplainedMatch | undefined> {
  const [row] = await db.query<ExplainedMatch>({
    name: 'explain-match-recovered',
    text: `${match} where subject_id = $2 and rule_id = $1 and recovered = $3::timestamptz order by first_match desc limit 1`,
    values: [ruleId, subjectId, at],
  });
  return row;
}

/** The match that was open at that time. */
export async function matchOpenAt(db: Db, ruleId: string, subjectId: string, at: string): Promise<ExplainedMatch | undefined> {
  const [row] = await db.query<ExplainedMatch>({
    name: 'explain-match-open',
    text: `${match} where subject_id = $2 and rule_id = $1 and first_match <= $3::timestamptz and (closed is null or closed > $3::timestamptz) order by first_match desc limit 1`,
    values: [ruleId, subjectId, at],
  });
  return row;
}

/** Returns the recorded evaluations of one packet, by rule id. */
export async function evaluationsOfPacket(db: Db, packetId: string): Promise<Map<string, RecordedEvaluation>> {
  const rows = await db.query<RecordedEvaluation & { ruleId: string }>({
    name: 'explain-kept-packets',
    text: `select rule_id as "ruleId", outcome, detail, rule_match_id as "ruleMatchId", at from rule_evaluation where correlation_id = $1 order by at`,
    values: [packetId],
  });
  return new Map(rows.map((row) => [row.ruleId, row]));
}

const matchesAround = `select * from (select distinct on (m.rule_id) m.rule_match_id as "ruleMatchId", m.first_match as "firstMatch", m.last_match as "lastMatch", m.expires, m.closed,
  m.match_count as "matchCount", m.in_maintenance as "inMaintenance", m.recovered, m.held_since as "heldSince", m.held_until as "heldUntil", m.rule_id as "ruleId"
from rule_match m
where m.subject_id = any($1::uuid[]) and m.first_match <= $3::timestamptz and (m.closed is null or m.closed > $2::timestamptz or m.last_match >= $2::timestamptz)
order by m.rule_id, m.first_match desc) x order by "firstMatch" desc limit 2000`;

/** The matches of these subjects that were open, or counted a hit, between two times; the latest of each rule. */
export async function matchesBetween(
  db: Db,
  subjectIds: readonly string[],
  from: string,
  to: string,
): Promise<Map<string, ExplainedMatch>> {
  const rows = await db.query<ExplainedMatch & { ruleId: string }>({
    name: 'explain-matches-between',
    text: matchesAround,
    values: [subjectIds, from, to],
  });
  return new Map(rows.map(({ ruleId, ...match }) => [ruleId, match]));
}
