/**
 * Reads the consequences of matches: their executions, when these run again, and the work units that the matches opened or were
 * added to.
 */
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { resultStatus, resultStatuses } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { nextRepeats } from '../../automation/units/repeat-messages.ts';
import { may, type Ctx } from '../../context/ctx.ts';

interface MatchExecution {
  matchId: string | null;
  messageId: string;
  actionDefinitionId: string;
  name: string | null;
  resultStatusId: number;
  processed: string;
  keptSince: string | null;
  nextTry: string | null;
  pausedUntil: string | null;
  detail: { phase?: unknown } | null;
}

const opensAgain = (unit: string) =>
  `(select min(v.opens_again_at) from unit_match v where v.work_unit_id = ${unit}.work_unit_id and ${unit}.rule_id is not null) as "opensAgainAt"`;

// The destination of a waiting execution is stored in its job.
const executions = `select h.reference_id as "matchId", h.message_id as "messageId", h.action_definition_id as "actionDefinitionId", d.name,
  h.result_status_id as "resultStatusId", h.action_processed as processed, h.result_detail as detail, h.kept_since as "keptSince",
  case when h.result_status_id = ${resultStatus.enqueueSuccess} then coalesce(h.next_try, j.run_at) end as "nextTry",
  case when h.result_status_id = ${resultStatus.enqueueSuccess} then p.paused_until end as "pausedUntil"
from action_history h left join action_definition d using (action_definition_id)
left join job j on h.result_status_id = ${resultStatus.enqueueSuccess} and j.once_key = h.message_id::text and j.dead_at is null
left join destination p on p.tenant_id = h.tenant_id and p.origin = j.destination and p.disabled is null and p.paused_until > now()
where h.reference_id = any($1::text[]) and h.tenant_id = $2 order by h.action_history_id limit 500`;

const units = `select work_unit_id as "workUnitId", public_work_unit_id as "publicWorkUnitId", title, state_id as "stateId", ${opensAgain('w')}, opened_by_rule_match_id as "openedBy" from work_unit w
where opened_by_rule_match_id = any($1::uuid[]) and tenant_id = $2
union all
select w.work_unit_id, w.public_work_unit_id, w.title, w.state_id, ${opensAgain('w')}, m.rule_match_id from rule_match m join work_unit w on w.work_unit_id = m.work_unit_id
where m.rule_match_id = any($1::uuid[]) and w.tenant_id = $2 and w.opened_by_rule_match_id is distinct from m.rule_match_id
union all
select w.work_unit_id, w.public_work_unit_id, w.title, w.state_id, ${opensAgain('w')}, n.rule_match_id from match_group_member n join match_group g on g.match_group_id = n.match_group_id
join work_unit w on w.work_unit_id = g.work_unit_id
where n.rule_match_id = any($1::uuid[]) and w.tenant_id = $2 and n.rule_match_id <> g.lead_match_id order by 1 limit 500`;

export type ConsequencesOfMatch = Pick<Explanation, 'actions' | 'workUnits' | 'repeatsAt'>;

export const noConsequences: ConsequencesOfMatch = { actions: [], workUnits: [] };

function explained({ detail, ...execution }: MatchExecution, seesDetail: boolean): Explanation['actions'][number] {
  const { messageId, actionDefinitionId, name, resultStatusId, processed, keptSince, nextTry, pausedUntil } = execution;
  return {
    messageId,
    actionDefinitionId,
    name,
    phase: typeof detail?.phase === 'string' ? detail.phase : null,
    resultStatusId,
    result: resultStatuses.find((status) => status.value === resultStatusId)?.label ?? '',
    processed,
    keptSince,
    nextTry,
    pausedUntil,
    detail: seesDetail ? detail : null,
  };
}

/**
 * Returns for each match its executions, and the work units that the match or its executions opened or to which the match was
 * added.
 */
export async function consequencesOf(
  ctx: Ctx,
  matchIds: readonly string[],
  tenantId: string,
): Promise<ReadonlyMap<string, ConsequencesOfMatch>> {
  if (matchIds.length === 0) return new Map();
  const actions = await ctx.db.query<MatchExecution>({ name: 'explain-executions', text: executions, values: [matchIds, tenantId] });
  const repeats = await nextRepeats(ctx.db, matchIds);
  const seesDetail = may(ctx, permission('ActionDefinitions', 'view'), tenantId);
  const opened = may(ctx, permission('WorkUnits', 'view'), tenantId)
    ? await ctx.db.query<Omit<Explanation['workUnits'][number], 'opensAgainAt'> & { opensAgainAt: string | null; openedBy: string | null }>(
        {
          name: 'explain-work-units',
          text: units,
          values: [[...matchIds, ...actions.map((action) => action.messageId)], tenantId],
        },
      )
    : [];
  const matchOf = new Map(actions.map((action): [string | null, string | null] => [action.messageId, action.matchId]));
  const actionsOf = Map.groupBy(actions, (match) => match.matchId);
  const unitsOf = Map.groupBy(opened, ({ openedBy }) => matchOf.get(openedBy) ?? openedBy);
  return new Map(
    matchIds.map((id) => [
      id,
      {
        ...(repeats.has(id) ? { repeatsAt: repeats.get(id) } : {}),
        actions: (actionsOf.get(id) ?? []).map((row) => explained(row, seesDetail)),
        workUnits: (unitsOf.get(id) ?? []).map(({ workUnitId, publicWorkUnitId, title, stateId, opensAgainAt }) => ({
          workUnitId,
          publicWorkUnitId,
          title,
          stateId,
          ...(opensAgainAt === null ? {} : { opensAgainAt }),
        })),
      },
    ]),
  );
}
