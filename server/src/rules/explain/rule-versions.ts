/** A rule as it stood at a time: the row now, and the audit's whole rows before and after each change. */
import type { Ctx } from '../../context/ctx.ts';
import type { ActionCall, Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from '../compiled-rules.ts';

/** A rule as it travels; the audit leaves nulls out. */
export interface WireRule {
  ruleId: string;
  name: string;
  enabled: boolean;
  ruleTypeId: number;
  tenantId: string;
  subscriptionId?: string | null;
  matchLifetime: string;
  useSlidingExpiration?: boolean;
  timeConditions?: TimeConditions | null;
  conditions: Condition[];
  matchActions?: ActionCall[];
  expirationActions?: ActionCall[];
  created: string;
  modified?: string;
}

/** Null: the rule was not there. Times are epoch milliseconds. */
export interface RuleVersion {
  from: number;
  rule: WireRule | null;
}

function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

/** What the evaluation and the matches need of a rule as it travels. */
export function definitionOf(rule: WireRule): IngestRule {
  return {
    ruleId: rule.ruleId,
    name: rule.name,
    ruleTypeId: rule.ruleTypeId,
    tenantId: rule.tenantId,
    subscriptionId: rule.subscriptionId ?? null,
    conditions: rule.conditions,
    timeConditions: rule.timeConditions ?? null,
    ...(rule.modified === undefined ? {} : { since: Date.parse(rule.modified) }),
    lifetimeMs: secondsOf(rule.matchLifetime) * 1_000,
    sliding: rule.useSlidingExpiration ?? false,
    matchActions: rule.matchActions ?? [],
    expirationActions: rule.expirationActions ?? [],
  };
}

interface RuleChange {
  at: string;
  before: WireRule | null;
  after: WireRule | null;
}

/** Changes looked at, the newest ones: a rule that was changed more often is known from then on only. */
const atMost = 500;

/** In the order of time; the first one holds for everything before it as well. `now` is the row, null when it is gone. */
export async function ruleVersions(ctx: Ctx, ruleId: string, now: WireRule | null): Promise<RuleVersion[]> {
  const newest = await ctx.db.query<RuleChange>({
    name: 'explain-rule-changes',
    text: `select at, before, after from audit where entity = 'rules' and entity_id = $1 and verb in ('create', 'update', 'delete') order by audit_id desc limit ${atMost}`,
    values: [ruleId],
  });
  const changes = newest.toReversed();
  const first = changes[0];
  if (!first)
    return now
      ? [
          { from: 0, rule: null },
          { from: Date.parse(now.created), rule: now },
        ]
      : [];
  const versions: RuleVersion[] = [{ from: 0, rule: null }];
  if (first.before) versions.push({ from: Date.parse(first.before.created), rule: first.before });
  for (const { at, after } of changes) versions.push({ from: Date.parse(at), rule: after });
  return versions;
}

/** The one in force at a time. */
export function versionAt(versions: readonly RuleVersion[], at: number): RuleVersion | undefined {
  return versions.findLast((version) => version.from <= at);
}
