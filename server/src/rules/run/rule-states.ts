/**
 * Reads whether other rules match, for rules about packets that depend on these. Periods are in the time of packets.
 */
import type { CompiledRule, Dependency } from '@cloudfit/contract/rules/compile.ts';
import type { RuleEntity, StatePlace } from '@cloudfit/contract/rules/facts.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import type { IngestRule } from './ingest-rule.ts';
import { decideMatches } from './decide-matches.ts';
import type { MatchingAt } from './circumstances.ts';
import type { RuleHit } from './evaluate-entity.ts';
import { readOpenMatches } from './store-matches.ts';

/** The period of a match, from its first packet to its end. */
interface MatchPeriod {
  ruleMatchId: string;
  from: number;
  until: number;
}

/** The kind of place at which a match counts. A parent is looked up as a device. */
type MatchPlace = Exclude<StatePlace, 'parent'>;

const deviceOf = (entity: RuleEntity): string => entity.device?.id ?? entity.id;

function placeOf(entity: RuleEntity, place: StatePlace): { place: MatchPlace; key: string } | undefined {
  const key = {
    device: deviceOf(entity),
    parent: entity.device?.parentId,
    location: entity.device?.locationId,
    subscription: entity.subscriptionId,
  }[place];
  return key ? { place: place === 'parent' ? 'device' : place, key } : undefined;
}

interface StateRow {
  ruleMatchId: string;
  ruleId: string;
  place: MatchPlace;
  key: string;
  from: number;
  until: number;
}

const ms = (value: string) => `(extract(epoch from ${value}) * 1000)::float8`;
const columns = (place: MatchPlace, key: string) =>
  `m.rule_match_id as "ruleMatchId", m.rule_id as "ruleId", '${place}' as place, ${key} as key, ${ms('m.first_match')} as "from", ${ms('least(m.expires, m.closed)')} as until`;

// Selects open and ended matches separately, because each selection has a database index.
const both = (select: (ended: string) => string) =>
  [select('m.closed is null'), select('m.closed is not null and m.expires > $2')].join(' union all ');

const ofSubject = `left join device_operation o on o.device_operation_id = m.subject_id left join device d on d.device_id = coalesce(o.device_id, m.subject_id)`;

/** `$1`: rules, `$2`: the time up to which ended matches do not count, `$3`: devices, locations or subscriptions. */
const texts: Readonly<Record<MatchPlace, string>> = {
  device: both(
    (ended) => `select ${columns('device', 's.key')} from (
  select k as key, k as subject_id from unnest($3::uuid[]) k
  union all select o.device_id, o.device_operation_id from device_operation o where o.device_id = any($3::uuid[])
) s cross join unnest($1::uuid[]) r (rule_id) join rule_match m on m.rule_id = r.rule_id and m.subject_id = s.subject_id and ${ended}`,
  ),
  location: both(
    (ended) =>
      `select ${columns('location', 'p.location_id')} from rule_match m ${ofSubject} left join counted_group g on g.group_id = m.subject_id and g.kind = 'Location'
cross join lateral (select coalesce(d.location_id, g.key::uuid) as location_id) p
where m.rule_id = any($1::uuid[]) and ${ended} and p.location_id = any($3::uuid[])`,
  ),
  subscription: both(
    (
      ended,
    ) => `select ${columns('subscription', 'p.subscription_id')} from rule_match m ${ofSubject} left join block b on b.block_id = m.subject_id
left join subscription n on n.subscription_id = m.subject_id
cross join lateral (select coalesce(d.subscription_id, b.subscription_id, n.subscription_id) as subscription_id) p
where m.rule_id = any($1::uuid[]) and ${ended} and p.subscription_id = any($3::uuid[])`,
  ),
};

/** Reads the periods in which these rules match for these entities, without those that end before `from`. */
async function readRows(db: Db, depends: readonly Dependency[], entities: Iterable<RuleEntity>, from: number): Promise<StateRow[]> {
  const rules: Record<MatchPlace, Set<string>> = { device: new Set(), location: new Set(), subscription: new Set() };
  const keys: Record<MatchPlace, Set<string>> = { device: new Set(), location: new Set(), subscription: new Set() };
  for (const { place, ruleId } of depends) rules[place === 'parent' ? 'device' : place].add(ruleId);
  const places = [...new Set(depends.map(({ place }) => place))];
  for (const entity of entities)
    for (const place of places) {
      const at = placeOf(entity, place);
      if (at) keys[at.place].add(at.key);
    }
  const rows: StateRow[] = [];
  for (const place of ['device', 'location', 'subscription'] as const)
    if (keys[place].size > 0)
      rows.push(
        ...(await db.query<StateRow>({
          name: `rule-states-${place}`,
          text: texts[place],
          values: [[...rules[place]], new Date(from).toISOString(), [...keys[place]]],
        })),
      );
  return rows;
}

const keyOf = (place: MatchPlace, key: string, ruleId: string): string => `${place} ${key} ${ruleId}`;

/**
 * Reads the states of other rules for the entities of a batch. `unwritten`: the hits of this batch, whose matches are not
 * written yet.
 */
export async function readStates(
  db: Db,
  depends: readonly Dependency[],
  entities: readonly RuleEntity[],
  from: number,
  unwritten?: { hits: readonly RuleHit[]; now: number },
): Promise<MatchingAt> {
  const periods = new Map<string, MatchPeriod[]>();
  const byMatch = new Map<string, MatchPeriod[]>();
  const append = (map: Map<string, MatchPeriod[]>, key: string, period: MatchPeriod): void => {
    const some = map.get(key);
    if (some) some.push(period);
    else map.set(key, [period]);
  };
  function add(place: MatchPlace, key: string, ruleId: string, period: MatchPeriod): void {
    append(periods, keyOf(place, key, ruleId), period);
    append(byMatch, period.ruleMatchId, period);
  }
  for (const row of await readRows(db, depends, entities, from))
    add(row.place, row.key, row.ruleId, { ruleMatchId: row.ruleMatchId, from: row.from, until: row.until });
  const ruleIds = new Set(depends.map(({ ruleId }) => ruleId));
  const hits = unwritten?.hits.filter(({ rule }) => ruleIds.has(rule.rule.recovers ?? rule.ruleId)) ?? [];
  if (unwritten && hits.length > 0) {
    const decision = decideMatches(hits, await readOpenMatches(db, hits, unwritten.now), () => false, unwritten.now);
    for (const match of [...decision.repeated, ...decision.ended])
      for (const one of byMatch.get(match.ruleMatchId) ?? []) one.until = match.expires;
    for (const { ruleMatchId, ruleId, hit, firstMatch, expires } of decision.opened)
      for (const place of ['device', 'location', 'subscription'] as const) {
        const at = placeOf(hit.entity, place);
        if (at) add(at.place, at.key, ruleId, { ruleMatchId, from: firstMatch, until: expires });
      }
  }
  return (entity, at) => (place, ruleId) => {
    const where = placeOf(entity, place);
    const matched = where && periods.get(keyOf(where.place, where.key, ruleId));
    return matched?.some((item) => item.from <= at && at < item.until) ?? false;
  };
}

/** Returns the dependencies of these rules, each once. */
export function dependenciesOf(rules: Iterable<CompiledRule>): Dependency[] {
  const dependencies = new Map<string, Dependency>();
  for (const { depends } of rules) for (const one of depends) dependencies.set(`${one.place} ${one.ruleId}`, one);
  return [...dependencies.values()];
}

const levels = new WeakMap<RuleIndex<IngestRule>, readonly RuleIndex<IngestRule>[]>();

/**
 * Splits the rules of an index into levels, so that each rule is in a later level than the rules that it depends on. A rule
 * that stands for recovery conditions is in the level of its rule.
 */
export function levelsOf(index: RuleIndex<IngestRule>): readonly RuleIndex<IngestRule>[] {
  let ordered = levels.get(index);
  if (!ordered) levels.set(index, (ordered = inOrder(index)));
  return ordered;
}

function inOrder(index: RuleIndex<IngestRule>): readonly RuleIndex<IngestRule>[] {
  const byRule = Map.groupBy(index.all(), ({ rule, ruleId }) => rule.recovers ?? ruleId);
  const depths = new Map<string, number>();
  function depthOf(ruleId: string): number {
    const computed = depths.get(ruleId);
    if (computed !== undefined) return computed;
    // Circular references are refused when a rule is saved; here they must only not cause endless recursion.
    depths.set(ruleId, 0);
    const below = dependenciesOf(byRule.get(ruleId) ?? []).filter((dependency) => byRule.has(dependency.ruleId));
    const depth = Math.max(0, ...below.map((rule) => depthOf(rule.ruleId) + 1));
    depths.set(ruleId, depth);
    return depth;
  }
  const byDepth = Map.groupBy(byRule.keys(), depthOf);
  if (byDepth.size <= 1) return index.size > 0 ? [index] : [];
  return [...byDepth.keys()]
    .toSorted((a, b) => a - b)
    .map((depth) => buildRuleIndex((byDepth.get(depth) ?? []).flatMap((id) => byRule.get(id) ?? [])));
}
