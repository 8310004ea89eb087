/** The manual actions that a work unit's state offers, each with its outcome and with the text for people. */
import { pendingActions, type PendingStatus } from '@cloudfit/contract/actions/protocols.ts';
import { eventOfState, resultStatus } from '@cloudfit/contract/enums.ts';
import { fillManualActions } from '@cloudfit/contract/protocols/manual-actions.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { waitIsOver } from '../../executions/manual-steps.ts';
import type { AckLinks } from '../../platform/ack-links.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';

interface OfferedAction {
  protocolActionId: string;
  actionDefinitionId: string;
  name: string;
  description: string | null;
  summary: string | null;
  workUnitEventTypeId: number;
  sequence: number;
  repeatable: boolean;
  inputParameters: string;
  parameters: string;
  messageId: string | null;
  actionProcessed: string | null;
  resultStatusId: number | null;
  resultDetail: { reason?: string } | null;
  keptSince: string | null;
  nextTry: string | null;
  actionHistoryId: number | null;
}

// The manual actions of the unit's event, each with its latest execution for this unit. An action with a wait is offered only
// when the wait is over.
const offered = `select a.protocol_action_id as "protocolActionId", a.action_definition_id as "actionDefinitionId", d.name, d.description, a.summary,
  a.work_unit_event_type_id as "workUnitEventTypeId", a.sequence, a.repeatable, coalesce(d.input_parameters, '') as "inputParameters", a.parameters,
  h.message_id as "messageId", h.action_processed as "actionProcessed", h.result_status_id as "resultStatusId", h.result_detail as "resultDetail", h.kept_since as "keptSince", h.next_try as "nextTry", h.action_history_id as "actionHistoryId"
from protocol_action a join action_definition d using (action_definition_id)
left join lateral (
  select message_id, action_processed, result_status_id, result_detail, kept_since, next_try, action_history_id from action_history h
  where h.work_unit_id = $1 and h.protocol_action_id = a.protocol_action_id order by h.action_history_id desc limit 1
) h on true
where a.protocol_id = $2 and a.work_unit_event_type_id = $3 and not a.run_automatically and (a.tenant_id is null or a.tenant_id = $4)
  and ${waitIsOver('$1', '(select w.created from work_unit w where w.work_unit_id = $1)')}
order by a.sequence, a.created, a.protocol_action_id`;

function statusOf(row: OfferedAction): PendingStatus {
  if (row.resultStatusId === null) return 'waiting';
  if (row.resultStatusId === resultStatus.enqueueSuccess) {
    if (row.keptSince) return 'kept';
    return row.nextTry ? 'trying' : 'running';
  }
  if (row.resultStatusId === resultStatus.success) return 'success';
  const reason = row.resultDetail?.reason;
  return reason === 'rejected' || reason === 'stopped' ? reason : 'failure';
}

interface Protocol {
  name: string;
  manual_actions: string | null;
}

async function protocolOf(ctx: Ctx, protocolId: string): Promise<Protocol | undefined> {
  const [protocol] = await ctx.db.query<Protocol>({
    text: 'select name, manual_actions from protocol where protocol_id = $1',
    values: [protocolId],
  });
  return protocol;
}

/** Returns the text with its placeholders filled. If the caller may not edit the unit, `AckUrl` only opens the unit. */
function textFor(ctx: Ctx, unit: Row<typeof workUnits>, text: string, { publicUrl, ackLinks }: ManualActionLinks): string {
  const { workUnitId, tenantId } = unit;
  const url = `${publicUrl}/${tenantId}/workunitsv2?workUnitId=${workUnitId}`;
  const mayAcknowledge = may(ctx, permission('WorkUnits', 'edit'), tenantId);
  const AckUrl = mayAcknowledge ? ackLinks.url({ workUnitId, tenantId, recipient: null }) : url;
  return fillManualActions(text, { ...unit, WorkUnitUrl: url, AckUrl });
}

/** What is needed to make the links in the text. */
interface ManualActionLinks {
  publicUrl: string;
  ackLinks: AckLinks;
}

export function pendingActionsAction(links: ManualActionLinks): ImplementedAction {
  return implement(pendingActions, async (ctx, { id }) => {
    const unit = await get(ctx, servedOf(workUnits), id);
    if (!unit.protocolId) return { waiting: 0, protocolName: null, manualActions: null, value: [] };
    const rows = await ctx.db.query<OfferedAction>({
      name: 'pending-actions',
      text: offered,
      values: [id, unit.protocolId, eventOfState[unit.stateId], unit.tenantId],
    });
    const protocol = await protocolOf(ctx, unit.protocolId);
    const value = rows.map(({ resultStatusId, keptSince, ...row }) => {
      const status = statusOf({ resultStatusId, keptSince, ...row });
      return { ...row, status, mayRun: status === 'waiting' || (row.repeatable && status !== 'running' && status !== 'trying') };
    });
    return {
      waiting: value.filter((row) => row.status === 'waiting').length,
      protocolName: protocol?.name ?? null,
      manualActions: protocol?.manual_actions ? textFor(ctx, unit, protocol.manual_actions, links) : null,
      value,
    };
  });
}
