/**
 * Checks the rows that conditions name by their ids. Each row must exist in the rule's tenant when the rule is saved; a
 * deletion of the row breaks the rule.
 */
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import type { FieldError } from '../../resources/served.ts';

/** For each resource that a condition can name: whether the row `n.id` exists for the tenant `n.tenant_id`; for none, whether it is global. */
const isThere: Readonly<Record<string, string>> = {
  subscriptions: 'select from subscription t where t.subscription_id = n.id and t.tenant_id = n.tenant_id',
  devices: 'select from device t where t.device_id = n.id and t.tenant_id = n.tenant_id and not t.is_deleted',
  deviceSelections:
    'select from device_selection t where t.device_selection_id = n.id and (t.tenant_id is null or t.tenant_id = n.tenant_id)',
  locations: 'select from location t where t.location_id = n.id and (t.tenant_id is null or t.tenant_id = n.tenant_id)',
  blocks: 'select from block t where t.block_id = n.id and t.tenant_id = n.tenant_id',
  rules:
    'select from rule t where t.rule_id = n.id and (t.tenant_id is null or t.tenant_id = n.tenant_id) and t.rule_id is distinct from n.rule_id',
  workUnitCategories: 'select from work_unit_category t where t.work_unit_category_id = n.id and t.tenant_id = n.tenant_id',
  workUnitSubcategories: 'select from work_unit_subcategory t where t.work_unit_subcategory_id = n.id and t.tenant_id = n.tenant_id',
  protocols: 'select from protocol t where t.protocol_id = n.id and (t.tenant_id is null or t.tenant_id = n.tenant_id)',
};

const operands = [21, 30, 35, 37, 50, 80, 83, 84, 85, 86, 109, 110, 111].filter((id) => (operandOf(id)?.lookup ?? '') in isThere);
const cases = operands.map((id) => `when ${id} then exists (${isThere[operandOf(id)?.lookup ?? '']})`).join('\n  ');

/** Selects the conditions whose row is missing. `rules` has the columns rule_id, tenant_id and conditions. */
const missing = (rules: string) => `with n as materialized (
  select r.rule_id, r.tenant_id, place::int - 1 as place, (c ->> 'LeftOperand')::int as operand,
    case when c ->> 'RightOperand' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (c ->> 'RightOperand')::uuid end as id
  from ${rules} r cross join jsonb_array_elements(r.conditions) with ordinality as l (c, place)
  where (c ->> 'LeftOperand')::int in (${operands.join(', ')}) and (c ->> 'Operator')::int in (1, 2)
)
select rule_id, tenant_id, place, operand from n where not case operand
  ${cases}
end order by rule_id, place`;

interface MissingReference {
  rule_id: string;
  tenant_id: string | null;
  place: number;
  operand: number;
}

const onSave = missing('(select $1::uuid as rule_id, $2::uuid as tenant_id, $3::jsonb as conditions)');
const ofAll = missing('(select rule_id, tenant_id, conditions from rule where enabled)');

/** Returns an error for each condition whose row is missing. A row of another tenant, and the rule itself, count as missing. */
export async function namedRowProblems(
  ctx: Ctx,
  rule: { ruleId?: string | undefined; tenantId: string | null; conditions: readonly Condition[] },
): Promise<FieldError[]> {
  const rows = await ctx.db.query<MissingReference>({
    name: 'rule-named-rows',
    text: onSave,
    values: [rule.ruleId ?? null, rule.tenantId, JSON.stringify(rule.conditions)],
  });
  return rows.map(({ place, operand }) => ({
    target: `conditions[${place}].RightOperand`,
    message: `${operandOf(operand)?.name ?? 'The row'} was not found.`,
  }));
}

/** Returns the enabled rules with a condition on a deleted row, and which condition it is. */
export async function rulesWithMissingRows(db: Db): Promise<{ ruleId: string; cause: string }[]> {
  const rows = await db.query<MissingReference>({ name: 'rules-missing-rows', text: ofAll });
  return rows.map(({ rule_id, place, operand }) => ({
    ruleId: rule_id,
    cause: `Condition ${place + 1}: ${operandOf(operand)?.name ?? 'The row'} is no longer there.`,
  }));
}
