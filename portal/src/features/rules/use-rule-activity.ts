/** How often each rule matched in the last week, and when last: one read for all rules of the tenant. */
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { useGroups } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';

const days = 7;
const dayMs = 86_400_000;

export interface RuleActivity {
  ruleId: string;
  n: number;
  last: string;
}

/** Midnight, so that the query stays the same for a day. */
function weekAgo(): string {
  const start = new Date(Date.now() - days * dayMs);
  start.setHours(0, 0, 0, 0);
  return start.toISOString();
}

export function useRuleActivity(ruleId: string): (RuleActivity & { perDay: number }) | undefined {
  const { tenantId } = useScope();
  const of = and(tenantId ? eq(ruleMatches, 'tenantId', tenantId) : undefined, compare(ruleMatches, 'created', 'ge', weekAgo())) ?? 'true';
  const apply = `filter(${of})/groupby((ruleId),aggregate($count as n,created with max as last))`;
  const { data } = useGroups<RuleActivity>(ruleMatches, { apply });
  const row = data?.rows.find((one) => one.ruleId === ruleId);
  return data && (row ? { ...row, perDay: row.n / days } : { ruleId, n: 0, last: '', perDay: 0 });
}
