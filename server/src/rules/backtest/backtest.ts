/** What the backtests of all rule types share. */
import type { Sentence } from '@cloudfit/contract/rules/rule-words.ts';
import type { Db } from '../../db/db.ts';
import type { Entities } from '../run/entities.ts';
import type { Outcomes, TriedRules } from './outcomes.ts';
import type { Period } from '../past/past-packets.ts';

export interface Backtest extends TriedRules {
  entities: Entities;
  period: Period;
  entityIds: readonly string[] | undefined;
  tenantId: string;
  /** The saved rule; the backtest ignores its recorded matches. */
  ruleId?: string | undefined;
  /** Returns false to stop the backtest. `progress` is 0 to 1. */
  goOn: (progress: number, packets: number) => Promise<boolean>;
}

/** Replays the record from `start` into the outcomes. Returns notes for people; undefined when stopped. */
export type RunOn = (db: Db, backtest: Backtest, outcomes: Outcomes, start: number) => Promise<Sentence[] | undefined>;

export const maxWarmUpMs = 24 * 3_600_000;
