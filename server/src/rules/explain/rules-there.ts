/** How the rules are at one device and at one tenant: as for all, with own values, or switched off. */
import { exceptionsOfDevice, rulesOfTenant, type RuleThere } from '@cloudfit/contract/rules/exceptions/calls.ts';
import { severities } from '@cloudfit/contract/enums.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { describeRule } from '@cloudfit/contract/rules/describe.ts';
import { byPrecedence, exceptionChooser, isWide } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { constantsOf } from '@cloudfit/contract/rules/own-values.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { ruleWordsFor } from '../../platform/rule-words.ts';
import { implement, type ImplementedCall } from '../../resources/action.ts';
import { exceptionsInForce, storedExceptions, underException, type PastException } from '../past/exceptions.ts';
import { readEntities } from '../run/entities.ts';
import { nameRows } from './name-rows.ts';

const view = permission('Rules', 'view');
const rulesAtMost = 200;
const endedAtMost = 3;

interface RuleOfPlace {
  ruleId: string;
  name: string;
  tenantId: string | null;
  conditions: Condition[];
}

const wire = ({
  ruleExceptionId,
  appliesTo,
  tag,
  entityName,
  isOff,
  ownValues,
  matchLifetime,
  severityId,
  until,
  reason,
  modifiedBy,
}: PastException) => ({
  ruleExceptionId,
  appliesTo,
  target: tag ?? entityName,
  isOff,
  ownValues: ownValues && { ...ownValues },
  matchLifetime,
  severityId: severities.find((severity) => severity === severityId) ?? null,
  until,
  reason,
  modifiedBy,
});

/** Describes rules with the exception that holds; `others`: those that yield to it. */
async function described(
  ctx: Ctx,
  tenantId: string,
  rules: readonly {
    rule: RuleOfPlace;
    winner: PastException | undefined;
    others: readonly PastException[];
    ended: readonly PastException[];
  }[],
): Promise<RuleThere[]> {
  const words = ruleWordsFor(ctx);
  const nameOf = await nameRows(
    ctx,
    rules.flatMap(({ rule }) => rule.conditions),
    tenantId,
  );
  return rules.map(({ rule, winner, others, ended }) => ({
    ruleId: rule.ruleId,
    name: rule.name,
    isInherited: rule.tenantId === null,
    conditions: describeRule(underException(rule, winner).conditions, words, nameOf),
    exception: winner ? wire(winner) : null,
    constants: constantsOf(rule.conditions).map(({ key, condition }) => ({
      key,
      condition: describeRule([condition], words, nameOf),
      value: condition.RightOperand ?? '',
    })),
    ended: ended
      .toSorted((a, b) => String(b.until).localeCompare(String(a.until)))
      .slice(0, endedAtMost)
      .map(wire),
    others: others.toSorted(byPrecedence).map(wire),
  }));
}

const columns = 'rule_id as "ruleId", name, tenant_id as "tenantId", conditions';

const ofDevice = implement(exceptionsOfDevice, async (ctx, { id }) => {
  const [entity] = await readEntities(ctx.db, [id]);
  if (entity?.kind !== 'device' || !may(ctx, view, entity.tenantId)) throw notFound('Device');
  const fitting = (await exceptionsInForce(ctx.db, entity.tenantId)).filter((exception) => exceptionChooser([exception])(entity));
  const byRule = Map.groupBy(fitting, ({ ruleId }) => ruleId);
  const rules = await ctx.db.query<RuleOfPlace>({
    name: 'device-exception-rules',
    text: `select ${columns} from rule where rule_id = any($1::uuid[]) and enabled and rule_is_for(tenant_id, tenant_group_id, $2) order by name, rule_id`,
    values: [[...byRule.keys()], entity.tenantId],
  });
  const ruleRows = rules.map((rule) => {
    const exceptions = byRule.get(rule.ruleId) ?? [];
    const winner = exceptionChooser(exceptions)(entity);
    return { rule, winner, others: exceptions.filter((exception) => exception !== winner), ended: [] };
  });
  return { rules: await described(ctx, entity.tenantId, ruleRows) };
});

const ofTenant = implement(rulesOfTenant, async (ctx, { id }) => {
  const [tenant] = await ctx.db.query({ text: 'select 1 from tenant where tenant_id = $1', values: [id] });
  if (!tenant || !may(ctx, view, id)) throw notFound('Tenant');
  const { inForce: exceptions, ended } = await storedExceptions(ctx.db, id);
  const endedOf = Map.groupBy(ended.filter(isWide), ({ ruleId }) => ruleId);
  const byRule = Map.groupBy(exceptions, ({ ruleId }) => ruleId);
  const rules = await ctx.db.query<RuleOfPlace>({
    name: 'tenant-inherited-rules',
    text: `select ${columns} from rule where tenant_id is null and enabled and rule_is_for(tenant_id, tenant_group_id, $1)
order by rule_id = any($2::uuid[]) desc, name, rule_id`,
    values: [id, [...byRule.keys(), ...endedOf.keys()]],
  });
  const shown = rules.slice(0, rulesAtMost).map((rule) => {
    const ofRule = byRule.get(rule.ruleId) ?? [];
    const winner = ofRule.filter(isWide).toSorted(byPrecedence)[0];
    return { rule, winner, others: ofRule.filter((exception) => exception !== winner), ended: endedOf.get(rule.ruleId) ?? [] };
  });
  return { rules: await described(ctx, id, shown), leftOut: Math.max(0, rules.length - rulesAtMost) };
});

export const rulesThereActions: readonly ImplementedCall[] = [ofDevice, ofTenant];
