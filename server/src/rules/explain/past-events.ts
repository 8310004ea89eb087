/** The events, other than packets, of one subject that a rule evaluated up to a time, from the record. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Db } from '../../db/db.ts';
import { eventsOf, lookBackMs } from '../past/events.ts';
import { countIntervalMs } from '../run/count-many.ts';
import { readEntities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import type { IngestRule } from '../run/ingest-rule.ts';

/** The maximum number of packets that are summed up again for one answer. */
const maxPackets = 100_000;

/** Returns the events; undefined when there are too many packets to sum up again. */
export async function pastEvents(db: Db, rule: CompiledRule<IngestRule>, subject: Entity, at: number): Promise<SubjectEvent[] | undefined> {
  const { ruleTypeId: typeId, since = 0, tenantId } = rule.rule;
  const backMs = Math.max(60_000, lookBackMs([rule]));
  // Only pattern memory needs the checks before the last check.
  const firstCheck = rule.resting ? at : Math.ceil((at - backMs) / countIntervalMs) * countIntervalMs;
  const counts = typeId === ruleTypeId.aggregation;
  const period = { from: counts ? Math.max(at - 2 * backMs, since - backMs) : 0, to: at + 1 };
  const entities = {
    find: async (ids: Iterable<string>) => new Map((await readEntities(db, [...ids])).map((entity) => [entity.id, entity])),
  };
  const events: SubjectEvent[] = [];
  let packets = 0;
  const query = { db, entities, tenantId, rules: [rule], ruleId: rule.ruleId, period, readFrom: at - dayMs, subject, firstCheck };
  for await (const piece of eventsOf(typeId, query) ?? []) {
    events.push(...piece.events);
    if (counts && (packets += piece.count) > maxPackets) return undefined;
  }
  return events;
}
