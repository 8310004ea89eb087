/** Runs an action as a test. The outcome is in the action's history. */
import { randomUUID } from 'node:crypto';
import { testAction } from '@cloudfit/contract/actions/automation.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { isGuid } from '../../auth/guid.ts';
import { hostOf, secretUseProblem } from '../../auth/secret-use.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { writeExecutions } from '../../executions/executions.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { tenantIsReachable } from '../../resources/references.ts';
import { servedActionDefinitions } from './actions.served.ts';

async function contextTenant(ctx: Ctx): Promise<string | undefined> {
  if (ctx.actor.kind !== 'person') return undefined;
  const [person] = await ctx.db.query<{ context_tenant_id: string | null }>({
    text: 'select context_tenant_id from person where person_id = $1',
    values: [ctx.actor.id],
  });
  const tenantId = person?.context_tenant_id;
  return tenantId && tenantIsReachable(ctx, tenantId) ? tenantId : undefined;
}

/** An execution belongs to a tenant: the tenant of the action, or for a global action the tenant that the caller names. */
async function tenantOf(ctx: Ctx, definitionTenantId: string | null, requestedTenantId: string | null | undefined): Promise<string> {
  if (definitionTenantId) return definitionTenantId;
  if (requestedTenantId) {
    if (!tenantIsReachable(ctx, requestedTenantId)) throw validationFailed([{ target: 'tenantId', message: 'Tenant was not found.' }]);
    return requestedTenantId;
  }
  const only = ctx.tenants !== 'all' && ctx.tenants.length === 1 ? ctx.tenants[0] : undefined;
  const tenantId = only ?? (await contextTenant(ctx));
  if (!tenantId) throw validationFailed([{ target: 'tenantId', message: 'Send the id of the tenant for which the action runs.' }]);
  return tenantId;
}

export const testActionAction = implement(testAction, async (ctx, { id, tenantId, ...parameters }) => {
  const definition = await get(ctx, servedActionDefinitions, id);
  // Some built-in actions name their tenant in a parameter.
  const named = id === builtInAction.createWorkUnit ? parameters['TenantId'] : undefined;
  const requestedTenantId = tenantId ?? (typeof named === 'string' && isGuid(named) ? named.toLowerCase() : undefined);
  const tenant = await tenantOf(ctx, definition.tenantId, requestedTenantId);
  requirePermission(ctx, 'ActionDefinitions', 'edit', tenant);
  const host = id === builtInAction.email ? undefined : hostOf(definition.endpointUrl);
  const problem = await secretUseProblem(ctx, tenant, Object.values(parameters), { actionDefinitionId: id, host });
  if (problem) throw validationFailed([{ target: 'parameters', message: problem }]);
  const messageId = randomUUID();
  await inTransaction(ctx, async (inside) => {
    const [visibleTenant] = await inside.db.query({ text: 'select 1 from tenant where tenant_id = $1', values: [tenant] });
    if (!visibleTenant) throw notFound('Tenant');
    await writeExecutions(inside.db, [
      {
        tenantId: tenant,
        actionDefinitionId: id,
        messageId,
        correlationId: ctx.correlationId,
        referenceId: null,
        parameters: parameters as Record<string, string>,
        suppressed: false,
        detail: { test: true, by: actorName(ctx) },
      },
    ]);
    await recordAudit(inside.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'test',
      entity: 'actionDefinitions',
      entityId: id,
      tenantId: tenant,
      after: { messageId },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  });
  return { id: messageId };
});
