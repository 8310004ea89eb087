/** Rebuilds from the record the events, other than packets, of one subject that a rule evaluated up to a time. */
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import { readHistory } from '../past/read-history.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { countedFor } from '../run/count-groups.ts';
import { correlatedEvent, entitiesOf, subjectOf } from '../run/correlate.job.ts';
import { isCorrelatedBy } from '../run/correlated.ts';
import { countedEvent, countIntervalMs } from '../run/count-many.ts';
import { readEntities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import { newCountPast } from '../past/past-counts.ts';
import { matchEventsOf, newMatchPast, readMatches } from '../past/past-matches.ts';
import { readUnitEvents } from '../past/past-units.ts';
import { gapsBetween, isAway } from '../run/pulse.ts';
import { widestWindowMs } from '../run/widest-window.ts';
import { workUnitOfSubject } from '../../features/work-units/subject.ts';

type ExplainedRule = CompiledRule<IngestRule>;

const dayMs = 86_400_000;
/** The maximum number of packets that are summed up again for one answer. */
const maxPackets = 100_000;

/** Returns how many milliseconds back a pattern or a window of the rule reaches. */
function lookBackMs({ conditions }: ExplainedRule): number {
  return Math.max(
    60_000,
    ...conditions.map(({ source }) => {
      const pattern = source.OccurrencePattern;
      return 1_000 * Math.max(pattern && 'Seconds' in pattern ? pattern.Seconds : 0, source.WindowSeconds ?? 0);
    }),
  );
}

/** Returns the events of the entity's matches that the rule reads. */
export async function matchEvents(db: Db, rule: ExplainedRule, entity: Entity, at: number): Promise<SubjectEvent[]> {
  const rules = buildRuleIndex([rule]);
  const windowMs = widestWindowMs(rules);
  const subjects = await entitiesOf(db, [entity.id]);
  const read = await readMatches(db, { tenantId: rule.tenantId, subjects, from: at - dayMs - windowMs, to: at + 1 });
  const matches = read.filter((match) => match.ruleId !== rule.ruleId);
  const entityById = new Map((await readEntities(db, subjects)).map((one) => [one.id, one]));
  const past = newMatchPast(matches, entityById, subjectOf, windowMs);
  const isCorrelated = isCorrelatedBy(rules);
  return matchEventsOf(matches)
    .filter((event) => event.at <= at && isCorrelated(rule.tenantId, event.match.ruleId))
    .map((event) => correlatedEvent(entity, past.factsAt(entity.id, event.at), event.at, event.match.ruleMatchId));
}

/** Returns the events of the unit's changes up to a time. */
export async function unitEvents(db: Db, rule: ExplainedRule, entity: Entity, at: number): Promise<SubjectEvent[]> {
  const workUnitId = workUnitOfSubject(entity.id);
  if (workUnitId === undefined) return [];
  const unitEvents: SubjectEvent[] = [];
  for await (const events of readUnitEvents(db, { tenantId: rule.tenantId, from: 0, to: at + 1, workUnitId })) unitEvents.push(...events);
  return unitEvents;
}

async function reportersOf(db: Db, rule: ExplainedRule, subject: Entity): Promise<Entity[]> {
  const ids = await db.query<{ id: string }>({
    text: 'select entity_id as id from latest_packet where tenant_id = $1 order by 1 limit $2',
    values: [rule.tenantId, backtestLimits.entities],
  });
  const isMember = (entity: Entity) =>
    rule.groups.some((group) => group.members.every((one) => one.holds({ entity, packet: { timestamp: 0, message: {} } })));
  return (
    await readEntities(
      db,
      ids.map((row) => row.id),
    )
  ).filter((entity) => countedFor(rule.rule, entity).includes(subject.id) && isMember(entity));
}

/** Returns the `count` events of a subscription or group; undefined when there are too many packets to sum up again. */
export async function countEvents(db: Db, rule: ExplainedRule, subject: Entity, at: number): Promise<SubjectEvent[] | undefined> {
  const start = Math.max(at - 2 * lookBackMs(rule), (rule.rule.since ?? 0) - lookBackMs(rule));
  const counts = newCountPast(buildRuleIndex([rule]));
  const unitEvents = rule.conditions.some((one) => one.operand.measure) ? await reportersOf(db, rule, subject) : [];
  const byId = new Map(unitEvents.map((entity) => [entity.id, entity]));
  let packets = 0;
  // Packets that were received by `at` may have a slightly later time.
  for await (const piece of readHistory(db, [...byId.keys()], { from: start, to: at + 6 * 60_000 }, { stale: true })) {
    if ((packets += piece.count) > maxPackets) return undefined;
    for (const [id, packets] of piece.packets) counts.take(byId.get(id) as Entity, packets);
  }
  const reads = rule.conditions.some((one) => one.operand.readMatches);
  const windowMs = widestWindowMs({ all: () => [rule] });
  const read = reads ? await readMatches(db, { tenantId: rule.tenantId, from: start - windowMs, to: at + 1 }) : [];
  const matches = read.filter((match) => match.ruleId !== rule.ruleId);
  const entityById = new Map((await readEntities(db, [...new Set(matches.map((one) => one.subjectId))])).map((one) => [one.id, one]));
  const past = newMatchPast(matches, entityById, (entity) => countedFor(rule.rule, entity), windowMs);
  const gaps = await gapsBetween(db, start, at);
  const events: SubjectEvent[] = [];
  // Only pattern memory needs the checks before the last check.
  const first = rule.resting ? at : Math.ceil((at - lookBackMs(rule)) / countIntervalMs) * countIntervalMs;
  for (let look = first; look <= at; look += countIntervalMs) {
    const now = look;
    if (isAway(gaps, now)) continue;
    counts.moveTo(now);
    events.push(
      countedEvent(subject, {
        at: now,
        totals: counts.totalsOf(subject.id),
        matches: past.factsAt(subject.id, now),
        gaps,
      }),
    );
  }
  return events;
}
