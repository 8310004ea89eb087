/** How often each rule matched in the last week, and the time of the latest match: one read for all rules of the tenant. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { and, compare, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { fetchGroups, useGroups } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';

const days = 7;

export interface RuleActivity {
  ruleId: string;
  n: number;
  last: string;
}

/** Returns midnight a week ago: not the present time, so that the query stays the same for a day. */
function weekAgo(): string {
  const start = new Date(Date.now() - days * dayMs);
  start.setHours(0, 0, 0, 0);
  return start.toISOString();
}

const activityOf = (of: string): { apply: string } => ({
  apply: `filter(${of})/groupby((ruleId),aggregate($count as n,created with max as last))`,
});

/** The number of ids that fit into an address. */
const idsAtOnce = 150;

export type WeekOfRule = RuleActivity & { perDay: number };

/** Reads the activity of the rules in an export. */
export async function readRuleActivity(ruleIds: readonly string[]): Promise<(ruleId: string) => WeekOfRule> {
  const weeks = new Map<string, RuleActivity>();
  for (let from = 0; from < ruleIds.length; from += idsAtOnce) {
    const of = and(compare(ruleMatches, 'created', 'ge', weekAgo()), oneOf(ruleMatches, 'ruleId', ruleIds.slice(from, from + idsAtOnce)));
    const { rows } = await fetchGroups<RuleActivity>(ruleMatches, activityOf(of ?? 'true'));
    for (const row of rows) weeks.set(row.ruleId, row);
  }
  return (ruleId) => withPerDay(ruleId, weeks.get(ruleId));
}

const withPerDay = (ruleId: string, row: RuleActivity | undefined): WeekOfRule =>
  row ? { ...row, perDay: row.n / days } : { ruleId, n: 0, last: '', perDay: 0 };

export function useRuleActivity(ruleId: string): WeekOfRule | undefined {
  const { tenantId } = useScope();
  const of = and(tenantId ? eq(ruleMatches, 'tenantId', tenantId) : undefined, compare(ruleMatches, 'created', 'ge', weekAgo())) ?? 'true';
  const { data } = useGroups<RuleActivity>(ruleMatches, activityOf(of));
  return (
    data &&
    withPerDay(
      ruleId,
      data.rows.find((row) => row.ruleId === ruleId),
    )
  );
}
