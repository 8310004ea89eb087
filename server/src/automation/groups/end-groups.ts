/** Ends groups whose matches have all ended: the expiration actions of the rule run once, for the first match. */
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { executionId, type RepeatReason } from '../../executions/execution-id.ts';
import { maxHops } from '../../executions/executions.ts';
import { queueActions } from '../queue-actions.ts';

// Groups that another worker has locked are skipped.
const ending = `with open as materialized (
  select match_group_id, tenant_id from match_group where tenant_id = $1 and ended is null order by match_group_id for update skip locked
)
update match_group_member g set ended = clock_timestamp()
from open o, rule_match m
where g.match_group_id = o.match_group_id and g.ended is null and m.rule_match_id = g.rule_match_id and m.completion_processed
returning o.match_group_id as id`;

interface EndedGroup {
  id: string;
  tenantId: string;
  leadMatchId: string;
  correlationId: string;
  hops: number;
  again: RepeatReason | null;
  matchActions: number;
  /** Null when the rule was deleted: each match has recorded the outcome of its actions. */
  calls: readonly ActionCall[] | null;
}

const end = `with over as (
  update match_group g set ended = now(), accepts = false, summary_due = null
  where match_group_id = any($1::uuid[]) and ended is null
    and not exists (select from match_group_member n where n.match_group_id = g.match_group_id and n.ended is null)
  returning match_group_id, tenant_id, lead_match_id, work_unit_id, joined, label, rule_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select w.work_unit_id, w.tenant_id, case when o.joined = 1 then 'The match of ' || coalesce('the rule ' || left(r.name, 3000), 'a deleted rule') || ' has ended.'
      else 'All ' || o.joined || ' matches have ended: ' || o.label || '.' end,
    'WorkUnitEvent', 'Automation', m.correlation_id
  from over o join rule_match m on m.rule_match_id = o.lead_match_id left join rule r on r.rule_id = o.rule_id
  join work_unit w on w.work_unit_id = o.work_unit_id and w.tenant_id = o.tenant_id and w.state_id not in ('Resolved', 'Closed', 'Canceled')
  returning tenant_id, work_unit_note_id, correlation_id
), told as (${changed(workUnitNotes, 'create', 'noted')}), changed as (${changed(ruleMatches, 'update', '(select m.* from over o join rule_match m on m.rule_match_id = o.lead_match_id) m')})
select o.match_group_id as id, o.tenant_id as "tenantId", o.lead_match_id as "leadMatchId", m.correlation_id as "correlationId", m.hops, n.again,
  coalesce(jsonb_array_length(r.match_actions), 0) as "matchActions", r.expiration_actions as calls
from over o join rule_match m on m.rule_match_id = o.lead_match_id join match_group_member n on n.rule_match_id = o.lead_match_id left join rule r on r.rule_id = o.rule_id`;

const summariseLater = `update match_group set summary_due = coalesce(summary_due, greatest(now(), summarised + make_interval(secs => summary_seconds)))
where match_group_id = any($1::uuid[]) and ended is null`;

/** Actions other than colours: each match has restored its own colour. */
const callsBesidesColors = (calls: readonly ActionCall[]): ActionCall[] =>
  calls.filter((call) => call.ActionDefinitionId !== builtInAction.setColor);

/** Records which matches of the tenant's groups have ended, and ends the groups without an open match. */
export async function endGroups(db: Db, tenantId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const touched = [
      ...new Set((await tx.query<{ id: string }>({ name: 'group-members-end', text: ending, values: [tenantId] })).map(({ id }) => id)),
    ];
    if (touched.length === 0) return;
    const ended = await tx.query<EndedGroup>({ name: 'group-end', text: end, values: [touched] });
    await tx.query({ name: 'group-summary-later', text: summariseLater, values: [touched] });
    await queueActions(
      tx,
      ended.flatMap(({ leadMatchId, correlationId, hops, again, matchActions, calls, ...group }) =>
        calls === null || hops >= maxHops
          ? []
          : {
              ruleMatchId: leadMatchId,
              tenantId: group.tenantId,
              correlationId,
              phase: 'expiration' as const,
              calls: callsBesidesColors(calls),
              again: 'group' as const,
              hops,
              follows: matchActions > 0 ? executionId(leadMatchId, 'match', matchActions - 1, again ?? undefined) : undefined,
            },
      ),
    );
  });
}
