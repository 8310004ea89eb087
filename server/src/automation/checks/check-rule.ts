/** The rule that opens a work unit by the results of a check, of one device or of the devices of a policy. */
import { builtInAction, frequencyType } from '@cloudfit/contract/enums.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { neverReached } from '@cloudfit/contract/packages/metric-bounds.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { conditionsOf, isAboutEveryCheck, type CheckedWhen } from '@cloudfit/contract/rules/checked-when.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';

interface CheckRule {
  name: string;
  /** Where the rule holds: in a subscription, a tenant, a group of tenants, or everywhere. */
  place: { tenantId: string | null; subscriptionId?: string | null; tenantGroupId?: string | null };
  /** Which results the rule looks at. */
  selects: readonly Condition[];
  when: CheckedWhen;
  severityId: string;
  /** The title of the unit; by default that of its match. */
  title?: string;
  operationId: string;
  /** How often the check runs. */
  runs: { frequencyTypeId: number; interval: string };
}

const day = '24:00:00';

/** A match ends when three results in a row are not as said, but not within five minutes; that of an operation on demand after a day. */
function lifetimeOf({ frequencyTypeId, interval }: CheckRule['runs']): string {
  if (frequencyTypeId === frequencyType.onDemand) return day;
  const seconds = interval.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  const all = Math.max(300, seconds * 3);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(Math.floor(all / 3_600))}:${two(Math.floor((all % 3_600) / 60))}:${two(all % 60)}`;
}

// A rule of one subscription is about every check of the tenant while the tenant has no other one.
const generalText = `select r.rule_id as id, r.conditions, r.match_actions as actions from rule r
where r.enabled and r.rule_type_id = 1 and jsonb_array_length(r.conditions) = 1 and (r.tenant_id is null and r.tenant_group_id is null
  or r.tenant_id = $1 and (r.subscription_id is null or r.subscription_id = $2 or $2::uuid is null and not exists (
    select from subscription s where s.tenant_id = $1 and s.subscription_id <> r.subscription_id))
  or r.tenant_group_id = $3 or r.tenant_id is null and $1::uuid is not null and rule_is_for(r.tenant_id, r.tenant_group_id, $1))
order by r.rule_id`;

/** The name of the built-in package of the operation; undefined for a package of others. */
async function builtInPackage(ctx: Ctx, operationId: string): Promise<string | undefined> {
  const [row] = await ctx.db.query<{ name: string }>({
    name: 'check-built-in-package',
    text: 'select p.name from operation o join package p on p.package_id = o.package_id where o.operation_id = $1 and p.is_built_in',
    values: [operationId],
  });
  return row?.name;
}

/** The rule that opens a unit for every check of the place that is Down. */
async function generalRule(
  ctx: Ctx,
  { tenantId, subscriptionId = null, tenantGroupId = null }: CheckRule['place'],
): Promise<Row<typeof rules> | undefined> {
  const rows = await ctx.db.query<{ id: string; conditions: Condition[] | null; actions: ActionCall[] | null }>({
    name: 'check-rules-of-all',
    text: generalText,
    values: [tenantId, subscriptionId, tenantGroupId],
  });
  const general = rows.find(
    ({ conditions, actions }) =>
      isAboutEveryCheck(conditions ?? []) && actions?.some(({ ActionDefinitionId: id }) => id === builtInAction.createWorkUnit),
  );
  return general && get(ctx, servedOf(rules), general.id);
}

export async function ruleOfCheck(
  ctx: Ctx,
  { name, place, selects, when, severityId, title, operationId, runs }: CheckRule,
): Promise<Row<typeof rules>> {
  const isDown = when.reading === 'Down';
  const builtIn = await builtInPackage(ctx, operationId);
  const never = builtIn === undefined ? undefined : neverReached(builtIn, when);
  if (never !== undefined) throw validationFailed([{ target: 'when.value', message: never }]);
  // Rules about every check look at the metric Up, which plugins, and perhaps packages of others, do not report.
  const reportsUp = builtIn !== undefined && builtIn !== 'Plugin runner';
  const general = isDown && reportsUp ? await generalRule(ctx, place) : undefined;
  if (general) return general;
  try {
    return await create(ctx, servedOf(rules), {
      name: name.slice(0, 200),
      ruleTypeId: 1,
      ...place,
      // Usually its recovery conditions end it; a check may be Unknown meanwhile.
      matchLifetime: isDown ? day : lifetimeOf(runs),
      useSlidingExpiration: true,
      ...conditionsOf(selects, when),
      matchActions: [
        {
          ActionDefinitionId: builtInAction.createWorkUnit,
          Parameters: { SeverityId: severityId, Description: '{Facts}', ...(title === undefined ? {} : { Title: title }) },
        },
      ],
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ValidationFailed') throw error;
    // The caller has sent no rule, so its fields mean nothing to them.
    throw validationFailed(error.details.map(({ message }) => ({ target: 'when', message })));
  }
}
