/** Every action of this server that needs no more than a ctx. */
import { registerAgentAction } from './features/devices/agent/register.action.ts';
import { lookupActions, type LookupSettings } from './features/lookups/lookups.action.ts';
import { toggleRuleAction } from './features/rules/toggle.action.ts';
import { sessionActions } from './features/session/session.action.ts';
import { assignmentGroupsAction } from './features/tenancy/assignment-groups.action.ts';
import { toggleTenantAction } from './features/tenancy/toggle.action.ts';
import { tokenActions } from './features/tokens/tokens.action.ts';
import { historyActions } from './features/work-units/history.action.ts';
import type { Implemented } from './resources/action.ts';

export function actions(settings: LookupSettings): readonly Implemented[] {
  return [
    ...lookupActions(settings),
    ...sessionActions,
    ...historyActions,
    ...tokenActions,
    toggleRuleAction,
    toggleTenantAction,
    assignmentGroupsAction,
    registerAgentAction,
  ];
}
