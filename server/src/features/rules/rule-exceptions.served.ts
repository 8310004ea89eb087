/** What some of the entities of a rule have otherwise. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { isWide, placeField } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { constantsOf, withOwnValues } from '@cloudfit/contract/rules/own-values.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import type { ActionCall, Condition, TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { remove } from '../../resources/remove.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { ofRulesConcerning } from './rules-of-groups.ts';

type ExceptionRow = Row<typeof ruleExceptions>;

interface RuleOfException {
  /** The tenant of the rule; null for a rule of many. */
  tenantId: string | null;
  /** Whether the rule is for the tenant of the exception; for one without a tenant, whether the rule is of many. */
  isFor: boolean;
  name: string;
  ruleTypeId: number;
  conditions: Condition[];
  timeConditions: TimeConditions | null;
  matchActions: ActionCall[];
}

async function ruleOf(ctx: Ctx, ruleId: string, tenantId: string | null): Promise<RuleOfException | undefined> {
  const [row] = await ctx.db.query<RuleOfException>({
    name: 'rule-exception-rule',
    // The lock lasts until the exception is written, so that the rule is not deleted meanwhile.
    text: `select tenant_id as "tenantId", coalesce(case when $2::uuid is null then tenant_id is null else rule_is_for(tenant_id, tenant_group_id, $2) end, false) as "isFor",
  name, rule_type_id as "ruleTypeId", conditions, time_conditions as "timeConditions", match_actions as "matchActions" from rule where rule_id = $1 for key share`,
    values: [ruleId, tenantId],
  });
  return row;
}

/** Types of rules whose events are about one entity, so that what an entity is or has decides. */
const ofEntities = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history, ruleTypeId.correlation, ruleTypeId.maintenance]);
/** Places of which a tag or a name may be: one tenant, the tenants of a group, or all. */
const ofAnyPlace = new Set(['Tag', 'Name']);

/** Refuses an exception that does not say for what it is, or says two things. */
function placeProblems(exception: ExceptionRow, rule: RuleOfException): FieldError[] {
  const { appliesTo, tenantId, tenantGroupId } = exception;
  const needed = placeField[appliesTo];
  const label = (name: keyof typeof placeField) => ruleExceptions.fields[placeField[name]].label;
  if ((exception[needed] ?? '') === '')
    return [{ target: needed, message: `An exception for ${appliesTo} needs the field ${label(appliesTo)}.` }];
  for (const [place, field] of Object.entries(placeField) as [keyof typeof placeField, (typeof placeField)['Tag']][]) {
    const fits = place === appliesTo || isWide({ appliesTo: place });
    if (!fits && (exception[field] ?? '') !== '')
      return [{ target: field, message: `An exception for ${appliesTo} has no ${label(place)}. Clear it, or make one for ${place}.` }];
  }
  if (tenantId && tenantGroupId)
    return [{ target: 'tenantGroupId', message: 'An exception is for a tenant or for a group of tenants. Clear one of the two.' }];
  if (!tenantId && !tenantGroupId && !ofAnyPlace.has(appliesTo))
    return [{ target: 'tenantId', message: `Choose the tenant to which the ${label(appliesTo)} belongs.` }];
  if (tenantGroupId && appliesTo !== 'Group' && !ofAnyPlace.has(appliesTo))
    return [{ target: 'tenantGroupId', message: `An exception for ${appliesTo} is of one tenant. Choose that instead of the group.` }];
  if (isWide(exception) && rule.tenantId !== null)
    return [
      { target: 'appliesTo', message: 'The rule is of this one tenant. Change the rule itself, or make an exception for a part of it.' },
    ];
  if (!isWide(exception) && !ofEntities.has(rule.ruleTypeId))
    return [
      {
        target: 'appliesTo',
        message: 'A rule of this type does not look at single entities. It has exceptions for tenants and groups only.',
      },
    ];
  return [];
}

async function problems(ctx: Ctx, exception: ExceptionRow): Promise<FieldError[]> {
  const { ruleId, tenantId, isOff, ownValues, matchLifetime, severityId } = exception;
  // A field that a create omits is undefined here.
  const rule = await ruleOf(ctx, ruleId, tenantId ?? null);
  if (!rule?.isFor)
    return [
      tenantId
        ? { target: 'ruleId', message: 'The rule is not for this tenant. Choose a rule that is, or another tenant.' }
        : { target: 'tenantId', message: 'The rule is of one tenant. Choose that tenant.' },
    ];
  const place = placeProblems(exception, rule);
  if (place.length > 0) return place;
  const keys = new Set(constantsOf(rule.conditions).map(({ key }) => key));
  const unknown = Object.keys(ownValues ?? {}).find((key) => !keys.has(key));
  if (unknown !== undefined)
    return [{ target: 'ownValues', message: `The rule has no constant ${unknown}. It has ${[...keys].join(', ') || 'none'}.` }];
  if (!isOff && !matchLifetime && !severityId && Object.keys(ownValues ?? {}).length === 0)
    return [
      { target: 'ownValues', message: 'Say what is otherwise here: a value, the lifetime, the severity, or that the rule does not hold.' },
    ];
  if (severityId && !rule.matchActions.some((call) => call.ActionDefinitionId === builtInAction.createWorkUnit))
    return [{ target: 'severityId', message: 'The rule opens no work unit, so it has no severity. Clear the severity.' }];
  const conditions = withOwnValues(rule.conditions, ownValues);
  return validateRule({ ...rule, conditions, matchLifetime: matchLifetime ?? '00:05:00' }).map(({ target, message }) => ({
    target: target === 'matchLifetime' ? 'matchLifetime' : 'ownValues',
    message,
  }));
}

export const servedRuleExceptions = serve(ruleExceptions, 'rule_exception', {
  rowsFor: ofRulesConcerning,
  fill: (ctx, { verb }) => ({ modifiedBy: actorName(ctx), ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}) }),
  check: (ctx, { verb, after }) => (verb === 'delete' ? [] : problems(ctx, after)),
  after: (ctx, { after }) => notify(ctx.db, 'rules', [after.ruleId]),
});

/** Removes the exceptions of a rule that is deleted, or that moves to another tenant or to many. */
export async function removeExceptions(ctx: Ctx, ruleId: string): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>({
    text: 'select rule_exception_id as id from rule_exception where rule_id = $1 order by 1',
    values: [ruleId],
  });
  for (const { id } of rows) await remove(ctx, servedRuleExceptions, id);
}
