/** Lists what uses an action, and which actions a tenant may use. */
import * as declared from '@cloudfit/contract/actions/automation.ts';
import { protocolActionTypes, ruleActionTypes } from '@cloudfit/contract/enums.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import type { Ctx } from '../../context/ctx.ts';
import { implementList, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { servedActionDefinitions } from './actions.served.ts';
import { protocolsWith, rulesWith } from './uses.ts';

/** The condition for actions of these types that belong to the tenant or are global; with null, only for global ones. */
function usable(ctx: Ctx, types: readonly number[], tenantId: string | null, t: string): RawBuilder<boolean> {
  if (tenantId !== null) requireTenant(ctx, tenantId);
  const tenant = sql.ref(`${t}.tenant_id`);
  const owner = tenantId === null ? sql`${tenant} is null` : sql`(${tenant} = ${tenantId} or ${tenant} is null)`;
  return sql<boolean>`(${sql.ref(`${t}.action_definition_type_id`)} = any(${[...types]}::int[]) and ${owner})`;
}

export const actionLists: readonly ImplementedAction[] = [
  implementList(declared.rulesForAction, async (ctx, { actionDefinitionId }, t) => {
    await get(ctx, servedActionDefinitions, actionDefinitionId);
    return rulesWith(actionDefinitionId, t);
  }),
  implementList(declared.protocolsForAction, async (ctx, { actionDefinitionId }, t) => {
    await get(ctx, servedActionDefinitions, actionDefinitionId);
    return protocolsWith(actionDefinitionId, t);
  }),
  implementList(declared.actionsForProtocols, (ctx, { tenantId }, t) => usable(ctx, protocolActionTypes, tenantId, t)),
  implementList(declared.actionsForRules, (ctx, { tenantId }, t) => usable(ctx, ruleActionTypes, tenantId, t)),
];
