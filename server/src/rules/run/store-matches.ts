/** Writes the consequences of a batch: matches, recorded evaluations, actions and their jobs. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import type { Db } from '../../db/db.ts';
import { addMembers, hasCallsBesidesColors, type GroupCause, type NewMember } from '../../automation/groups/members.ts';
import { queueActions, type ActionsOfMatch } from '../../automation/queue-actions.ts';
import { maxHops } from '../../executions/executions.ts';
import { queueMatchChanges } from '../../automation/match-change.ts';
import { changed } from '../../db/changed.ts';
import { baselineOf, baselineReading } from '@cloudfit/contract/rules/baselines/baseline.ts';
import type { UsualReading } from '@cloudfit/contract/resources/rule-matches.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { markBroken } from './broken-rules.ts';
import { explainHit, keyOfHit, matchKey, type Decision, type NewMatch, type OpenMatch } from './decide-matches.ts';
import type { RuleHit, EvaluationNote } from './evaluate-entity.ts';
import { longestGraceMs } from './order/out-of-order.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import type { StormBrake } from '../../automation/groups/storm-brake.ts';

const iso = (at: number) => new Date(at).toISOString();
const longestLabel = 500;

interface OpenRow {
  rule_match_id: string;
  rule_id: string;
  tenant_id: string;
  subject_id: string;
  expires: string;
  first_match: string;
  last_match: string;
  recovered: string | null;
  match_count: number;
  in_maintenance: boolean;
  hops: number;
}

const matchedRuleId = ({ rule }: RuleHit): string => rule.rule.recovers ?? rule.ruleId;

/** Locks the matches, open or ended, in which these hits could count. `hops`: how far the hits are from their first cause. */
export function lockOpenMatches(db: Db, hits: readonly RuleHit[], now: number, hops = 0): Promise<Map<string, OpenMatch>> {
  return openMatches(db, hits, now, { hops, lock: true });
}

/** Reads the same matches without locks, to know the effect of the hits before they are written. */
export function readOpenMatches(db: Db, hits: readonly RuleHit[], now: number): Promise<Map<string, OpenMatch>> {
  return openMatches(db, hits, now, { hops: 0, lock: false });
}

async function openMatches(
  db: Db,
  hits: readonly RuleHit[],
  now: number,
  { hops, lock }: { hops: number; lock: boolean },
): Promise<Map<string, OpenMatch>> {
  const pairs = new Map(hits.map((hit) => [keyOfHit(hit), hit]));
  const pairsToLock = [...pairs.values()];
  const rows = await db.query<OpenRow>({
    name: lock ? 'ingest-open-matches' : 'ingest-open-matches-read',
    text: `select rule_match_id, m.rule_id, m.tenant_id, m.subject_id, expires, first_match, last_match, recovered, match_count, in_maintenance, hops
from rule_match m join unnest($1::uuid[], $2::uuid[]) as w (rule_id, subject_id) on m.rule_id = w.rule_id and m.subject_id = w.subject_id
where closed is null order by rule_match_id${lock ? ' for update of m' : ''}`,
    values: [`{${pairsToLock.map(matchedRuleId).join(',')}}`, `{${pairsToLock.map((hit) => hit.entity.id).join(',')}}`],
  });
  const matches = new Map(rows.map((row) => [matchKey(row.rule_id, row.subject_id), openMatchOf(row, hops)]));
  const firstHits = new Map<string, RuleHit>();
  for (const hit of hits) {
    const key = keyOfHit(hit);
    if (!firstHits.has(key) && !matches.has(key) && hit.packet.timestamp < now) firstHits.set(key, hit);
  }
  if (firstHits.size > 0)
    for (const row of await endedMatches(db, [...firstHits.values()], lock))
      matches.set(matchKey(row.rule_id, row.subject_id), {
        ...openMatchOf(row, hops),
        over: { closed: Date.parse(row.closed), late: row.late },
      });
  return matches;
}

function openMatchOf(row: OpenRow, hops: number): OpenMatch {
  return {
    ruleMatchId: row.rule_match_id,
    ruleId: row.rule_id,
    tenantId: row.tenant_id,
    subjectId: row.subject_id,
    expires: Date.parse(row.expires),
    firstMatch: Date.parse(row.first_match),
    lastMatch: Date.parse(row.last_match),
    ...(row.recovered === null ? {} : { recovered: Date.parse(row.recovered) }),
    matchCount: row.match_count,
    inMaintenance: row.in_maintenance,
    muted: row.hops >= maxHops && hops < maxHops,
  };
}

interface EndedRow extends OpenRow {
  closed: string;
  late: boolean;
}

/** Returns the matches that have ended in the record but were open at the time of these hits. */
function endedMatches(db: Db, hits: readonly RuleHit[], lock: boolean): Promise<EndedRow[]> {
  return db.query<EndedRow>({
    name: lock ? 'ingest-ended-matches' : 'ingest-ended-matches-read',
    text: `select m.rule_match_id, m.rule_id, m.tenant_id, m.subject_id, m.expires, m.first_match, m.last_match, m.recovered, m.match_count, m.in_maintenance, m.hops,
  coalesce(m.closed, m.expires) as closed, m.is_late as late
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) as w (rule_id, subject_id, at, first)
cross join lateral (
  select rule_match_id from rule_match e where e.rule_id = w.rule_id and e.subject_id = w.subject_id and e.closed is not null and e.expires > w.at
  order by e.expires desc limit 1
) l join rule_match m on m.rule_match_id = l.rule_match_id
where m.first_match <= w.first order by m.rule_match_id${lock ? ' for update of m' : ''}`,
    values: [
      `{${hits.map(matchedRuleId).join(',')}}`,
      `{${hits.map((hit) => hit.entity.id).join(',')}}`,
      `{${hits.map((hit) => iso(hit.packet.timestamp)).join(',')}}`,
      // A hit out of order may be the first one of a match that later packets opened and ended.
      `{${hits.map((hit) => iso(hit.packet.timestamp + (hit.isOutOfOrder ? longestGraceMs : 0))).join(',')}}`,
    ],
  });
}

const update = `update rule_match m set match_count = u.match_count, first_match = u.first_match, last_match = u.last_match, expires = u.expires, in_maintenance = u.in_maintenance,
  closed = u.closed, recovered = case when u.resumed then null else coalesce(u.recovered, m.recovered) end, modified = now(), version = version + 1
from jsonb_to_recordset($1::jsonb) as u (rule_match_id uuid, match_count int, first_match timestamptz, last_match timestamptz, expires timestamptz, in_maintenance boolean, closed timestamptz,
  recovered timestamptz, resumed boolean)
where m.rule_match_id = u.rule_match_id`;

/** Returns when a match that got a hit ended; null while it is open. */
function closedOf({ over, expires }: OpenMatch, now: number): string | null {
  if (!over || expires > now) return null;
  return iso(over.late ? expires : over.closed);
}

const revive = `update rule_match m set completion_processed = false, is_late = false, held_since = r.held_since
from jsonb_to_recordset($1::jsonb) as r (rule_match_id uuid, held_since timestamptz) where m.rule_match_id = r.rule_match_id`;

function updateOf(match: OpenMatch, closed: string | null) {
  return {
    rule_match_id: match.ruleMatchId,
    match_count: match.matchCount,
    first_match: iso(match.firstMatch),
    last_match: iso(match.lastMatch),
    expires: iso(match.expires),
    in_maintenance: match.inMaintenance,
    closed,
    recovered: match.recovered === undefined ? null : iso(match.recovered),
    resumed: match.resumed ?? false,
  };
}

const insert = `with opened as (
  insert into rule_match (rule_match_id, tenant_id, rule_id, subject_id, label, expires, closed, match_count, first_match, last_match,
    in_maintenance, recovered, held_since, completion_processed, is_late, rule_packet, usual, severity_id, correlation_id, hops)
  select rule_match_id, tenant_id, rule_id, subject_id, label, expires, closed, match_count, first_match, last_match,
    in_maintenance, recovered, held_since, completion_processed, is_late, rule_packet, usual, severity_id, correlation_id, hops
  from jsonb_to_recordset($1::jsonb) as n (rule_match_id uuid, tenant_id uuid, rule_id uuid, subject_id uuid, label text, expires timestamptz,
    closed timestamptz, match_count int, first_match timestamptz, last_match timestamptz, in_maintenance boolean, recovered timestamptz, held_since timestamptz, completion_processed boolean, is_late boolean,
    rule_packet jsonb, usual jsonb, severity_id text, correlation_id uuid, hops int)
  returning tenant_id, rule_match_id, correlation_id
)
${changed(ruleMatches, 'create', 'opened')}`;

const inChain = `select distinct rule_id from rule_match where rule_id = any($1) and created > now() - interval '1 hour' and hops > 0`;

/**
 * The hops of new matches, by rule. A chain that is too long counts as a loop only if it returns to a rule: a rule that no
 * chain reached in the last hour still runs its actions, as the last of that chain.
 */
async function hopsOfRules(db: Db, newMatches: readonly NewMatch[], hops: number): Promise<(match: NewMatch) => number> {
  if (hops < maxHops || newMatches.length === 0) return () => hops;
  const rows = await db.query<{ rule_id: string }>({
    name: 'rules-in-chain',
    text: inChain,
    values: [`{${[...new Set(newMatches.map(({ ruleId }) => ruleId))].join(',')}}`],
  });
  const repeated = new Set(rows.map((row) => row.rule_id));
  return ({ ruleId }) => (repeated.has(ruleId) ? hops : maxHops - 1);
}

/**
 * Returns the label: the rule and its subject; for a device operation or a block also the device, because their names do not
 * contain it.
 */
function labelOf({ rule, entity: { id, name, device } }: RuleHit): string {
  const of = device?.name && device.id !== id ? ` on ${device.name}` : '';
  return startOf(`${rule.rule.name}: ${name}${of}`, longestLabel);
}

/** Returns the usual values of the metrics that the rule compares with baselines; undefined for a rule without baselines. */
function usualReadings({ rule, event }: RuleHit): UsualReading[] | undefined {
  const readings = rule.conditions.flatMap(({ operand, field, source }) => {
    const reading = operand.baseline ? baselineReading(event, field, baselineOf(source)) : undefined;
    return reading ? [{ metric: field, ...reading }] : [];
  });
  return readings.length > 0 ? readings : undefined;
}

function rowOf(match: NewMatch, hops: number, now: number) {
  const { hit } = match;
  return {
    rule_match_id: match.ruleMatchId,
    tenant_id: hit.entity.tenantId,
    rule_id: match.ruleId,
    subject_id: match.subjectId,
    label: labelOf(hit),
    expires: iso(match.expires),
    closed: match.closed === undefined ? null : iso(match.closed),
    match_count: match.matchCount,
    first_match: iso(match.firstMatch),
    last_match: iso(match.lastMatch),
    in_maintenance: match.inMaintenance,
    recovered: match.recovered === undefined ? null : iso(match.recovered),
    held_since: match.suppressed === 'maintenance' && hops < maxHops && hit.rule.rule.matchActions.length > 0 ? iso(now) : null,
    completion_processed: match.suppressed === 'late',
    is_late: match.suppressed === 'late',
    rule_packet: { EntityId: hit.entity.id, Timestamp: iso(hit.packet.timestamp), ...hit.packet.message },
    usual: usualReadings(hit),
    severity_id: hit.rule.rule.severityId ?? null,
    correlation_id: hit.packet.packetId,
    hops,
  };
}

const note = `insert into rule_evaluation (tenant_id, rule_id, subject_id, packet_timestamp, outcome, rule_match_id, detail, correlation_id)
select tenant_id, rule_id, subject_id, packet_timestamp, outcome, rule_match_id, detail, correlation_id
from jsonb_to_recordset($1::jsonb) as e (tenant_id uuid, rule_id uuid, subject_id uuid, packet_timestamp timestamptz, outcome text,
  rule_match_id uuid, detail jsonb, correlation_id uuid)`;

// The first stale packet of an hour is recorded in full; further ones are only counted, because a delayed sender sends
// thousands.
const stale = `with sent as (
  select tenant_id, rule_id, subject_id, packet_timestamp, detail, correlation_id
  from jsonb_to_recordset($1::jsonb) as e (tenant_id uuid, rule_id uuid, subject_id uuid, packet_timestamp timestamptz, detail jsonb, correlation_id uuid)
), counted as (
  insert into stale_count as c (tenant_id, rule_id, subject_id, hour, count)
  select tenant_id, rule_id, subject_id, date_trunc('hour', now()), count(*) from sent group by 1, 2, 3, 4 order by 2, 3
  on conflict (rule_id, subject_id, hour) do update set count = c.count + excluded.count, last_at = now()
  returning rule_id, subject_id, xmax = 0 as is_first
)
insert into rule_evaluation (tenant_id, rule_id, subject_id, packet_timestamp, outcome, detail, correlation_id)
select distinct on (s.rule_id, s.subject_id) s.tenant_id, s.rule_id, s.subject_id, s.packet_timestamp, 'stale', s.detail, s.correlation_id
from sent s join counted c using (rule_id, subject_id) where c.is_first order by s.rule_id, s.subject_id, s.packet_timestamp`;

function noteOf(about: Pick<EvaluationNote, 'rule' | 'entity' | 'packet'>, outcome: string, detail: unknown, ruleMatchId?: string) {
  return {
    tenant_id: about.entity.tenantId,
    rule_id: about.rule.ruleId,
    subject_id: about.entity.id,
    packet_timestamp: iso(about.packet.timestamp),
    outcome,
    rule_match_id: ruleMatchId,
    detail,
    correlation_id: about.packet.packetId,
  };
}

function actionsOf(match: NewMatch, hops: number): ActionsOfMatch[] {
  const { matchActions, expirationActions } = match.hit.rule.rule;
  const common = {
    ruleMatchId: match.ruleMatchId,
    tenantId: match.hit.entity.tenantId,
    correlationId: match.hit.packet.packetId,
    suppressed: hops >= maxHops && match.suppressed !== 'late' ? ('loop' as const) : match.suppressed,
    hops,
  };
  const opening: ActionsOfMatch = { ...common, phase: 'match', calls: matchActions };
  // The expiry never sees a match that ended before it was written, so its end is recorded here.
  return match.suppressed === 'late' ? [opening, { ...common, phase: 'expiration', calls: expirationActions }] : [opening];
}

function actionsOfRevived({ match, hit, suppressed }: Decision['revived'][number], hops: number): ActionsOfMatch {
  return {
    ruleMatchId: match.ruleMatchId,
    tenantId: match.tenantId,
    correlationId: hit.packet.packetId,
    phase: 'match',
    calls: hit.rule.rule.matchActions,
    suppressed: hops >= maxHops ? 'loop' : suppressed,
    again: 'revived',
    ...(hops > 0 ? { hops } : {}),
  };
}

/** Options for the consequences of matches. */
export interface ConsequenceOptions {
  /** Whether a rule of type Correlation reads matches of this rule. */
  isCorrelated?: (tenantId: string, ruleId: string) => boolean;
  /** Rules whose matches led to these matches. */
  path?: readonly string[];
  /** The hop count, see `Ctx`. */
  hops?: number;
  brake?: StormBrake;
}

/**
 * Returns why the actions of a new match depend on a group; undefined when they do not. Actions of rules about work units never
 * do: such rules react to people, who may change many units at once.
 */
function causeOfGroup({ hit, suppressed }: NewMatch, hops: number, brake: StormBrake | undefined, now: number): GroupCause | undefined {
  const { rule } = hit.rule;
  if (suppressed || hops >= maxHops || !hasCallsBesidesColors(rule.matchActions) || rule.ruleTypeId === ruleTypeId.workUnit)
    return undefined;
  const isStorm = brake?.isOver({ ruleId: rule.ruleId, tenantId: rule.tenantId, limit: rule.stormLimit ?? Infinity }, now);
  if (hit.isSilence) return isStorm ? 'SilenceStorm' : 'Silence';
  if (rule.groups) return 'Key';
  return isStorm ? 'Storm' : undefined;
}

/**
 * Stores matches and their consequences. Records these evaluations: an opening or revival (`hit`; `late` or `suppressed` when
 * its actions do not run), a `miss` after a hit, `failed` and `stale`. Repeats are only counted in the match; a miss after a
 * miss is not recorded.
 */
export async function storeMatches(
  db: Db,
  decision: Decision,
  notes: readonly EvaluationNote[],
  now: number,
  { isCorrelated = () => false, path = [], hops = 0, brake }: ConsequenceOptions = {},
): Promise<void> {
  const { opened, repeated, ended, revived } = decision;
  const notesToStore = [
    ...revived.map(({ match, hit, suppressed }) => noteOf(hit, suppressed ? 'suppressed' : 'hit', explainHit(hit), match.ruleMatchId)),
    ...notes.filter((n) => n.outcome !== 'stale').map((n) => noteOf(n, n.outcome, n.detail)),
    ...opened.map((m) =>
      noteOf(m.hit, m.suppressed === 'late' ? 'late' : m.suppressed ? 'suppressed' : 'hit', explainHit(m.hit), m.ruleMatchId),
    ),
  ];
  const changes = [...repeated.map((m) => updateOf(m, closedOf(m, now))), ...ended.map((m) => updateOf(m, iso(now)))];
  const hopsOf = await hopsOfRules(db, opened, hops);
  // Matches close before others open, because only one may be open per rule and subject.
  if (changes.length > 0) await db.defer({ name: 'ingest-match-update', text: update, values: [JSON.stringify(changes)] });
  if (revived.length > 0)
    await db.defer({
      name: 'ingest-match-revive',
      text: revive,
      values: [
        JSON.stringify(
          revived.map(({ match, suppressed }) => ({ rule_match_id: match.ruleMatchId, held_since: suppressed ? iso(now) : null })),
        ),
      ],
    });
  if (opened.length > 0)
    await db.defer({
      name: 'ingest-match-insert',
      text: insert,
      values: [JSON.stringify(opened.map((match) => rowOf(match, hopsOf(match), now)))],
    });
  const staleNotes = notes.filter((n) => n.outcome === 'stale').map((n) => noteOf(n, n.outcome, n.detail));
  if (staleNotes.length > 0) await db.defer({ name: 'ingest-stale', text: stale, values: [JSON.stringify(staleNotes)] });
  if (notesToStore.length > 0) await db.defer({ name: 'ingest-evaluations', text: note, values: [JSON.stringify(notesToStore)] });
  await markBroken(
    db,
    notes.filter((n) => n.outcome === 'failed').map((n) => ({ ruleId: n.rule.ruleId, cause: causeOf(n) })),
  );
  const members = membersAmong(decision, (match) => causeOfGroup(match, hopsOf(match), brake, now), hops);
  const isMember = new Set(members.map(({ ruleMatchId }) => ruleMatchId));
  await queueActions(db, [
    ...opened.filter((match) => !isMember.has(match.ruleMatchId)).flatMap((match) => actionsOf(match, hopsOf(match))),
    ...revived.filter(({ match }) => !isMember.has(match.ruleMatchId)).map((item) => actionsOfRevived(item, hops)),
  ]);
  await addMembers(db, members, opened[0]?.hit.packet.packetId ?? revived[0]?.hit.packet.packetId ?? '');
  await queueCorrelation(db, decision, now, { isCorrelated, path, hops });
}

/** The new and revived matches whose actions depend on a group. */
function membersAmong({ opened, revived }: Decision, causeOf: (match: NewMatch) => GroupCause | undefined, hops: number): NewMember[] {
  const members = opened.flatMap((match): NewMember[] => {
    const cause = causeOf(match);
    return cause ? [{ ruleMatchId: match.ruleMatchId, tenantId: match.tenantId, cause }] : [];
  });
  for (const { match, hit, suppressed } of revived) {
    const { rule } = hit.rule;
    if (rule.groups && !suppressed && hops < maxHops && hasCallsBesidesColors(rule.matchActions))
      members.push({ ruleMatchId: match.ruleMatchId, tenantId: match.tenantId, cause: 'Key', again: 'revived' });
  }
  return members;
}

function causeOf({ detail }: EvaluationNote): string {
  return String((detail as { error?: unknown } | null)?.error ?? 'The rule failed.');
}

async function queueCorrelation(
  db: Db,
  { opened, repeated, ended }: Decision,
  now: number,
  { isCorrelated, path, hops }: Required<Omit<ConsequenceOptions, 'brake'>>,
): Promise<void> {
  const changes = [...opened.filter((m) => m.closed === undefined), ...repeated.filter((m) => closedOf(m, now) === null), ...ended].filter(
    (m) => isCorrelated(m.tenantId, m.ruleId),
  );
  if (changes.length === 0) return;
  const without = uuidV7(now);
  const causeIn = (tenantId: string) => opened.find((m) => m.tenantId === tenantId)?.hit.packet.packetId ?? without;
  const caused = changes.map((m) => ({ ...m, hops, correlationId: causeIn(m.tenantId) }));
  await queueMatchChanges(db, caused, { at: now, path });
}
