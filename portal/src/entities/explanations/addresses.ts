/** Addresses of explanations, and of the packets, matches, executions and work units that they name. */

interface WhyQuestion {
  entityId?: string | undefined;
  /** The rule to explain; without one, all rules. */
  ruleId?: string | undefined;
  workUnitId?: number | undefined;
  /** By default the present time. */
  at?: string | undefined;
}

export function whyAddress(tenantId: string, { entityId, ruleId, workUnitId, at }: WhyQuestion): string {
  const params = new URLSearchParams();
  if (ruleId) params.set('rule', ruleId);
  if (entityId) params.set('entity', entityId);
  if (workUnitId !== undefined) params.set('unit', String(workUnitId));
  if (at) params.set('at', at);
  return `/${tenantId}/why?${params}`;
}

/** The address of an entity's packets. The history begins with the packet at the time `at`. */
export const packetAddress = (tenantId: string, entityId: string, at: string): string =>
  `/${tenantId}/packets/${entityId}?${new URLSearchParams({ tab: 'history', 'panel.at': at })}`;

/** The address of the page that explains a match. */
export const matchAddress = (tenantId: string, ruleMatchId: string): string => `/${tenantId}/matches/${ruleMatchId}`;

/** The address of the page of an execution. It has the message id, which every row that refers to an execution has. */
export const executionAddress = (tenantId: string, messageId: string): string => `/${tenantId}/executions/${messageId}`;

export const unitAddress = (workUnitId: number): string => `/workunitsv2?workUnitId=${workUnitId}`;
