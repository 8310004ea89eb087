import type { Row } from '@cloudfit/contract/resource.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { unitMatches } from '@cloudfit/contract/resources/unit-matches.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { idleProtocol } from '@cloudfit/contract/protocols/idle-protocol.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { notify } from '../../db/notify.ts';
import type { Ctx } from '../../context/ctx.ts';
import { serve, type FieldError, type RowChange } from '../../resources/served.ts';
import { actionCallProblems, withPlainIds } from './action-calls.ts';
import { removeExceptions } from './rule-exceptions.served.ts';
import { returnMatches } from './move-matches.ts';
import { namedRowProblems } from './named-rows.ts';
import { concerning } from './rules-of-groups.ts';
import { circleProblems, dependentProblems } from './rule-circles.ts';
import { watchedSince } from './watched-since.ts';

type StoredRule = Row<typeof rules>;

/** Refuses what a rule of many tenants cannot have: a tenant beside the group, and conditions on one tenant. */
function placeProblems({ tenantId, tenantGroupId, conditions, recoveryConditions }: StoredRule): FieldError[] {
  // A field that a create omits is undefined here.
  if (tenantId)
    return tenantGroupId
      ? [{ target: 'tenantGroupId', message: 'A rule is for a tenant or for a group of tenants. Clear one of the two.' }]
      : [];
  const ofTenant = (name: string, list: readonly Condition[] | null) =>
    (list ?? []).flatMap(({ LeftOperand }, at) =>
      LeftOperand === operandId.tenant
        ? [
            {
              target: `${name}[${at}].LeftOperand`,
              message: 'A rule for several tenants has no condition on the tenant. Remove the condition.',
            },
          ]
        : [],
    );
  return [...ofTenant('conditions', conditions), ...ofTenant('recoveryConditions', recoveryConditions)];
}

/**
 * For a rule that moves to another tenant, returns its conditions with that tenant in place of the old one, which would never
 * hold there; otherwise undefined.
 */
function movedConditions({ before, after, changed }: RowChange<StoredRule>): Condition[] | undefined {
  const { tenantId } = after;
  if (!before || !tenantId || !changed.includes('tenantId')) return undefined;
  const names = (condition: Condition) =>
    condition.LeftOperand === operandId.tenant &&
    condition.Operator === operatorId.equals &&
    condition.RightOperand?.toLowerCase() === before.tenantId;
  return after.conditions.some(names)
    ? after.conditions.map((condition) => (names(condition) ? { ...condition, RightOperand: tenantId } : condition))
    : undefined;
}

const names: readonly (keyof StoredRule)[] = ['matchActions', 'expirationActions', 'tenantId'];

const naming: readonly (keyof StoredRule)[] = ['conditions', 'recoveryConditions', 'tenantId'];

/** Checks the rows to which conditions and recovery conditions refer, and that rules do not refer to each other in a circle. */
async function rowProblems(ctx: Ctx, rule: StoredRule): Promise<FieldError[]> {
  const { recoveryConditions } = rule;
  const ofRecovery = recoveryConditions?.length ? await namedRowProblems(ctx, { ...rule, conditions: recoveryConditions }) : [];
  const missing = [
    ...(await namedRowProblems(ctx, rule)),
    ...ofRecovery.map((item) => ({ ...item, target: `recoveryC${item.target.slice(1)}` })),
  ];
  return missing.length > 0 ? missing : circleProblems(ctx, rule);
}

/** Returns why the rule cannot be changed: a new version of it is being applied ring by ring. Otherwise undefined. */
async function rolloutProblem(ctx: Ctx, ruleId: string): Promise<string | undefined> {
  const [open] = await ctx.db.query<{ title: string }>({
    name: 'rule-rollout-open',
    text: 'select c.title from rule_rollout o join campaign c on c.campaign_id = o.campaign_id where o.rule_id = $1 and o.ended is null',
    values: [ruleId],
  });
  return open && `A new version of this rule is coming into force by the campaign ${open.title}. Wait for its end, or stop it.`;
}

/** Lets a changed time apply to the work units of the rule that are acknowledged already. */
async function lookAgain(ctx: Ctx, ruleId: string): Promise<void> {
  await ctx.db.query({
    name: 'rule-answer-watch',
    text: `insert into answer_watch (work_unit_id, tenant_id, look_at)
select work_unit_id, tenant_id, now() from work_unit where rule_id = $1 and state_id in ('New', 'Acknowledged')
on conflict (work_unit_id) do update set look_at = excluded.look_at`,
    values: [ruleId],
  });
}

export const servedRules = serve(rules, 'rule', {
  rowsFor: concerning,
  fill: (ctx, change) => {
    const { before, after, changed } = change;
    const conditions = movedConditions(change);
    return {
      watchedSince: watchedSince(before, conditions ? { ...after, conditions } : after, ctx.now().toISOString()),
      // The change may have repaired the rule.
      evaluationFailure: null,
      evaluationFailed: null,
      ...(conditions ? { conditions } : {}),
      ...(changed.includes('matchActions') ? { matchActions: withPlainIds(after.matchActions) } : {}),
      ...(changed.includes('expirationActions') ? { expirationActions: withPlainIds(after.expirationActions) } : {}),
    };
  },
  check: async (ctx, { verb, before, after, changed }) => {
    const rollout = before ? await rolloutProblem(ctx, before.ruleId) : undefined;
    if (rollout) return [{ target: 'ruleId', message: rollout }];
    if (verb === 'delete') {
      const dependents = await dependentProblems(ctx, after);
      if (dependents.length === 0) await removeExceptions(ctx, after.ruleId);
      return dependents;
    }
    const sameTenant = before?.tenantId === after.tenantId ? before : undefined;
    const calls = names.some((name) => changed.includes(name))
      ? await actionCallProblems(ctx, after.tenantId ?? null, after, sameTenant)
      : [];
    const problems = [...placeProblems(after), ...validateRule(after), ...calls];
    // Rows that conditions name are looked up only if all fields are valid by themselves.
    return problems.length > 0 || !naming.some((name) => changed.includes(name)) ? problems : rowProblems(ctx, after);
  },
  after: async (ctx, { verb, after, changed }) => {
    if (verb === 'update' && changed.includes('tenantId')) await removeExceptions(ctx, after.ruleId);
    if (verb === 'delete' && !after.tenantId) await returnMatches(ctx, after.ruleId);
    if (verb === 'update' && changed.includes('acknowledgedFor')) await lookAgain(ctx, after.ruleId);
    const idle = verb === 'delete' ? undefined : idleProtocol(after);
    if (idle) ctx.warnings?.push({ key: after.ruleId, message: idle });
    await notify(ctx.db, 'rules', [after.ruleId]);
  },
});

export const servedRuleMatches = serve(ruleMatches, 'rule_match');

export const servedUnitMatches = serve(unitMatches, 'unit_match');
