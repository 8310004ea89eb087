/** Matches whose actions depend on a group: they are added here, and a job lets them join. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../../db/db.ts';
import type { RepeatReason } from '../../executions/execution-id.ts';
import { enqueueAll } from '../../jobs/queue.ts';

/** Name of the job that lets matches of a tenant join their groups, and ends groups. */
export const followGroupsName = 'follow-groups';

/**
 * Why the actions of a match depend on a group: its rule groups matches, there are more matches than the rule allows, or an
 * entity is silent and the cause is being determined.
 */
export type GroupCause = 'Key' | 'Storm' | 'Silence' | 'SilenceStorm';

export interface NewMember {
  ruleMatchId: string;
  tenantId: string;
  cause: GroupCause;
  again?: RepeatReason | undefined;
}

/** Whether there are actions other than colours. Rules that only set colours need no group. */
export const hasCallsBesidesColors = (calls: readonly ActionCall[]): boolean =>
  calls.some((call) => call.ActionDefinitionId !== builtInAction.setColor);

/**
 * Queues the job that follows the groups of these tenants. The job has no `onceKey`: with one, it would not be added while
 * an earlier job with that key runs.
 */
export function followGroups(db: Db, tenantIds: Iterable<string>, correlationId: string): Promise<void> {
  return enqueueAll(
    db,
    [...new Set(tenantIds)].map((tenantId) => ({ name: followGroupsName, payload: { tenantId }, tenantId, correlationId })),
  );
}

/**
 * Adds matches that wait for a group. Call it in the transaction that opens or releases them: it only inserts rows, so it never
 * waits for a lock.
 */
export async function addMembers(db: Db, members: readonly NewMember[], correlationId: string): Promise<void> {
  if (members.length === 0) return;
  const rows = members.map(({ ruleMatchId, tenantId, cause, again }) => ({
    rule_match_id: ruleMatchId,
    tenant_id: tenantId,
    cause,
    again,
  }));
  await db.defer({
    name: 'group-members-add',
    text: `insert into match_group_member (rule_match_id, tenant_id, cause, again)
select rule_match_id, tenant_id, cause, again from jsonb_to_recordset($1::jsonb) as n (rule_match_id uuid, tenant_id uuid, cause text, again text)
on conflict do nothing`,
    values: [JSON.stringify(rows)],
  });
  await followGroups(
    db,
    members.map((member) => member.tenantId),
    correlationId,
  );
}
