/** What a try of a rule is given, whatever type the rule is of. */
import type { Db } from '../../db/connection.ts';
import type { Entities } from '../entities.ts';
import type { Outcomes, TriedRules } from './outcomes.ts';
import type { Period } from './tally.ts';

export interface Backtest extends TriedRules {
  entities: Entities;
  period: Period;
  entityIds: readonly string[] | undefined;
  tenantId: string;
  /** The saved rule that is tried: its own matches are no news to it. */
  ruleId?: string | undefined;
  /** False ends it. `progress` is 0 to 1. */
  goOn: (progress: number, packets: number) => Promise<boolean>;
}

/** Folds what is on record from `start` on into the outcomes; answers what people should know of it, undefined when it was stopped. */
export type RunOn = (db: Db, backtest: Backtest, outcomes: Outcomes, start: number) => Promise<string[] | undefined>;

export const maxWarmUpMs = 24 * 3_600_000;

/** Others want the processor too. */
export const breathe = () => new Promise((resolve) => setImmediate(resolve));
