/** Joins copies of a rule into one rule of many tenants, whose exceptions have what differs. */
import { joinRules, previewJoinedRules } from '@cloudfit/contract/rules/exceptions/calls.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { describeCondition, describeRule } from '@cloudfit/contract/rules/describe.ts';
import { joinRules as joined, type JoinedRules } from '@cloudfit/contract/rules/exceptions/join.ts';
import type { WatchedSince } from '@cloudfit/contract/rules/condition-parts.ts';
import { constantsOf, withOwnValues } from '@cloudfit/contract/rules/own-values.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { endingTenants } from '../../context/ending-tenants.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import { moveMatches } from './move-matches.ts';
import { servedRules } from './rules.served.ts';
import { servedOf, type Served } from '../../resources/served.ts';

const withoutCopyMax = 500;

interface JoinPlan extends JoinedRules {
  copies: Row<typeof rules>[];
  /** The tenants for which the rule will be, but which have no copy. */
  without: string[];
  tenantNames: ReadonlyMap<string, string>;
}

async function planOf(ctx: Ctx, ruleIds: readonly string[], tenantGroupId: string | null): Promise<JoinPlan> {
  const copies: Row<typeof rules>[] = [];
  for (const id of new Set(ruleIds)) copies.push(await get(ctx, servedRules, id));
  const wrong = (target: string, message: string) => validationFailed([{ target, message }]);
  if (copies.length < 2) throw wrong('ruleIds', 'Choose at least two rules.');
  const one = joined(copies);
  if (!('rule' in one)) {
    const label = rules.fields[one.field as keyof typeof rules.fields].label;
    const [tenant] = await ctx.db.query<{ name: string }>({
      name: 'join-rules-tenant',
      text: 'select name from tenant where tenant_id = $1',
      values: [one.tenantId],
    });
    throw wrong(
      'ruleIds',
      `The rule ${one.ruleName}${tenant ? ` of ${tenant.name}` : ''} cannot be joined, because of its field ${label}: copies are of one tenant each, and differ only in constants, lifetime, severity and whether they are enabled.`,
    );
  }
  const tenants = await ctx.db.query<{ id: string; name: string }>({
    name: 'join-rules-tenants',
    text: 'select tenant_id as id, name from tenant where tenant_id in (select tenants_of_rule(null, $1))',
    values: [tenantGroupId],
  });
  const tenantNames = new Map(tenants.map(({ id, name }) => [id, name]));
  const outside = copies.find(({ tenantId }) => !tenantNames.has(tenantId ?? ''));
  if (outside) throw wrong('tenantGroupId', `The tenant of the rule ${outside.name} is not in the group. Choose another group.`);
  const ofCopies = new Set(copies.map(({ tenantId }) => tenantId));
  const ending = await endingTenants(ctx);
  const without = tenants.map(({ id }) => id).filter((id) => !ofCopies.has(id) && !ending.has(id));
  if (without.length > withoutCopyMax)
    throw wrong('tenantGroupId', `${without.length} tenants have no copy. Choose a group that has the tenants of the rules.`);
  return { ...one, copies, without, tenantNames };
}

const preview = implement(previewJoinedRules, async (ctx, { ruleIds, tenantGroupId }) => {
  const { rule, differences, without, tenantNames } = await planOf(ctx, ruleIds, tenantGroupId ?? null);
  const words = ruleWordsFor(ctx);
  return {
    name: rule.name,
    conditions: describeRule(rule.conditions, words),
    differences: differences.map(({ tenantId, isOff, ownValues, matchLifetime, severityId }) => ({
      tenantId,
      tenantName: tenantNames.get(tenantId) ?? '',
      isOff,
      differs: [
        ...constantsOf(withOwnValues(rule.conditions, ownValues)).flatMap(({ key, condition }) =>
          ownValues && key in ownValues ? [describeCondition(condition, words)] : [],
        ),
        ...(matchLifetime === null ? [] : [matchLifetime]),
        ...(severityId === null ? [] : [severityId]),
      ],
    })),
    leftOut: without.length,
  };
});

/** Since when the conditions of these rules count, the latest where several have one; without rules that do not hold. */
function countingSince(copies: readonly Row<typeof rules>[]): WatchedSince {
  const times: Record<string, string> = {};
  for (const { enabled, watchedSince } of copies)
    for (const [key, since] of Object.entries(enabled ? (watchedSince ?? {}) : {})) {
      const other = times[key];
      if (other === undefined || Date.parse(other) < Date.parse(since)) times[key] = since;
    }
  return times;
}

/** Rules of which a new one goes on to count where its copies are, also with the own values that become exceptions. */
function goingOn(copies: readonly Row<typeof rules>[]): Served<typeof rules> {
  const served = servedOf(rules);
  return {
    ...served,
    fill: async (ctx, change) => {
      const filled = await served.fill?.(ctx, change);
      return { ...filled, watchedSince: { ...filled?.watchedSince, ...countingSince(copies) } };
    },
  };
}

const join = implement(joinRules, (outside, { ruleIds, tenantGroupId = null, name }) =>
  inTransaction(outside, async (ctx) => {
    requirePermission(ctx, 'Rules', 'create', null);
    const { rule, differences, without, copies } = await planOf(ctx, ruleIds, tenantGroupId);
    const { ruleId } = await create(ctx, goingOn(copies), { ...rule, name, tenantId: null, tenantGroupId, subscriptionId: null });
    for (const { ruleId: copyId, ...difference } of differences) {
      const copy = copies.find((item) => item.ruleId === copyId);
      await create(ctx, servedOf(ruleExceptions), {
        ...difference,
        severityId: difference.severityId as Row<typeof ruleExceptions>['severityId'],
        ruleId,
        appliesTo: 'Tenant',
        reason: `As in its rule ${copy?.name ?? ''}`.slice(0, 1_000),
      });
    }
    for (const tenantId of without)
      await create(ctx, servedOf(ruleExceptions), { ruleId, tenantId, appliesTo: 'Tenant', isOff: true, reason: 'Had no such rule.' });
    const inForce = copies.filter(({ enabled }) => enabled);
    for (const copy of inForce) await update(ctx, servedOf(rules), copy.ruleId, { enabled: false });
    await moveMatches(
      ctx,
      inForce.flatMap(({ ruleId: from, tenantId }) => (tenantId ? [{ tenantId, from, to: ruleId }] : [])),
    );
    return { ruleId, exceptions: differences.length + without.length, changeSet: ctx.correlationId };
  }),
);

export const joinRulesActions: readonly ImplementedAction[] = [preview, join];
