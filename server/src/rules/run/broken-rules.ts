/** Marks failed rules: writes the cause to the rule, and for rules that fail as a whole also to the recorded evaluations. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { rulesWithMissingRows } from '../../features/rules/named-rows.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { changed } from '../../db/changed.ts';

export interface BrokenRule {
  ruleId: string;
  cause: string;
}

const longestCause = 1_000;

// Updates only rules without this mark, so that a rule that fails at each packet or on each server is written once.
const marked = `with marked as (
  update rule r set evaluation_failure = b.cause, evaluation_failed = now()
  from jsonb_to_recordset($1::jsonb) as b (rule_id uuid, cause text)
  where r.rule_id = b.rule_id and r.evaluation_failure is distinct from b.cause
  returning r.tenant_id, r.rule_id, b.cause
), changed as (${changed(rules, 'update', 'marked', '$2')})`;

function rowsOf(broken: readonly BrokenRule[]) {
  // Takes the first cause of each rule.
  const last = new Map(broken.toReversed().map((rule) => [rule.ruleId, rule]));
  return [...last.values()].map(({ ruleId, cause }) => ({
    rule_id: ruleId,
    cause: startOf(cause, longestCause),
  }));
}

/** Marks rules whose evaluation failed. Call it in the transaction that records the evaluations. */
export async function markBroken(db: Db, broken: readonly BrokenRule[]): Promise<void> {
  if (broken.length === 0) return;
  await db.defer({ name: 'rule-mark', text: `${marked} select 1 from marked`, values: [JSON.stringify(rowsOf(broken)), randomUUID()] });
}

/** Marks rules that do not compile or name deleted rows. The subject of the recorded evaluation is the rule itself; a rule of many tenants is only marked. */
export async function recordBroken(db: Db, broken: readonly BrokenRule[]): Promise<void> {
  if (broken.length === 0) return;
  await db.query({
    text: `${marked} insert into rule_evaluation (tenant_id, rule_id, subject_id, outcome, detail, correlation_id)
select tenant_id, rule_id, rule_id, 'failed', jsonb_build_object('error', cause), $2 from marked where tenant_id is not null`,
    values: [JSON.stringify(rowsOf(broken)), randomUUID()],
  });
}

/** Marks rules that name deleted rows. Such rules are still evaluated, because their other conditions may hold. */
export const brokenRulesWork: Periodic = {
  name: 'broken-rules',
  everyMs: 60_000,
  run: async (db) => recordBroken(db, await rulesWithMissingRows(db)),
};
