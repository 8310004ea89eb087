/** Reads the consequences of a match: its executions and the work units that they opened. */
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { resultStatuses } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../../context/ctx.ts';

interface MatchExecution {
  messageId: string;
  actionDefinitionId: string;
  name: string | null;
  resultStatusId: number;
  processed: string;
  keptSince: string | null;
  nextTry: string | null;
  detail: { phase?: unknown } | null;
}

const executions = `select h.message_id as "messageId", h.action_definition_id as "actionDefinitionId", d.name, h.result_status_id as "resultStatusId",
  h.action_processed as processed, h.kept_since as "keptSince", h.next_try as "nextTry", h.result_detail as detail
from action_history h left join action_definition d using (action_definition_id)
where h.reference_id = $1 and h.tenant_id = $2 order by h.action_history_id limit 100`;

const units = `select work_unit_id as "workUnitId", public_work_unit_id as "publicWorkUnitId", title, state_id as "stateId" from work_unit
where opened_by_rule_match_id = any($1::uuid[]) and tenant_id = $2 order by work_unit_id limit 100`;

export async function consequencesOf(ctx: Ctx, ruleMatchId: string, tenantId: string): Promise<Pick<Explanation, 'actions' | 'workUnits'>> {
  const actions = await ctx.db.query<MatchExecution>({ name: 'explain-executions', text: executions, values: [ruleMatchId, tenantId] });
  const seesDetail = may(ctx, permission('ActionDefinitions', 'view'), tenantId);
  const opened = may(ctx, permission('WorkUnits', 'view'), tenantId)
    ? await ctx.db.query<Explanation['workUnits'][number]>({
        name: 'explain-work-units',
        text: units,
        values: [[ruleMatchId, ...actions.map((one) => one.messageId)], tenantId],
      })
    : [];
  return {
    actions: actions.map(({ detail, ...one }) => ({
      ...one,
      phase: typeof detail?.phase === 'string' ? detail.phase : null,
      result: resultStatuses.find((status) => status.value === one.resultStatusId)?.label ?? '',
      detail: seesDetail ? detail : null,
    })),
    workUnits: opened,
  };
}
