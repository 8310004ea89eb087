/** Versions of a rule: its current row, and the complete rows that the audit has before and after each change. */
import type { CountBy } from '@cloudfit/contract/enums.ts';
import type { WatchedSince } from '@cloudfit/contract/rules/condition-parts.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { compileRule, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { exceptionChooser } from '@cloudfit/contract/rules/exceptions/choose.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { ActionCall, Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import type { Entity } from '../run/entity.ts';
import type { NewVersion } from '../run/rollout.ts';
import { entityHistory, exceptionHistory, fitsEver, underException, type PastException } from './exceptions.ts';
import { asOfTenant } from './rules-of-many.ts';

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
  clearFor?: string;
  lateGrace?: string;
  tellLate?: boolean;
  neverReported?: boolean;
  timeConditions?: TimeConditions | null;
  countBy?: CountBy;
  countTag?: string | null | undefined;
  conditions: Condition[];
  recoveryConditions?: Condition[] | null | undefined;
  matchActions?: ActionCall[];
  expirationActions?: ActionCall[];
  watchedSince?: WatchedSince | null;
  created: string;
  modified?: string;
}

/** A rule as it is stored, or as the audit has it, which omits nulls: without a tenant it is of a group or of all tenants. */
export interface RecordedRule extends Omit<WireRule, 'tenantId'> {
  tenantId?: string | null;
  tenantGroupId?: string | null;
}

/** `rule` is null while the rule did not exist. Times are epoch milliseconds. */
export interface RuleVersion {
  from: number;
  rule: WireRule | null;
  /** The campaign that brought the version to the device before it came into force for all devices. */
  campaign?: string;
  /** The exception that held for the entity. */
  exception?: PastException;
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
    ...(rule.watchedSince ? { watchedSince: rule.watchedSince } : {}),
    lifetimeMs: secondsOf(rule.matchLifetime) * 1_000,
    sliding: rule.useSlidingExpiration ?? false,
    ...(rule.clearFor && secondsOf(rule.clearFor) > 0 ? { clearForMs: secondsOf(rule.clearFor) * 1_000 } : {}),
    ...(rule.lateGrace === undefined ? {} : { graceMs: secondsOf(rule.lateGrace) * 1_000 }),
    ...(rule.tellLate ? { tellLate: true } : {}),
    ...(rule.neverReported ? { neverReported: true } : {}),
    ...(rule.recoveryConditions?.length ? { recoveryConditions: rule.recoveryConditions } : {}),
    matchActions: rule.matchActions ?? [],
    expirationActions: rule.expirationActions ?? [],
  };
}

/** Returns a function that compiles each version once. For a version that does not compile, it returns the error as text. */
export function compiler(): (rule: WireRule) => CompiledRule<IngestRule> | string {
  const compiledByRule = new Map<WireRule, CompiledRule<IngestRule> | string>();
  return (rule) => {
    let compiled = compiledByRule.get(rule);
    if (compiled === undefined) {
      try {
        compiled = compileRule(definitionOf(rule));
      } catch (error) {
        compiled = messageOf(error);
      }
      compiledByRule.set(rule, compiled);
    }
    return compiled;
  };
}

interface RuleChange {
  at: string;
  before: RecordedRule | null;
  after: RecordedRule | null;
}

interface RecordedVersion extends Omit<RuleVersion, 'rule'> {
  rule: RecordedRule | null;
}

/** The maximum number of changes that are read, newest first. Earlier versions of a rule with more changes are unknown. */
const atMost = 500;

interface RolledOutVersion {
  ruleId: string;
  campaign: string;
  definition: NewVersion;
  begun: string;
  /**
   * When the new version came into force for all devices, or the previous one was restored; null while neither has happened.
   */
  until: string | null;
}

/** New versions of rules that campaigns have brought to the device of the entity, in order of time. */
export async function rolledOutTo(ctx: Ctx, entity: Entity | undefined, ruleId: string | null): Promise<RolledOutVersion[]> {
  if (!entity?.device) return [];
  return ctx.db.query<RolledOutVersion>({
    name: 'explain-rolled-out',
    text: `select o.rule_id as "ruleId", c.title as campaign, o.definition, d.begun, coalesce(case when d.outcome = 'Returned' then d.ended end, o.ended) as until
from campaign_device d join rule_rollout o on o.campaign_id = d.campaign_id join campaign c on c.campaign_id = d.campaign_id
where d.device_id = $1 and d.is_own and d.begun is not null and ($2::uuid is null or o.rule_id = $2) order by d.begun`,
    values: [entity.device.id, ruleId],
  });
}

/**
 * The versions that applied to the entity: those of the rule, and those of a roll-out during the time in which they were in
 * force only for the entity's device.
 */
function withRolledOut(versions: readonly RuleVersion[], rollouts: readonly RolledOutVersion[]): RuleVersion[] {
  if (rollouts.length === 0) return [...versions];
  const all = [...versions];
  for (const { campaign, definition, begun, until } of rollouts) {
    const from = Date.parse(begun);
    const before = versionAt(versions, from)?.rule;
    if (!before) continue;
    all.push({ from, rule: { ...before, ...definition }, campaign });
    const after = until === null ? undefined : versionAt(versions, Date.parse(until));
    if (until !== null && after) all.push({ ...after, from: Date.parse(until) });
  }
  return all.toSorted((a, b) => a.from - b.from);
}

/**
 * Returns the versions that applied to the entity, in order of time; the first also covers all earlier time. `now` is the
 * current row, null when deleted. `tenantId`: as whose rule the versions are returned; null while the rule was not for this tenant.
 */
export async function ruleVersions(
  ctx: Ctx,
  ruleId: string,
  now: WireRule | null,
  entity: Entity | undefined,
  tenantId: string,
): Promise<RuleVersion[]> {
  const stored = await versionsOfAll(ctx, ruleId, now);
  const ofTenant = await asOfTenant(
    ctx,
    tenantId,
    stored.map(({ rule }) => rule),
  );
  const versions = stored.map((version, at) => ({ ...version, rule: ofTenant[at] ?? null }));
  return withExceptions(ctx, withRolledOut(versions, await rolledOutTo(ctx, entity, ruleId)), { ruleId, entity, tenantId });
}

/** The versions as the exceptions that held for the entity made them, with the name, tags and place that it had then. */
async function withExceptions(
  ctx: Ctx,
  versions: RuleVersion[],
  { ruleId, entity, tenantId }: { ruleId: string; entity: Entity | undefined; tenantId: string },
): Promise<RuleVersion[]> {
  if (!entity) return versions;
  const entities = await entityHistory(ctx, entity, 0);
  const exceptions = await exceptionHistory(ctx, { tenantId, ruleId, since: 0 }, fitsEver(entities));
  if (exceptions.times.length === 0) return versions;
  const times = [...versions.map(({ from }) => from), ...exceptions.times, ...entities.times];
  const all: RuleVersion[] = [];
  let last: { base: RuleVersion; exception: PastException | undefined } | undefined;
  for (const from of [...new Set(times)].toSorted((a, b) => a - b)) {
    const base = versionAt(versions, from);
    const exception = base?.rule ? exceptionChooser(exceptions.at(from))(entities.at(from)) : undefined;
    if (!base || (last?.base === base && last.exception === exception)) continue;
    last = { base, exception };
    all.push({ ...base, from, rule: base.rule && underException(base.rule, exception), ...(exception ? { exception } : {}) });
  }
  return all;
}

async function versionsOfAll(ctx: Ctx, ruleId: string, now: WireRule | null): Promise<RecordedVersion[]> {
  const newest = await ctx.db.query<RuleChange>({
    name: 'explain-rule-changes',
    text: `select at, before, after from audit where entity = 'rules' and entity_id = $1 and verb in ('create', 'update', 'move', 'delete') order by audit_id desc limit ${atMost}`,
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
  const versions: RecordedVersion[] = [{ from: 0, rule: null }];
  if (first.before) versions.push({ from: Date.parse(first.before.created), rule: first.before });
  for (const { at, after } of changes) versions.push({ from: Date.parse(at), rule: after });
  return versions;
}

/** Returns the version that applied at a time. */
export function versionAt(versions: readonly RuleVersion[], at: number): RuleVersion | undefined {
  return versions.findLast((version) => version.from <= at);
}
