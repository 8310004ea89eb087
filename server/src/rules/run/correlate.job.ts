/** Evaluates rules of type Correlation on the device (or entity) whose matches opened, repeated or closed. */
import type { MatchFact, RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { defineJob, type Job } from '../../jobs/job.ts';
import { correlateName, matchEvent, type MatchEvent } from '../../automation/match-change.ts';
import type { CompiledRules } from './compiled-rules.ts';
import type { Entities } from './entities.ts';
import type { Entity } from './entity.ts';
import { evaluateSubjects, isFirst, type SubjectEvent } from './evaluate-subjects.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { widestWindowMs } from './widest-window.ts';

interface FactRow {
  rule_id: string;
  subject_id: string;
  open: boolean;
  last_match: number;
}

/** The subject of an entity: its device, or the entity itself without one. */
export const subjectOf = (entity: RuleEntity): string => entity.device?.id ?? entity.id;

/** Returns the `match` event of a subject whose matches changed. */
export function correlatedEvent(entity: Entity, matches: readonly MatchFact[], at: number, packetId: string): SubjectEvent {
  const message = { Metrics: { MatchCount: matches.filter((match) => match.open).length } };
  const cause = { packetId, timestamp: at, message };
  return { entity, cause, event: { kind: 'match', entity, packet: cause, matches } };
}

/** Returns the ids of all entities whose matches belong to the subjects: the subjects and the operations of devices. */
export async function entitiesOf(db: Db, subjects: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'correlate-operations',
    text: 'select device_operation_id as id from device_operation where device_id = any($1::uuid[]) and not is_deleted',
    values: [subjects],
  });
  return [...subjects, ...rows.map((row) => row.id)];
}

/** Reads the matches that are open or had a hit after `since`. */
export async function readMatchFacts(
  db: Db,
  where: { tenants: readonly string[]; subjects?: readonly string[]; since: number },
): Promise<FactRow[]> {
  return db.query<FactRow>({
    name: where.subjects ? 'match-facts-of' : 'match-facts',
    text: `select rule_id, subject_id, closed is null and expires > now() as open, (extract(epoch from last_match) * 1000)::float8 as last_match
from rule_match where tenant_id = any($1::uuid[]) and (closed is null or last_match > $2)${where.subjects ? ' and subject_id = any($3::uuid[])' : ''}`,
    values: [where.tenants, new Date(where.since).toISOString(), ...(where.subjects ? [where.subjects] : [])],
  });
}

/** Returns the match facts about existing entities; matches of other subjects do not count. */
export async function factsFrom(rows: readonly FactRow[], entities: Entities): Promise<MatchFact[]> {
  const entityById = await entities.find(new Set(rows.map((row) => row.subject_id)));
  return rows.flatMap((row) => {
    const entity = entityById.get(row.subject_id);
    return entity ? [{ ruleId: row.rule_id, entity, open: row.open, lastMatch: row.last_match }] : [];
  });
}

async function subjectEvents(ctx: Ctx, tx: Db, ingest: CorrelationCaches, event: MatchEvent): Promise<SubjectEvent[]> {
  const touched = await ingest.entities.find(event.subjectIds);
  const ids = [...new Set([...touched.values()].map(subjectOf))];
  if (ids.length === 0) return [];
  const subjects = await ingest.entities.find(ids);
  const since = event.at - widestWindowMs(ingest.rules.correlation());
  const rows = await readMatchFacts(tx, { tenants: [event.tenantId], subjects: await entitiesOf(tx, ids), since });
  const facts = await factsFrom(rows, ingest.entities);
  return [...subjects.values()].map((entity) => {
    const matches = facts.filter((fact) => subjectOf(fact.entity) === entity.id);
    // All consequences have the correlation id of the first cause.
    return correlatedEvent(entity, matches, event.at, ctx.correlationId || uuidV7(event.at));
  });
}

interface CorrelationCaches {
  rules: CompiledRules;
  entities: Entities;
}

export function correlateJob(ingest: CorrelationCaches): Job {
  return defineJob({
    name: correlateName,
    schema: matchEvent,
    run: (ctx, event) =>
      ctx.db.transaction(async (tx) => {
        if (!(await isFirst(tx, event.eventId, event.tenantId))) return;
        await evaluateSubjects(tx, ingest.rules, await subjectEvents(ctx, tx, ingest, event), {
          among: ingest.rules.correlation(),
          path: event.path,
          hops: event.hops ?? 0,
        });
      }),
  });
}
