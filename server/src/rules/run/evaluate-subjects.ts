/**
 * Runs rules on events of subjects without packets. Locks the memory of these subjects, and writes memory and consequences
 * together.
 */
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import type { CompiledRules } from './compiled-rules.ts';
import type { IngestRule } from './ingest-rule.ts';
import { isCorrelatedBy } from './correlated.ts';
import { decideMatches, matchKey, type OpenMatch } from './decide-matches.ts';
import type { Entity } from './entity.ts';
import { evaluateEvent, newProgress, tidied, type Cause, type EntityState, type RuleHit, type EntityProgress } from './evaluate-entity.ts';
import { inMaintenance, maintenanceOf } from './maintenance/maintenance.ts';
import { lockOpenMatches, storeMatches } from './store-matches.ts';
import { noteUnexpected } from './maintenance/unexpected.ts';
import { currentTime } from '../../platform/clock.ts';

export interface SubjectEvent {
  entity: Entity;
  event: RuleEvent;
  cause: Cause;
}

export interface SubjectRun {
  /** The index of the rules to evaluate. */
  among: RuleIndex<IngestRule>;
  /** Rules to leave out, because their matches led to these events. */
  path?: readonly string[];
  /** Hops of the consequences, see `Ctx`. */
  hops?: number;
  /** A hit within this time after the latest hit of an open match of the rule is not a repeat. */
  quietMs?: (rule: IngestRule) => number;
}

const iso = (at: number) => new Date(at).toISOString();

interface MemoryRow {
  subject_id: string;
  at: number;
  state: EntityState | null;
}

/** Locks the memory of the subjects in the order of their ids, so that only one transaction at a time opens their matches. */
async function lockMemory(db: Db, subjects: readonly SubjectEvent[]): Promise<Map<string, MemoryRow>> {
  const added = JSON.stringify(subjects.map(({ entity }) => ({ subject_id: entity.id, tenant_id: entity.tenantId })));
  await db.query({
    name: 'rule-memory-add',
    text: `insert into rule_memory (subject_id, tenant_id, at) select subject_id, tenant_id, '-infinity'
from (select distinct subject_id, tenant_id from jsonb_to_recordset($1::jsonb) as s (subject_id uuid, tenant_id uuid)) s order by subject_id on conflict do nothing`,
    values: [added],
  });
  const rows = await db.query<MemoryRow>({
    name: 'rule-memory-lock',
    text: `select subject_id, case when isfinite(at) then (extract(epoch from at) * 1000)::float8 else 0 end as at, state
from rule_memory where subject_id = any($1::uuid[]) order by subject_id for update`,
    values: [subjects.map(({ entity }) => entity.id)],
  });
  return new Map(rows.map((row) => [row.subject_id, row]));
}

/** Drops hits that repeat an open match within `quietMs`. */
export function withoutQuiet(
  hits: readonly RuleHit[],
  open: ReadonlyMap<string, OpenMatch>,
  quietMs: (rule: IngestRule) => number,
): RuleHit[] {
  return hits.filter((hit) => {
    const match = open.get(matchKey(hit.rule.ruleId, hit.entity.id));
    if (match?.recovered !== undefined) return true;
    return !match || hit.packet.timestamp >= match.expires || hit.packet.timestamp - match.lastMatch >= quietMs(hit.rule.rule);
  });
}

/** Decides about matches and stores the consequences. Call it in a transaction. Returns the matches that are open afterwards. */
export async function storeHits(
  tx: Db,
  rules: CompiledRules,
  progress: Pick<EntityProgress, 'hits' | 'notes'>,
  run: Omit<SubjectRun, 'among'>,
): Promise<ReadonlyMap<string, OpenMatch>> {
  const now = currentTime();
  const open = progress.hits.length > 0 ? await lockOpenMatches(tx, progress.hits, now, run.hops) : new Map<string, OpenMatch>();
  const hits = run.quietMs === undefined ? progress.hits : withoutQuiet(progress.hits, open, run.quietMs);
  if (hits.length === 0 && progress.notes.length === 0) return open;
  const maintenance = maintenanceOf(rules);
  const decision = decideMatches(hits, open, (hit) => inMaintenance(maintenance, hit, now), now);
  await storeMatches(tx, decision, progress.notes, now, {
    isCorrelated: isCorrelatedBy(rules.correlation()),
    path: run.path ?? [],
    hops: run.hops ?? 0,
    brake: rules.brake,
  });
  await noteUnexpected(tx, decision.opened, maintenance);
  return new Map([...open, ...decision.opened.map((match) => [matchKey(match.ruleId, match.subjectId), match] as const)]);
}

/**
 * Evaluates events and stores the consequences. Call it in a transaction. An event that is older than its subject's latest
 * event does not change memory: rules without memory evaluate it, and for rules with memory it is recorded as stale.
 */
export async function evaluateSubjects(tx: Db, rules: CompiledRules, subjects: readonly SubjectEvent[], run: SubjectRun): Promise<void> {
  const left = new Set(run.path);
  const concernedSubjects = subjects
    .map((subject) => ({
      subject,
      candidates: run.among.candidates(subject.event).filter(({ rule }) => !left.has(rule.recovers ?? rule.ruleId)),
    }))
    .filter(({ candidates }) => candidates.length > 0);
  if (concernedSubjects.length === 0) return;
  const memories = await lockMemory(
    tx,
    concernedSubjects.map(({ subject }) => subject),
  );
  const all: Pick<EntityProgress, 'hits' | 'notes'> = { hits: [], notes: [] };
  const changed: { subject_id: string; at: string; state: EntityState }[] = [];
  for (const { subject, candidates } of concernedSubjects) {
    const { entity, event, cause } = subject;
    const remembered = memories.get(entity.id);
    const isStale = remembered !== undefined && cause.timestamp < remembered.at;
    const progress = { ...newProgress(isStale ? undefined : (remembered?.state ?? undefined)), ...all };
    const fit = isStale ? candidates.filter((rule) => rule.resting) : candidates;
    evaluateEvent(progress, fit, entity, cause, event);
    if (isStale) {
      for (const rule of candidates.filter((candidate) => !candidate.resting))
        all.notes.push({ outcome: 'stale', rule, entity, packet: cause, detail: { latest: iso(remembered.at) } });
    } else if (progress.changed) {
      changed.push({ subject_id: entity.id, at: iso(cause.timestamp), state: tidied(progress, run.among, entity.tenantId) });
    }
  }
  if (changed.length > 0)
    await tx.defer({
      name: 'rule-memory-write',
      text: `update rule_memory m set at = greatest(m.at, c.at), state = c.state
from jsonb_to_recordset($1::jsonb) as c (subject_id uuid, at timestamptz, state jsonb) where m.subject_id = c.subject_id`,
      values: [JSON.stringify(changed)],
    });
  await storeHits(tx, rules, all, run);
}

/** Whether the event is handled for the first time, so that a repeated job does nothing. */
export async function isFirst(tx: Db, eventId: string, tenantId: string): Promise<boolean> {
  const rows = await tx.query({
    name: 'rule-receipt',
    text: 'insert into rule_receipt (event_id, tenant_id) values ($1, $2) on conflict do nothing returning 1',
    values: [eventId, tenantId],
  });
  return rows.length > 0;
}
