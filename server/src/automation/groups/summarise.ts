/** Sums up, once per interval, which matches of a group joined or ended: in its unit, and for those notified of the group. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { executionId } from '../../executions/execution-id.ts';
import { writeExecutions } from '../../executions/executions.ts';
import { messagesAmong } from '../messages-among.ts';
import type { GroupSummary } from './group-of-match.ts';

const groupsAtOnce = 50;
const maxListed = 20;

interface DueGroup {
  id: string;
  tenantId: string;
  leadMatchId: string;
  correlationId: string;
  hops: number;
  name: string;
  summaries: number;
  workUnitId: number | null;
  /** Whether the unit was resolved, closed or canceled. Then the summary notifies nobody. */
  isUnitEnded: boolean;
  calls: readonly ActionCall[] | null;
  joined: number;
  ended: number;
  open: number;
  joinedLabels: string[] | null;
  endedLabels: string[] | null;
}

const due = `with due as materialized (
  select * from match_group where summary_due <= now() and ended is null order by summary_due limit ${groupsAtOnce} for update skip locked
)
select g.match_group_id as id, g.tenant_id as "tenantId", g.lead_match_id as "leadMatchId", m.correlation_id as "correlationId", m.hops,
  coalesce(g.statement, coalesce(r.name, 'Deleted rule') || ', ' || g.label) as name, g.summaries, g.work_unit_id as "workUnitId",
  coalesce(w.state_id in ('Resolved', 'Closed', 'Canceled'), false) as "isUnitEnded", case when r.enabled then r.match_actions end as calls,
  c.joined, c.ended, c.open, c."joinedLabels", c."endedLabels"
from due g join rule_match m on m.rule_match_id = g.lead_match_id left join rule r on r.rule_id = g.rule_id
left join work_unit w on w.work_unit_id = g.work_unit_id and w.tenant_id = g.tenant_id
cross join lateral (
  select count(*) filter (where n.joined > g.summarised and n.rule_match_id <> g.lead_match_id)::int as joined, count(*) filter (where n.ended > g.summarised)::int as ended,
    count(*) filter (where n.ended is null)::int as open,
    (array_agg(left(a.label, 200) order by n.joined) filter (where n.joined > g.summarised and n.rule_match_id <> g.lead_match_id))[1:${maxListed}] as "joinedLabels",
    (array_agg(left(a.label, 200) order by n.ended) filter (where n.ended > g.summarised))[1:${maxListed}] as "endedLabels"
  from match_group_member n join rule_match a on a.rule_match_id = n.rule_match_id where n.match_group_id = g.match_group_id
) c`;

const recordSummaries = `with summarised as (
  update match_group set summarised = clock_timestamp(), summary_due = null, summaries = summaries + 1 where match_group_id = any($1::uuid[])
), noted as (insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
select work_unit_id, tenant_id, left(detail, 4000), 'WorkUnitEvent', 'Automation', correlation_id
from jsonb_to_recordset($2::jsonb) as n (work_unit_id bigint, tenant_id uuid, detail text, correlation_id uuid) returning tenant_id, work_unit_note_id, correlation_id)
${changed(workUnitNotes, 'create', 'noted')}`;

function lines(title: string, count: number, labels: readonly string[] | null): string[] {
  if (count === 0 || !labels) return [];
  const more = count > labels.length ? [`… and ${count - labels.length} more`] : [];
  return [`${title}:`, ...labels.map((label) => `- ${label}`), ...more];
}

function summaryOf({ name, joined, ended, open, joinedLabels, endedLabels }: DueGroup): GroupSummary {
  return {
    title: `${name}: ${joined} joined, ${ended} ended, ${open} open`,
    text: [...lines(`${joined} joined`, joined, joinedLabels), ...lines(`${ended} ended`, ended, endedLabels), `${open} open`].join('\n'),
  };
}

const recipients = ['To', 'Cc', 'Bcc', 'IsImportant'] as const;

/** The parameters of a mail to the same recipients, with the text of the summary. */
function summaryMail(parameters: ActionCall['Parameters']): ActionCall['Parameters'] {
  const same = recipients.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]]));
  return { ...(Object.fromEntries(same) as ActionCall['Parameters']), Template: 'Simple' };
}

/** Returns the mails and calls of a summary. */
async function summariesOf(db: Db, calls: readonly ActionCall[]): Promise<ActionCall[]> {
  const messages = await messagesAmong(db, calls);
  return messages.map((call) =>
    call.ActionDefinitionId === builtInAction.email ? { ...call, Parameters: summaryMail(call.Parameters) } : call,
  );
}

async function executionsOf(db: Db, group: DueGroup) {
  const { leadMatchId, tenantId, correlationId, hops, calls, summaries } = group;
  if (!calls || group.isUnitEnded || group.joined + group.ended === 0) return [];
  const messages = await summariesOf(db, calls);
  return messages.map((call, at) => ({
    tenantId,
    actionDefinitionId: call.ActionDefinitionId,
    messageId: executionId(leadMatchId, 'summary', at, `${summaries}`),
    correlationId,
    referenceId: leadMatchId,
    parameters: call.Parameters,
    suppressed: false,
    detail: { phase: 'summary', summary: summaryOf(group), ...(hops > 0 ? { hops } : {}) },
  }));
}

/** Writes the summaries that are due, to the units and to the recipients of the rule's actions. */
export async function summariseGroups(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    const groups = await tx.query<DueGroup>({ name: 'group-due', text: due });
    if (groups.length === 0) return;
    const executions = [];
    for (const group of groups) executions.push(...(await executionsOf(tx, group)));
    await writeExecutions(tx, executions);
    const notes = groups
      .filter(({ workUnitId, isUnitEnded, joined, ended }) => workUnitId !== null && !isUnitEnded && joined + ended > 0)
      .map((group) => ({
        work_unit_id: group.workUnitId,
        tenant_id: group.tenantId,
        detail: `${summaryOf(group).title}.\n${summaryOf(group).text}`,
        correlation_id: group.correlationId,
      }));
    await tx.query({ name: 'group-summarised', text: recordSummaries, values: [groups.map(({ id }) => id), JSON.stringify(notes)] });
  });
}
