/**
 * Evaluates silence: every few seconds a sweep reads the latest packets of entities that are silent long enough for a rule, and ends
 * the matches of those that have reported again.
 */
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import type { CompiledRules } from './compiled-rules.ts';
import type { IngestRule } from './ingest-rule.ts';
import { matchKey } from './decide-matches.ts';
import type { Entities } from './entities.ts';
import type { Entity } from './entity.ts';
import { type EntityState, type RuleHit, type EvaluationNote } from './evaluate-entity.ts';
import { takeTurns } from '../../platform/turns.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { silentSince } from './order/packet-times.ts';
import { readBeatTimes, usualBeatMs } from './beats.ts';
import { tickEvent, tickFor, type Circumstances } from './circumstances.ts';
import { recentGaps } from './pulse.ts';
import { dependenciesOf, levelsOf, readStates } from './rule-states.ts';
import { endSilence, storeStill, type SilenceHit } from './silence-ends.ts';
import { inForce } from './rollout.ts';
import { currentTime } from '../../platform/clock.ts';

/** Interval of the sweeps. */
export const silenceSweepMs = 5_000;
/** How often continued silence repeats its match; less than the shortest lifetime. */
export const quietMs = 60_000;

interface SilenceCaches {
  rules: CompiledRules;
  entities: Entities;
}

interface SilentRow {
  entity_id: string;
  /** Null for an entity that never reported, which is silent since `at`, its creation. */
  packet_id: string | null;
  at: number;
  memory: EntityState['memory'] | null;
  /** The usual time between its packets; undefined if unknown. Needed only after an outage. */
  beatMs?: number | undefined;
}

/** Returns per tenant the shortest silence of its rules in seconds, and whether a rule has a window. */
function silenceByTenant(rules: RuleIndex<IngestRule>): { tenant_id: string; seconds: number; counts: boolean }[] {
  const tenants = new Map<string, { tenant_id: string; seconds: number; counts: boolean }>();
  for (const rule of rules.all()) {
    const seconds = (rule.silenceMs ?? 0) / 1_000;
    const counts = rule.conditions.some((condition) => condition.window);
    const existing = tenants.get(rule.tenantId);
    tenants.set(rule.tenantId, {
      tenant_id: rule.tenantId,
      seconds: Math.min(existing?.seconds ?? seconds, seconds),
      counts: counts || existing?.counts === true,
    });
  }
  return [...tenants.values()];
}

function readSilent(db: Db, rules: RuleIndex<IngestRule>): Promise<SilentRow[]> {
  return db.query<Omit<SilentRow, 'beatMs'>>({
    name: 'silence-look',
    text: `select l.entity_id, l.packet_id, (extract(epoch from ${silentSince('l')}) * 1000)::float8 as at,
  case when w.counts then l.rule_state -> 'memory' end as memory
from jsonb_to_recordset($1::jsonb) as w (tenant_id uuid, seconds float8, counts boolean)
join latest_packet l on l.tenant_id = w.tenant_id and ${silentSince('l')} < now() - make_interval(secs => w.seconds)`,
    values: [JSON.stringify(silenceByTenant(rules))],
  });
}

/** Enabled entities that never sent a packet, in tenants with a rule for this; a heartbeat block counts as its device. */
const neverReported = `select e.entity_id, null::uuid as packet_id, (extract(epoch from e.created) * 1000)::float8 as at, null::jsonb as memory
from jsonb_to_recordset($1::jsonb) as w (tenant_id uuid, seconds float8)
cross join lateral (
  select device_id as entity_id, created from device d where d.tenant_id = w.tenant_id and d.enabled and not d.is_deleted
  union all select o.device_operation_id, o.created from device_operation o where o.tenant_id = w.tenant_id and o.enabled and not o.is_deleted
  union all select b.block_id, b.created from block b where b.tenant_id = w.tenant_id and b.device_id is null
) e
where e.created < now() - make_interval(secs => w.seconds) and not exists (select from latest_packet l where l.entity_id = e.entity_id)`;

async function readNeverReported(db: Db, rules: RuleIndex<IngestRule>): Promise<SilentRow[]> {
  const watching = buildRuleIndex([...rules.all()].filter(({ rule }) => rule.neverReported));
  if (watching.size === 0) return [];
  return db.query<Omit<SilentRow, 'beatMs'>>({
    name: 'silence-never-reported',
    text: neverReported,
    values: [JSON.stringify(silenceByTenant(watching))],
  });
}

/** Returns the hits of rules on a silent entity; `row.at` is the time of its latest packet, or of its creation. */
export function evaluateSilence(
  rules: RuleIndex<IngestRule>,
  entity: Entity,
  row: Pick<SilentRow, 'at' | 'memory' | 'beatMs'> & Partial<Pick<SilentRow, 'packet_id'>>,
  around: Circumstances,
  now: number,
  notes: EvaluationNote[],
): RuleHit[] {
  const tick = tickEvent(around, entity, row.at, now);
  const cause = { packetId: uuidV7(now), ...tick.packet };
  return rules.candidates(tick).flatMap((candidate) => {
    const rule = inForce(candidate, entity);
    const event = rule && tickFor(rule, tick, row.beatMs);
    if (!event || (row.packet_id === null && !rule.rule.neverReported)) return [];
    const before = row.memory?.[rule.ruleId];
    try {
      if (evaluate(rule, event, before).outcome !== 'hit') return [];
      return [{ rule, entity, packet: cause, event, before, isSilence: true as const }];
    } catch (error) {
      notes.push({
        outcome: 'failed',
        rule,
        entity,
        packet: cause,
        detail: { error: messageOf(error) },
      });
      return [];
    }
  });
}

/** Drops hits whose open match had a hit within `quietMs`. Reads without locks, because most silence is old. */
async function withoutRecentMatches(db: Db, silenceHits: readonly SilenceHit[]): Promise<SilenceHit[]> {
  if (silenceHits.length === 0) return [];
  const rows = await db.query<{ rule_id: string; subject_id: string }>({
    name: 'silence-known',
    text: `select rule_id, subject_id from rule_match where closed is null and rule_id = any($1::uuid[])
and last_match > now() - make_interval(secs => $2) and expires > now() and recovered is null`,
    values: [[...new Set(silenceHits.map(({ hit }) => hit.rule.ruleId))], quietMs / 1_000],
  });
  const existing = new Set(rows.map((row) => matchKey(row.rule_id, row.subject_id)));
  return silenceHits.filter(({ hit }) => !existing.has(matchKey(hit.rule.ruleId, hit.entity.id)));
}

/**
 * Runs one sweep and stores its consequences. Rules that depend on other rules run after the matches of the other rules are
 * stored.
 */
export async function evaluateSilenceOfAll(db: Db, caches: SilenceCaches): Promise<void> {
  for (const level of levelsOf(caches.rules.silence())) await evaluateSilenceBy(db, caches, level);
}

/**
 * Reads the beats of these entities whose silence an outage interrupted, and for which the length of the grace decides; sets them
 * in the rows. Usually there are none.
 */
async function readBeats(db: Db, rows: readonly SilentRow[], gaps: readonly Gap[], hits: (row: SilentRow) => number): Promise<void> {
  const last = Math.max(0, ...gaps.map(({ until }) => until));
  const open: SilentRow[] = [];
  const turn = takeTurns();
  for (const row of rows) {
    if (row.at < last && hits({ ...row, beatMs: 0 }) > hits({ ...row, beatMs: Infinity })) open.push(row);
    await turn();
  }
  const times = await readBeatTimes(
    db,
    open.map(({ entity_id: id, at }) => ({ id, at })),
  );
  for (const row of open) row.beatMs = usualBeatMs(times.get(row.entity_id) ?? []);
}

async function evaluateSilenceBy(db: Db, { rules, entities }: SilenceCaches, index: RuleIndex<IngestRule>): Promise<void> {
  const now = currentTime();
  const [gaps, silentRows, others] = await Promise.all([recentGaps(db), readSilent(db, index), readNeverReported(db, index)]);
  const rows = [...silentRows, ...others];
  const existing = await entities.find(rows.map((row) => row.entity_id));
  const notes: EvaluationNote[] = [];
  const depends = dependenciesOf(index.all());
  const matchingAt = depends.length > 0 ? await readStates(db, depends, [...existing.values()], now) : undefined;
  const hitsOf = (row: SilentRow, into: EvaluationNote[]): RuleHit[] => {
    const entity = existing.get(row.entity_id);
    return entity?.enabled ? evaluateSilence(index, entity, row, { gaps, matchingAt }, now, into) : [];
  };
  await readBeats(db, rows, gaps, (row) => hitsOf(row, []).length);
  const silenceHits: SilenceHit[] = [];
  // Where a whole fleet is silent this takes seconds, which the requests of this process must not wait for.
  const turn = takeTurns();
  for (const row of rows) {
    for (const hit of hitsOf(row, notes)) silenceHits.push({ hit, packetId: row.packet_id });
    await turn();
  }
  const due = await withoutRecentMatches(db, silenceHits);
  await storeStill(db, rules, due, notes, { quietMs });
  await endSilence(
    db,
    { rules, entities },
    index,
    silenceHits.map(({ hit }) => hit),
  );
}

/** Runs in one process at a time: in the process that moves the due time forward. */
export function silenceWork(ingest: SilenceCaches): Periodic {
  return { name: 'silence', everyMs: silenceSweepMs, aligned: true, run: (db) => evaluateSilenceOfAll(db, ingest) };
}
