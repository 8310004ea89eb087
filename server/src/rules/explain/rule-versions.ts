/** Versions of a rule: its current row, and the complete rows that the audit has before and after each change. */
import type { CountBy } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { ActionCall, Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from '../compiled-rules.ts';

/** A rule on the wire; the audit omits nulls. */
export interface WireRule {
  ruleId: string;
  name: string;
  enabled: boolean;
  ruleTypeId: number;
  tenantId: string;
  subscriptionId?: string | null;
  matchLifetime: string;
  useSlidingExpiration?: boolean;
  neverReported?: boolean;
  timeConditions?: TimeConditions | null;
  countBy?: CountBy;
  countTag?: string | null | undefined;
  conditions: Condition[];
  recoveryConditions?: Condition[] | null | undefined;
  matchActions?: ActionCall[];
  expirationActions?: ActionCall[];
  created: string;
  modified?: string;
}

/** `rule` is null while the rule did not exist. Times are epoch milliseconds. */
export interface RuleVersion {
  from: number;
  rule: WireRule | null;
}

function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

/** Converts a rule of the wire into the form for evaluation and matches. */
export function definitionOf(rule: WireRule): IngestRule {
  return {
    ruleId: rule.ruleId,
    name: rule.name,
    ruleTypeId: rule.ruleTypeId,
    tenantId: rule.tenantId,
    subscriptionId: rule.subscriptionId ?? null,
    conditions: rule.conditions,
    countBy: rule.countBy,
    countTag: rule.countTag,
    timeConditions: rule.timeConditions ?? null,
    ...(rule.modified === undefined ? {} : { since: Date.parse(rule.modified) }),
    lifetimeMs: secondsOf(rule.matchLifetime) * 1_000,
    sliding: rule.useSlidingExpiration ?? false,
    ...(rule.neverReported ? { neverReported: true } : {}),
    ...(rule.recoveryConditions?.length ? { recoveryConditions: rule.recoveryConditions } : {}),
    matchActions: rule.matchActions ?? [],
    expirationActions: rule.expirationActions ?? [],
  };
}

interface RuleChange {
  at: string;
  before: WireRule | null;
  after: WireRule | null;
}

/** The number of changes that are read, newest first. Earlier versions of a rule with more changes are unknown. */
const atMost = 500;

/** Versions in order of time; the first also covers all time before it. `now` is the current row, null when deleted. */
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

/** The version at a time. */
export function versionAt(versions: readonly RuleVersion[], at: number): RuleVersion | undefined {
  return versions.findLast((version) => version.from <= at);
}
