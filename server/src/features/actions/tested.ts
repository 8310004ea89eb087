/**
 * The subject of an action's test: the tenant for which the test runs, and the work unit or match whose values fill the
 * placeholders.
 */
import type { testAction } from '@cloudfit/contract/actions/automation.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { isGuid } from '../../auth/guid.ts';
import { hostOf, secretUseProblem } from '../../auth/secret-use.ts';
import { requirePermission, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { isTenantInScope } from '../../resources/references.ts';
import { servedOf } from '../../resources/served.ts';
import { servedActionDefinitions } from './actions.served.ts';

/** The row whose values fill the placeholders of a test. */
export type TestedRow = { workUnitId: number } | { ruleMatchId: string };

export interface TestedAction {
  definition: Row<typeof actionDefinitions>;
  tenantId: string;
  /** The row whose values fill the placeholders; undefined for example values. */
  about: TestedRow | undefined;
  parameters: Readonly<Record<string, string | number | boolean | null>>;
}

async function contextTenant(ctx: Ctx): Promise<string | undefined> {
  if (ctx.actor.kind !== 'person') return undefined;
  const [person] = await ctx.db.query<{ context_tenant_id: string | null }>({
    text: 'select context_tenant_id from person where person_id = $1',
    values: [ctx.actor.id],
  });
  const tenantId = person?.context_tenant_id;
  return tenantId && isTenantInScope(ctx, tenantId) ? tenantId : undefined;
}

/**
 * Returns the tenant of the execution: that of the action; for a global action, that of the test's subject, the requested one,
 * or the caller's only or current tenant.
 */
async function tenantOf(ctx: Ctx, of: string | null | undefined, requestedTenantId: string | null | undefined): Promise<string> {
  if (of) return of;
  if (requestedTenantId) {
    if (!isTenantInScope(ctx, requestedTenantId)) throw validationFailed([{ target: 'tenantId', message: 'Tenant was not found.' }]);
    return requestedTenantId;
  }
  const only = ctx.tenants !== 'all' && ctx.tenants.length === 1 ? ctx.tenants[0] : undefined;
  const tenantId = only ?? (await contextTenant(ctx));
  if (!tenantId) throw validationFailed([{ target: 'tenantId', message: 'Send the id of the tenant for which the action runs.' }]);
  return tenantId;
}

type TestInput = ReturnType<typeof testAction.input.parse>;

/** Returns the row that the test is about; throws 404 if the caller may not view it. */
async function subjectOf(ctx: Ctx, { forWorkUnitId, forRuleMatchId }: TestInput) {
  if (forWorkUnitId !== undefined && forRuleMatchId !== undefined)
    throw validationFailed([{ target: 'forRuleMatchId', message: 'A test is about a work unit or a match, not both.' }]);
  if (forWorkUnitId !== undefined) {
    const { tenantId, workUnitId } = await get(ctx, servedOf(workUnits), forWorkUnitId);
    return { target: 'forWorkUnitId', what: 'work unit', tenantId, about: { workUnitId } };
  }
  if (forRuleMatchId === undefined) return undefined;
  const { tenantId, ruleMatchId } = await get(ctx, servedOf(ruleMatches), forRuleMatchId);
  return { target: 'forRuleMatchId', what: 'match', tenantId, about: { ruleMatchId } };
}

/**
 * Reads what a test needs. Throws for what the caller may not test: another tenant's action, a row that they may not see, a
 * secret.
 */
export async function readTested(ctx: Ctx, input: TestInput): Promise<TestedAction> {
  const { id, tenantId: inQuery, forWorkUnitId: _unit, forRuleMatchId: _match, ...parameters } = input;
  const definition = await get(ctx, servedActionDefinitions, id);
  const subject = await subjectOf(ctx, input);
  // The action Create Work Unit names its tenant in a parameter.
  const named = id === builtInAction.createWorkUnit ? parameters['TenantId'] : undefined;
  const requested = inQuery ?? (typeof named === 'string' && isGuid(named) ? named.toLowerCase() : undefined);
  if (subject && [definition.tenantId, requested].some((item) => item && item !== subject.tenantId))
    throw validationFailed([{ target: subject.target, message: `The ${subject.what} belongs to another tenant than the test.` }]);
  const tenantId = await tenantOf(ctx, definition.tenantId ?? subject?.tenantId, requested);
  requirePermission(ctx, 'ActionDefinitions', 'edit', tenantId);
  const host = id === builtInAction.email ? undefined : hostOf(definition.endpointUrl);
  const problem = await secretUseProblem(ctx, tenantId, Object.values(parameters), { actionDefinitionId: id, host });
  if (problem) throw validationFailed([{ target: 'parameters', message: problem }]);
  return { definition, tenantId, about: subject?.about, parameters: parameters as TestedAction['parameters'] };
}
