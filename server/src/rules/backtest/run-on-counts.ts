/** Backtests rules of type Aggregation: sums up stored packets again and evaluates the sums at the times of the timer. */
import { compileRule, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/db.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { countedEvent, countIntervalMs, readSubscriptions, subscriptionEntity } from '../run/count-many.ts';
import { groupsOfEntity, readCountGroups } from '../run/count-groups.ts';
import { newCountPast, type CountPast } from '../past/past-counts.ts';
import { mayBeAheadMs } from '../past/past-packets.ts';
import { newMatchPast, readMatches, type MatchPast } from '../past/past-matches.ts';
import { gapsBetween, isAway } from '../run/pulse.ts';
import { quietMs } from '../run/silence.ts';
import { widestWindowMs } from '../run/widest-window.ts';
import { breathe, type Backtest, type RunOn } from './backtest.ts';
import { triedOf, withRecoveries } from './outcomes.ts';
import { readHistory } from '../past/read-history.ts';
import { newEventReplay } from './replay-events.ts';
import { entitiesOf } from './run-on-packets.ts';

/** Returns the rule with `since` set to the start of the replay, because packets before the start are not counted. */
function since(rule: CompiledRule<IngestRule>, start: number): CompiledRule<IngestRule> {
  return compileRule({ ...rule.rule, since: start, watchedSince: null });
}

async function matchPastOf(
  db: Db,
  { tenantId, entities, period, ruleId }: Backtest,
  rules: readonly CompiledRule[],
  start: number,
): Promise<MatchPast> {
  const reads = rules.some((rule) => rule.conditions.some((one) => one.operand.readMatches));
  const windowMs = widestWindowMs({ all: () => rules });
  const read = reads ? await readMatches(db, { tenantId, from: start - windowMs, to: period.to }) : [];
  const matches = read.filter((match) => match.ruleId !== ruleId);
  const entityById = await entities.find(new Set(matches.map((match) => match.subjectId)));
  return newMatchPast(matches, entityById, (entity) => [entity.subscriptionId ?? [], groupsOfEntity(entity)].flat(), windowMs);
}

/** The times of the timer's checks between two times, except in gaps, when the installation was down. */
function* checkTimes(from: number, to: number, gaps: readonly Gap[]): Generator<number> {
  for (let at = Math.ceil(from / countIntervalMs) * countIntervalMs; at < to; at += countIntervalMs) if (!isAway(gaps, at)) yield at;
}

export const runOnCounts: RunOn = async (db, backtest, outcomes, start) => {
  const { period, tenantId, goOn } = backtest;
  const draft = since(backtest.draft, start);
  const inForce = backtest.inForce && since(backtest.inForce, start);
  const rules = withRecoveries(triedOf({ draft, inForce }));
  const index = buildRuleIndex(rules);
  const counts: CountPast = newCountPast(index);
  const matches = await matchPastOf(db, backtest, rules, start);
  const gaps = await gapsBetween(db, start, period.to);
  const groups = await readCountGroups(
    db,
    rules.map(({ rule }) => rule),
  );
  const subjects = [...(await readSubscriptions(db, [tenantId])).map(subscriptionEntity), ...groups];
  const replay = newEventReplay({ draft, inForce, maintenance: backtest.maintenance }, outcomes, quietMs);
  let looked = start;
  let evaluated = 0;

  async function lookUpTo(until: number): Promise<void> {
    for (const at of checkTimes(looked, until, gaps)) {
      counts.moveTo(at);
      for (const entity of subjects)
        replay(countedEvent(entity, { at, totals: counts.totalsOf(entity.id), matches: matches.factsAt(entity.id, at), gaps }));
      if ((evaluated += subjects.length) % 2_000 < subjects.length) await breathe();
    }
    looked = Math.max(looked, until);
  }

  const reads = rules.some((rule) => rule.conditions.some((one) => one.operand.measure));
  const { members, notes } = reads ? await entitiesOf(db, backtest) : { members: [], notes: [] };
  const byId = new Map(members.map((entity) => [entity.id, entity]));
  let packets = 0;
  for await (const piece of readHistory(db, [...byId.keys()], { from: start, to: period.to }, { stale: true })) {
    await lookUpTo(piece.until - mayBeAheadMs);
    for (const [id, packetsOfEntity] of piece.packets) {
      const entity = byId.get(id);
      if (entity) counts.take(entity, packetsOfEntity);
    }
    packets += piece.count;
    if (!(await goOn(Math.min(1, Math.max(0, (piece.until - start) / (period.to - start))), packets))) return undefined;
  }
  // Evaluates the rest of the period in parts, so that the backtest can be stopped between two parts.
  for (let until = looked; until < period.to;) {
    until = Math.min(period.to, until + 6 * 3_600_000);
    await lookUpTo(until);
    if (!(await goOn((until - start) / (period.to - start), packets))) return undefined;
  }
  return [...notes, 'Sums were checked every five seconds, as in operation: a match may have opened up to five seconds earlier or later.'];
};
