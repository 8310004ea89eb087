/** The recorded events of rules that evaluate no packets: one maker for each rule type, for backtests and explanations. */
import { ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Sentence } from '@cloudfit/contract/rules/rule-words.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import { workUnitOfSubject } from '../../features/work-units/subject.ts';
import { correlatedEvent, entitiesOf, subjectOf } from '../run/correlate.job.ts';
import { isCorrelatedBy } from '../run/correlated.ts';
import { countedFor, groupsOfEntity, readCountGroups } from '../run/count-groups.ts';
import { countedEvent, countIntervalMs, readSubscriptions, subscriptionEntity } from '../run/count-many.ts';
import type { Entities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { gapsBetween, isAway } from '../run/pulse.ts';
import { widestWindowMs } from '../run/widest-window.ts';
import { newCountPast } from './past-counts.ts';
import { matchEventsOf, maxMatches, newMatchPast, readMatches, type MatchPast } from './past-matches.ts';
import { mayBeAheadMs, type Period } from './past-packets.ts';
import { readUnitEvents } from './past-units.ts';
import { readHistory } from './read-history.ts';
import { reportersOf } from './reporters.ts';

/** Whose events are read. Entities are taken as they are now. */
export interface EventQuery {
  db: Db;
  entities: Pick<Entities, 'find'>;
  tenantId: string;
  rules: readonly CompiledRule<IngestRule>[];
  /** The saved rule, which ignores its own matches. */
  ruleId?: string | undefined;
  period: Period;
  /** Matches that had ended by this time are not read; by default those that had ended before the period. */
  readFrom?: number;
  /** The only entities whose packets and matches are read. */
  entityIds?: readonly string[] | undefined;
  /** The only subject of the events; by default all subjects of the tenant. */
  subject?: Entity | undefined;
  /** The time of the first check of sums; by default the first of the timer in the period. */
  firstCheck?: number;
}

/** Successive events, to be consumed before the next piece is requested. */
export interface EventPiece {
  events: Iterable<SubjectEvent>;
  /** The time up to which events and packets have been read. */
  at: number;
  /** The number of recorded events, or of packets that were summed up. */
  count: number;
}

/** Returns notes for people. */
type Events = AsyncGenerator<EventPiece, Sentence[]>;

const atOnce = 1_000;

async function* ofMatches(query: EventQuery): Events {
  const { db, entities, tenantId, rules, ruleId, entityIds, subject } = query;
  const index = buildRuleIndex(rules);
  const windowMs = widestWindowMs(index);
  const { from, to } = query.period;
  const { readFrom = from } = query;
  const subjects = subject && (await entitiesOf(db, [subject.id]));
  const read = await readMatches(db, { tenantId, ...(subjects ? { subjects } : {}), from: readFrom - windowMs, to });
  const matches = read.filter((match) => match.ruleId !== ruleId);
  const reporters = await entities.find(new Set(matches.map((match) => match.subjectId)));
  const ids = new Set([...reporters.values()].map(subjectOf));
  const entityById = subject ? new Map([[subject.id, subject]]) : await entities.find(ids);
  const past = newMatchPast(matches, reporters, subjectOf, windowMs);
  const isCorrelated = isCorrelatedBy(index);
  const onlyIds = entityIds && new Set(entityIds);
  const momentKeys = new Set<string>();
  const events: SubjectEvent[] = [];
  for (const { at, match } of matchEventsOf(matches)) {
    if (at < from || at >= to || !isCorrelated(tenantId, match.ruleId)) continue;
    const reporter = reporters.get(match.subjectId);
    const entity = reporter && entityById.get(subjectOf(reporter));
    if (!entity || (onlyIds && !onlyIds.has(entity.id))) continue;
    // One event per moment, rule and device, because one job evaluates all matches that share these.
    const key = `${at} ${match.ruleId} ${entity.id}`;
    if (momentKeys.has(key)) continue;
    momentKeys.add(key);
    events.push(correlatedEvent(entity, past.factsAt(entity.id, at), at, match.ruleMatchId));
    if (events.length === atOnce) yield { events: events.splice(0), at, count: atOnce };
  }
  if (events.length > 0) yield { events, at: to, count: events.length };
  return [
    ({ notes }) => notes.hitsNotKept,
    ...(read.length >= maxMatches ? [({ notes }: Parameters<Sentence>[0]) => notes.firstMatches(maxMatches)] : []),
  ];
}

async function* ofUnits({ db, tenantId, period, subject }: EventQuery): Events {
  const workUnitId = subject && workUnitOfSubject(subject.id);
  if (!subject || workUnitId !== undefined)
    for await (const events of readUnitEvents(db, { tenantId, ...period, ...(workUnitId === undefined ? {} : { workUnitId }) }))
      yield { events, at: events.at(-1)?.cause.timestamp ?? period.from, count: events.length };
  return [({ notes }) => notes.changesAsAudited];
}

/** The matches that the conditions count, by subscription and by group. */
async function countedMatches({ db, entities, tenantId, rules, ruleId, period: { from, to } }: EventQuery): Promise<MatchPast> {
  const reads = rules.some((rule) => rule.conditions.some((condition) => condition.operand.readMatches));
  const windowMs = widestWindowMs({ all: () => rules });
  const read = reads ? await readMatches(db, { tenantId, from: from - windowMs, to }) : [];
  const matches = read.filter((match) => match.ruleId !== ruleId);
  const entityById = await entities.find(new Set(matches.map((match) => match.subjectId)));
  return newMatchPast(matches, entityById, (entity) => [entity.subscriptionId ?? [], groupsOfEntity(entity)].flat(), windowMs);
}

/** The longest period of checks in one piece. */
const partMs = 6 * 3_600_000;

async function* ofCounts(query: EventQuery): Events {
  const { db, tenantId, rules, period, subject } = query;
  const { from, to } = period;
  const definitions = rules.map(({ rule }) => rule);
  const counts = newCountPast(buildRuleIndex(rules));
  const matches = await countedMatches(query);
  const gaps = await gapsBetween(db, from, to);
  const subjects = subject
    ? [subject]
    : [...(await readSubscriptions(db, [tenantId])).map(subscriptionEntity), ...(await readCountGroups(db, definitions))];
  let next = query.firstCheck ?? Math.ceil(from / countIntervalMs) * countIntervalMs;

  function* eventsUpTo(until: number): Generator<SubjectEvent> {
    for (; next < until; next += countIntervalMs) {
      const at = next;
      if (isAway(gaps, at)) continue;
      counts.moveTo(at);
      for (const entity of subjects)
        yield countedEvent(entity, { at, totals: counts.totalsOf(entity.id), matches: matches.factsAt(entity.id, at), gaps });
    }
  }

  const sums = rules.some((rule) => rule.conditions.some((condition) => condition.operand.measure));
  const { members, notes } = sums ? await reportersOf(query) : { members: [], notes: [] };
  const counted = members.filter((entity) => !subject || definitions.some((rule) => countedFor(rule, entity).includes(subject.id)));
  const byId = new Map(counted.map((entity) => [entity.id, entity]));
  // Packets that were received by `to` may have a slightly later time.
  for await (const piece of readHistory(db, [...byId.keys()], { from, to: to + mayBeAheadMs }, { stale: true })) {
    yield { events: eventsUpTo(Math.min(to, piece.until - mayBeAheadMs)), at: Math.min(to, piece.until), count: piece.count };
    for (const [id, packets] of piece.packets) {
      const entity = byId.get(id);
      if (entity) counts.take(entity, packets);
    }
  }
  while (next < to) {
    const until = Math.min(to, next + partMs);
    yield { events: eventsUpTo(until), at: until, count: 0 };
  }
  return [...notes, (t) => t.notes.sumsEveryFiveSeconds];
}

/** The makers of events, by rule type. */
const makers: Readonly<Record<number, ((query: EventQuery) => Events) | undefined>> = {
  [ruleTypeId.correlation]: ofMatches,
  [ruleTypeId.workUnit]: ofUnits,
  [ruleTypeId.aggregation]: ofCounts,
};

/** Reads the events that rules of one type evaluated, in order of time; undefined for types that evaluate packets or the time. */
export function eventsOf(typeId: number, query: EventQuery): Events | undefined {
  return makers[typeId]?.(query);
}

/** Returns how many milliseconds back a pattern or a window of the rules reaches. */
export function lookBackMs(rules: readonly CompiledRule[]): number {
  const conditions = rules.flatMap(({ rule }) => rule.conditions);
  return Math.max(
    0,
    ...conditions.map(
      ({ OccurrencePattern: pattern, WindowSeconds }) =>
        1_000 * Math.max(pattern && 'Seconds' in pattern ? pattern.Seconds : 0, WindowSeconds ?? 0),
    ),
  );
}
