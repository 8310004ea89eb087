/** Backtests rules of type Correlation on the recorded matches of other rules. */
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { correlatedEvent, subjectOf } from '../run/correlate.job.ts';
import { isCorrelatedBy } from '../run/correlated.ts';
import { matchEventsOf, maxMatches, newMatchPast, readMatches } from '../past/past-matches.ts';
import { widestWindowMs } from '../run/widest-window.ts';
import { breathe, type RunOn } from './backtest.ts';
import { triedOf, withRecoveries } from './outcomes.ts';
import { newEventReplay } from './replay-events.ts';

const notKept =
  'Only the opening, the last hit and the end of a match are on record: hits between them led to no evaluation here, so matches may have repeated or opened more often.';

export const runOnMatches: RunOn = async (db, backtest, outcomes, start) => {
  const { tenantId, entities, entityIds, period, ruleId, goOn } = backtest;
  const index = buildRuleIndex(withRecoveries(triedOf(backtest)));
  const windowMs = widestWindowMs(index);
  const read = await readMatches(db, { tenantId, from: start - windowMs, to: period.to });
  // A rule ignores its own matches.
  const matches = read.filter((match) => match.ruleId !== ruleId);
  const entityById = await entities.find(new Set(matches.map((match) => match.subjectId)));
  const subjects = await entities.find(new Set([...entityById.values()].map(subjectOf)));
  const past = newMatchPast(matches, entityById, subjectOf, windowMs);
  const isCorrelated = isCorrelatedBy(index);
  const onlyIds = entityIds && new Set(entityIds);
  const replay = newEventReplay(backtest, outcomes);
  const subjectIds = new Set<string>();
  let count = 0;
  for (const { at, match } of matchEventsOf(matches)) {
    if (at < start || at >= period.to || !isCorrelated(tenantId, match.ruleId)) continue;
    const reporter = entityById.get(match.subjectId);
    const entity = reporter && subjects.get(subjectOf(reporter));
    if (!entity || (onlyIds && !onlyIds.has(entity.id))) continue;
    // One event per moment, rule and device, because one job evaluates all matches that share these.
    const key = `${at} ${match.ruleId} ${entity.id}`;
    if (subjectIds.has(key)) continue;
    subjectIds.add(key);
    replay(correlatedEvent(entity, past.factsAt(entity.id, at), at, match.ruleMatchId));
    if ((count += 1) % 1_000 > 0) continue;
    await breathe();
    if (!(await goOn(Math.max(0, (at - start) / (period.to - start)), count))) return undefined;
  }
  return [notKept, ...(read.length >= maxMatches ? [`Only the first ${maxMatches} matches were looked at.`] : [])];
};
