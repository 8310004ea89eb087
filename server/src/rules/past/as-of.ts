/** Reads what rules saw besides the events of a past period. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import type { Db } from '../../db/db.ts';
import type { Circumstances } from '../run/circumstances.ts';
import { gapsBetween } from '../run/pulse.ts';
import { dependenciesOf, readStates } from '../run/rule-states.ts';
import type { Period } from './past-packets.ts';
import { baselinesOf, readPastUsual, type PastUsual } from './past-usual.ts';

interface PastCircumstances extends Circumstances {
  /** What was found out about baselines; undefined if no rule compares with one. */
  usual: PastUsual | undefined;
}

/** The circumstances of these entities in a period, as far as the rules need them. */
export async function circumstancesIn(
  db: Db,
  rules: readonly CompiledRule[],
  entities: readonly RuleEntity[],
  period: Period,
): Promise<PastCircumstances> {
  const [depends, baselines] = [dependenciesOf(rules), baselinesOf(rules)];
  const [gaps, matchingAt, usual] = await Promise.all([
    gapsBetween(db, period.from, period.to),
    depends.length > 0 ? readStates(db, depends, entities, period.from) : undefined,
    baselines.length > 0 ? readPastUsual(db, baselines, entities, period) : undefined,
  ]);
  return { gaps, matchingAt, usualAt: usual?.usualAt, usual };
}
