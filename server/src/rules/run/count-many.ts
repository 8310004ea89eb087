/** Rules of type Aggregation: each batch adds its packets to sums, and a timer evaluates the sums. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Gap, MatchFact, RuleEvent, Totals } from '@cloudfit/contract/rules/facts.ts';
import { readMetric } from '@cloudfit/contract/rules/operands.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { stepOf, windowLength } from '@cloudfit/contract/rules/reading-measures.ts';
import { defaultWindowSeconds } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import type { CompiledRules } from './compiled-rules.ts';
import type { IngestRule } from './ingest-rule.ts';
import { factsFrom, readMatchFacts } from './correlate.job.ts';
import { countedFor, groupsOfEntity, keepGroups, readCountGroups } from './count-groups.ts';
import type { Entities } from './entities.ts';
import type { Entity } from './entity.ts';
import { evaluateSubjects, type SubjectEvent } from './evaluate-subjects.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import type { IncomingPacket } from './packet.ts';
import { recentGaps } from './pulse.ts';
import { quietMs } from './silence.ts';
import { widestWindowMs } from './widest-window.ts';
import { currentTime } from '../../platform/clock.ts';

/** Interval of the timer. */
export const countIntervalMs = 5_000;

type CountedCondition = CompiledRule['conditions'][number];

const lengthOf = (condition: CountedCondition) => windowLength(condition.source.WindowSeconds ?? defaultWindowSeconds);

/** The sums that a batch adds for one step of one condition. */
export interface CountPart extends Totals {
  tenant_id: string;
  rule_id: string;
  subject_id: string;
  key: string;
  step: number;
}

function addTo(
  parts: Map<string, CountPart>,
  rule: CompiledRule<IngestRule>,
  condition: CountedCondition,
  entity: Entity,
  event: RuleEvent,
): void {
  const measure = condition.operand.measure;
  if (!measure) return;
  const value = measure === 'count' ? 0 : readMetric(event, condition.field);
  if (value === undefined) return;
  const step = stepOf(event.packet.timestamp, lengthOf(condition));
  for (const subjectId of countedFor(rule.rule, entity)) {
    const id = `${rule.ruleId} ${subjectId} ${condition.key} ${step}`;
    const part = parts.get(id);
    if (!part) {
      const names = { tenant_id: entity.tenantId, rule_id: rule.ruleId, subject_id: subjectId, key: condition.key, step };
      parts.set(id, { ...names, count: 1, sum: value, min: value, max: value });
      continue;
    }
    part.count += 1;
    part.sum += value;
    part.min = Math.min(part.min, value);
    part.max = Math.max(part.max, value);
  }
}

/** Computes what a batch adds to the sums of the rules that count its packets. */
export function countParts(
  rules: RuleIndex<IngestRule>,
  packets: readonly { packet: Pick<IncomingPacket, 'timestamp' | 'message'>; entity: Entity }[],
): CountPart[] {
  const parts = new Map<string, CountPart>();
  for (const { packet, entity } of packets) {
    const event: RuleEvent = { entity, packet };
    for (const rule of rules.candidates(event)) {
      if (rule.subscriptionId !== null && rule.subscriptionId !== entity.subscriptionId) continue;
      for (const group of rule.groups) {
        if (!group.members.every((member) => member.holds(event))) continue;
        for (const condition of [...group.plain, ...group.withMemory]) addTo(parts, rule, condition, entity, event);
      }
    }
  }
  return [...parts.values()];
}

/**
 * Stores the sums of a batch in the transaction of its packets. Only inserts rows, so that batches do not wait for each other.
 */
export async function storeParts(db: Db, parts: readonly CountPart[]): Promise<void> {
  if (parts.length === 0) return;
  await db.defer({
    name: 'rule-count-add',
    text: `insert into rule_count (tenant_id, rule_id, subject_id, key, step, count, sum, min, max)
select tenant_id, rule_id, subject_id, key, step, count, sum, min, max
from jsonb_to_recordset($1::jsonb) as p (tenant_id uuid, rule_id uuid, subject_id uuid, key text, step bigint, count int, sum float8, min float8, max float8)`,
    values: [JSON.stringify(parts)],
  });
}

interface SumRow {
  rule_id: string;
  subject_id: string;
  key: string;
  count: number;
  sum: number;
  min: number;
  max: number;
}

interface CountedWindow {
  rule_id: string;
  key: string;
  /** The oldest step of a window. */
  first: number;
}

/** The windows of all counting conditions. Those of a rule of many tenants are the same for all of these. */
export function counting(rules: RuleIndex<IngestRule>, now: number): CountedWindow[] {
  const windows = [];
  const visited = new Set<string>();
  for (const rule of rules.all())
    for (const condition of rule.conditions) {
      const id = `${rule.ruleId} ${condition.key}`;
      if (!condition.operand.measure || visited.has(id)) continue;
      visited.add(id);
      const length = lengthOf(condition);
      windows.push({ rule_id: rule.ruleId, key: condition.key, first: stepOf(now, length) - length.steps + 1 });
    }
  return windows;
}

const wantedColumns = 'jsonb_to_recordset($1::jsonb) as w (rule_id uuid, key text, first bigint)';

/** Merges the rows of batches into one row per step, and deletes steps before the windows. */
async function merge(db: Db, windows: readonly CountedWindow[]): Promise<void> {
  await db.query({
    name: 'rule-count-merge',
    text: `with added as (
  delete from rule_count where ctid = any(array(select ctid from rule_count where not merged for update skip locked))
  returning tenant_id, rule_id, subject_id, key, step, count, sum, min, max
), gone as (
  delete from rule_count c using ${wantedColumns} where c.merged and c.rule_id = w.rule_id and c.key = w.key and c.step < w.first
)
insert into rule_count as c (tenant_id, rule_id, subject_id, key, step, count, sum, min, max, merged)
select a.tenant_id, a.rule_id, a.subject_id, a.key, a.step, sum(a.count), sum(a.sum), min(a.min), max(a.max), true
from added a join ${wantedColumns} on w.rule_id = a.rule_id and w.key = a.key
where a.step >= w.first group by 1, 2, 3, 4, 5 order by 2, 4, 5, 3
on conflict (rule_id, key, step, subject_id) where merged do update
  set count = c.count + excluded.count, sum = c.sum + excluded.sum, min = least(c.min, excluded.min), max = greatest(c.max, excluded.max)`,
    values: [JSON.stringify(windows)],
  });
}

async function readSums(db: Db, windows: readonly CountedWindow[]): Promise<SumRow[]> {
  if (windows.length === 0) return [];
  const part = (merged: string) =>
    `select c.* from rule_count c join ${wantedColumns} on w.rule_id = c.rule_id and w.key = c.key where ${merged} and c.step >= w.first`;
  return db.query<SumRow>({
    name: 'rule-count-read',
    text: `select c.rule_id, c.subject_id, c.key, sum(c.count)::int as count, sum(c.sum) as sum, min(c.min) as min, max(c.max) as max
from (${part('c.merged')} union all ${part('not c.merged')}) c group by 1, 2, 3`,
    values: [JSON.stringify(windows)],
  });
}

/** Merges the sums of batches, and returns the sums in the windows of these rules at a time. */
export async function sumsAt(db: Db, rules: RuleIndex<IngestRule>, at: number): Promise<SumRow[]> {
  const windows = counting(rules, at);
  await merge(db, windows);
  return readSums(db, windows);
}

interface SubscriptionRow {
  subscription_id: string;
  tenant_id: string;
  name: string;
}

export function readSubscriptions(db: Db, tenants: readonly string[]): Promise<SubscriptionRow[]> {
  return db.query<SubscriptionRow>({
    name: 'count-subscriptions',
    text: 'select subscription_id, tenant_id, name from subscription where tenant_id = any($1::uuid[])',
    values: [tenants],
  });
}

export function subscriptionEntity(row: SubscriptionRow): Entity {
  return {
    id: row.subscription_id,
    kind: 'subscription',
    tenantId: row.tenant_id,
    subscriptionId: row.subscription_id,
    name: row.name,
    enabled: true,
  };
}

interface AggregationCaches {
  rules: CompiledRules;
  entities: Entities;
}

async function matchesOf(db: Db, { rules, entities }: AggregationCaches, now: number): Promise<MatchFact[]> {
  const tenants = new Set<string>();
  for (const rule of rules.aggregation().all())
    if (rule.conditions.some((condition) => condition.operand.readMatches)) tenants.add(rule.tenantId);
  if (tenants.size === 0) return [];
  const rows = await readMatchFacts(db, { tenants: [...tenants], since: now - widestWindowMs(rules.aggregation()) });
  return factsFrom(rows, entities);
}

/** The event for rules that count: the sums and matches of a subscription or group at one check. */
export function countedEvent(
  entity: Entity,
  { at, ...readings }: { at: number; totals: Record<string, Totals>; matches: readonly MatchFact[]; gaps: readonly Gap[] },
): SubjectEvent {
  const cause = { packetId: uuidV7(at), timestamp: at, message: {} };
  return { entity, cause, event: { kind: 'count', entity, packet: cause, ...readings } };
}

/**
 * Evaluates all rules that count, once. Their subjects are the subscription of the rule or all subscriptions of its tenant,
 * or groups of devices.
 */
export async function countMany(db: Db, ingest: AggregationCaches): Promise<void> {
  const index = ingest.rules.aggregation();
  if (index.size === 0) return;
  const now = currentTime();
  const tenants = new Set([...index.all()].map((rule) => rule.tenantId));
  const [sums, subscriptions, groups, matches, gaps] = await Promise.all([
    sumsAt(db, index, now),
    readSubscriptions(db, [...tenants]),
    readCountGroups(
      db,
      [...index.all()].map(({ rule }) => rule),
    ),
    matchesOf(db, ingest, now),
    recentGaps(db),
  ]);
  const sumsOf = Map.groupBy(sums, (sum) => sum.subject_id);
  await keepGroups(db, groups);
  const matchesIn = Map.groupBy(matches, (match) => match.entity.subscriptionId);
  for (const match of groups.length > 0 ? matches : [])
    for (const id of groupsOfEntity(match.entity)) {
      const some = matchesIn.get(id);
      if (some) some.push(match);
      else matchesIn.set(id, [match]);
    }
  const events = [...subscriptions.map(subscriptionEntity), ...groups].map((entity) => {
    const sums = sumsOf.get(entity.id) ?? [];
    // The rule id distinguishes equal conditions of two rules.
    const totals = Object.fromEntries(sums.map((sum) => [`${sum.rule_id} ${sum.key}`, sum]));
    return countedEvent(entity, { at: now, totals, matches: matchesIn.get(entity.id) ?? [], gaps });
  });
  await db.transaction((tx) => evaluateSubjects(tx, ingest.rules, events, { among: index, quietMs: () => quietMs }));
}

/** Runs in one process at a time: in the process that moves the due time forward. */
export function countWork(ingest: AggregationCaches): Periodic {
  return { name: 'count-many', everyMs: countIntervalMs, aligned: true, run: (db) => countMany(db, ingest) };
}

/** Deletes the sums of deleted rules and changed conditions, which no check reads. */
export function countSweepWork({ rules }: Pick<AggregationCaches, 'rules'>): Periodic {
  return {
    name: 'count-sweep',
    everyMs: 600_000,
    async run(db) {
      await db.query({
        text: `delete from rule_count c where not exists (select from ${wantedColumns} where w.rule_id = c.rule_id and w.key = c.key)`,
        values: [JSON.stringify(counting(rules.aggregation(), currentTime()))],
      });
    },
  };
}
