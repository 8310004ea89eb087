/** What a person should do now: a work unit or a communication with its reasons, the most pressing first. */
import { doNow, maxDoNow, type DoNowReason } from '@cloudfit/contract/actions/work-units/do-now.ts';
import { eventOfState, resultStatus, workUnitType } from '@cloudfit/contract/enums.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import { waitIsOver } from '../../../executions/manual-steps.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { list } from '../../../resources/list.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { tenantsOnCall } from './duty.ts';

/** How many units of each kind are looked at. */
const maxOfKind = 1_000;

const isOpen = "u.state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated') and u.snoozed_until is null";
const isFree = "u.state_id = 'New' and u.assigned_to is null and u.snoozed_until is null";
const bySeverity = `order by severity_id, created desc, work_unit_id limit ${maxOfKind}`;
const waitsFor = (slot: 1 | 2): string =>
  `select u.work_unit_id, null::bigint as communication_id, u.tenant_id, 'Approval' as kind, u.planned_start_time as due, u.created as since, null::text as detail, '${slot}' as id
  from work_unit u where u.approver${slot} = $2 and u.approved${slot}_by is null and u.declined${slot}_by is null
    and u.approver${slot}_named_by is distinct from $1 and u.work_unit_type_id = ${workUnitType.changeRequest} and ${isOpen} and ($4::uuid[] is null or u.tenant_id = any($4::uuid[]))`;

/**
 * `own`: units to work on, each with why. `reason`: these, and all else that waits. `ranked`: the band of a reason, and its clock in bands
 * that follow clocks. `subject`: a unit or a communication, by its most pressing reason.
 * $1: the person; $2: the sign-in name in lower case; $3: tenants whose units the person may view, null for all; $4: those where they may edit
 * them; $5: those where they may edit communications; $6: those where they are on call; $7, $8: states and their events.
 */
const text = `with me as materialized (select claims, array_remove(array[user_name, lower(user_name), email, lower(email)], null) as names from person where person_id = $1),
mine as (
  select u.work_unit_id, u.tenant_id, u.severity_id, u.created, 'Assigned' as kind from work_unit u
  where u.assigned_to = any((select names from me)::text[]) and ${isOpen} and ($3::uuid[] is null or u.tenant_id = any($3::uuid[]))
  ${bySeverity}
), grouped as (
  select g.* from unnest((select claims from me)) as claim cross join lateral (
    select u.work_unit_id, u.tenant_id, u.severity_id, u.created, case u.state_id when 'New' then 'NewInGroup' else 'InGroup' end as kind from work_unit u
    where u.assignment_group = claim and u.assigned_to is null and ${isOpen} and ($4::uuid[] is null or u.tenant_id = any($4::uuid[]))
    ${bySeverity}
  ) g ${bySeverity}
), anybodys as (
  select n.* from tenant t cross join lateral (
    select u.work_unit_id, u.tenant_id, u.severity_id, u.created, 'New' as kind from work_unit u
    where u.tenant_id = t.tenant_id and u.assignment_group is null and ${isFree} ${bySeverity}
  ) n where ($4::uuid[] is null or t.tenant_id = any($4::uuid[])) ${bySeverity}
), on_call as (
  select n.* from unnest($6::uuid[]) as t (tenant_id) cross join lateral (
    select u.work_unit_id, u.tenant_id, u.severity_id, u.created, 'NewOnCall' as kind from work_unit u
    where u.tenant_id = t.tenant_id and ${isFree} ${bySeverity}
  ) n ${bySeverity}
), taken as materialized (
  select * from mine union all select * from grouped union all select * from anybodys union all select * from on_call
), own as materialized (
  select distinct on (t.work_unit_id) t.work_unit_id, t.kind, u.tenant_id, u.state_id, u.created, u.assignment_group, u.clock_warn, u.clock_due, u.protocol_id,
    ($4::uuid[] is null or u.tenant_id = any($4::uuid[])) as may_edit
  from taken t join work_unit u using (work_unit_id)
  order by t.work_unit_id, array_position(array['Assigned', 'NewInGroup', 'InGroup', 'NewOnCall', 'New'], t.kind)
), reason as (
  select u.work_unit_id, null::bigint as communication_id, u.tenant_id, u.kind, null::timestamptz as due, u.created as since,
    case when u.kind in ('NewInGroup', 'InGroup') then u.assignment_group end as detail, null::text as id
  from own u
  union all
  select u.work_unit_id, null, u.tenant_id, case when u.clock_due <= now() then 'LevelBreached' else 'LevelDue' end, u.clock_due, u.clock_warn, null, null
  from own u where u.clock_warn <= now()
  union all
  select b.work_unit_id, null, b.tenant_id, case when b.taken_by is null then 'CallBack' else 'Calling' end, b.due, b.created, b.phone, b.call_back_id::text
  from call_back b where b.closed_at is null and (b.taken_by is null or lower(b.taken_by) = $2) and ($4::uuid[] is null or b.tenant_id = any($4::uuid[]))
  union all ${waitsFor(1)}
  union all ${waitsFor(2)}
  union all
  select u.work_unit_id, null, u.tenant_id, 'Step', null, u.created, coalesce(nullif(a.summary, ''), d.name), a.protocol_action_id::text
  from own u join unnest($7::text[], $8::int[]) as e (state_id, event_id) on e.state_id = u.state_id
    join protocol_action a on a.protocol_id = u.protocol_id and a.work_unit_event_type_id = e.event_id join action_definition d using (action_definition_id)
  where u.may_edit and not a.run_automatically and (a.tenant_id is null or a.tenant_id = u.tenant_id) and ${waitIsOver('u.work_unit_id', 'u.created')}
    and not exists (select from action_history h where h.work_unit_id = u.work_unit_id and h.protocol_action_id = a.protocol_action_id)
  union all
  select u.work_unit_id, null, u.tenant_id, 'StepFailed', null, f.action_processed, coalesce(nullif(a.summary, ''), d.name), f.message_id::text
  from own u cross join lateral (
    select distinct on (h.protocol_action_id) h.protocol_action_id, h.action_definition_id, h.result_status_id, h.action_processed, h.message_id from action_history h
    where h.work_unit_id = u.work_unit_id and h.protocol_action_id is not null and h.action_processed > now() - interval '1 day'
    order by h.protocol_action_id, h.action_history_id desc
  ) f join action_definition d on d.action_definition_id = f.action_definition_id left join protocol_action a on a.protocol_action_id = f.protocol_action_id
  where u.may_edit and f.result_status_id in (${resultStatus.failure}, ${resultStatus.enqueueFailure})
  union all
  select i.work_unit_id, null, i.tenant_id, i.kind, null, i.created, i.detail, i.inbox_item_id::text
  from inbox_item i where i.person_id = $1 and i.read_at is null and i.due <= now() and i.kind in ('Mentioned', 'Reply')
    and ($3::uuid[] is null or i.tenant_id = any($3::uuid[]))
  union all
  select null, c.work_unit_communication_id, c.tenant_id, 'UpdateOverdue', least(c.next_update, c.next_internal_update), c.user_changed,
    case when c.next_update <= now() then 'customer' else 'internal' end, null
  from work_unit_communication c where c.status not in ('Cancelled', 'Resolved') and least(c.next_update, c.next_internal_update) <= now()
    and ($5::uuid[] is null or c.tenant_id = any($5::uuid[]))
), banded as (
  select r.*, u.severity_id, coalesce(u.created, r.since) as created, coalesce(u.work_unit_id, -r.communication_id) as subject_id,
    case when r.kind in ('CallBack', 'Calling') then 0 when r.kind in ('LevelBreached', 'LevelDue', 'UpdateOverdue') then 2
      when r.kind in ('Approval', 'Step', 'StepFailed', 'Mentioned', 'Reply') then 3 when u.state_id = 'OnHold' then 6 when u.severity_id in ('Sev0', 'Sev1') then 1
      when r.kind in ('Assigned', 'InGroup') then 5 else 4 end as band
  from reason r left join work_unit u using (work_unit_id)
), ranked as materialized (
  select *, row_number() over (order by band, case when band in (0, 2, 3) then due end, severity_id, created desc, subject_id, since, id) as place from banded
), subject as (
  select subject_id, min(place) as place, count(*) over () as total from ranked group by subject_id order by place limit ${maxDoNow}
)
select r.work_unit_id as "workUnitId", r.communication_id as "communicationId", c.public_work_unit_communication_id as "publicId", c.title,
  r.tenant_id as "tenantId", t.name as "tenantName", r.kind, r.due, r.since, r.detail, r.id, s.total,
  greatest((select count(*) from mine), (select count(*) from grouped), (select count(*) from anybodys), (select count(*) from on_call)) >= ${maxOfKind} as "isCut"
from subject s join ranked r using (subject_id) join tenant t on t.tenant_id = r.tenant_id
  left join work_unit_communication c on c.work_unit_communication_id = r.communication_id
order by s.place, r.place`;

interface ReasonRow {
  workUnitId: number | null;
  communicationId: number | null;
  publicId: number | null;
  title: string | null;
  tenantId: string;
  tenantName: string;
  kind: DoNowReason;
  due: string | null;
  since: string;
  detail: string | null;
  id: string | null;
  total: number;
  isCut: boolean | null;
}

/** The tenants in which the caller has all of the permissions, or the one of them that is asked for; null for all. */
function tenantsWith(ctx: Ctx, required: readonly Permission[], tenantId: string | undefined): string[] | null {
  const scopes = required.map((item) => tenantScopeWith(ctx, [item]));
  const has = (tenant: string): boolean => scopes.every((scope) => scope === 'all' || scope.includes(tenant));
  if (tenantId !== undefined) return [tenantId].filter(has);
  const limited = scopes.find((scope) => scope !== 'all');
  return limited === undefined ? null : limited.filter(has);
}

const events = Object.entries(eventOfState);

async function reasonsOf(ctx: Ctx, tenantId: string | undefined): Promise<ReasonRow[]> {
  const { actor } = ctx;
  if (actor.kind !== 'person') throw forbidden('Only people have something to do.');
  const view = permission('WorkUnits', 'view');
  const editing = tenantsWith(ctx, [view, permission('WorkUnits', 'edit')], tenantId);
  return ctx.db.query<ReasonRow>({
    name: 'do-now',
    text,
    values: [
      actor.id,
      actor.userName.toLowerCase(),
      tenantsWith(ctx, [view], tenantId),
      editing,
      tenantsWith(ctx, [permission('WorkUnitCommunications', 'view'), permission('WorkUnitCommunications', 'edit')], tenantId),
      await tenantsOnCall(ctx, actor.id, editing),
      events.map(([state]) => state),
      events.map(([, event]) => event),
    ],
  });
}

/** How many units and communications the caller should see to now. */
export const countToDo = async (ctx: Ctx): Promise<number> => (await reasonsOf(ctx, undefined))[0]?.total ?? 0;

export const doNowAction: ImplementedAction = implement(doNow, async (ctx, { tenantId }) => {
  const rows = await reasonsOf(ctx, tenantId);
  const ids = [...new Set(rows.flatMap(({ workUnitId }) => workUnitId ?? []))];
  // Through the list, so that a unit looks here as it does there, and nothing is shown that a list would not show.
  const query = queryText<typeof workUnits>({ filter: oneOf(workUnits, 'workUnitId', ids), top: maxDoNow });
  const units = new Map(ids.length > 0 ? (await list(ctx, servedWorkUnits, query)).value.map((unit) => [unit.workUnitId, unit]) : []);
  const subjects = [...Map.groupBy(rows, (row) => row.workUnitId ?? `communication ${row.communicationId}`).values()];
  const value = subjects.flatMap((reasons) => {
    const [first] = reasons;
    if (!first) return [];
    const { workUnitId, communicationId, publicId, title, tenantName } = first;
    const unit = workUnitId === null ? null : units.get(workUnitId);
    if (unit === undefined) return [];
    return [
      {
        tenantId: first.tenantId,
        tenantName,
        unit,
        communication:
          communicationId === null ? null : { workUnitCommunicationId: communicationId, publicId: publicId ?? 0, title: title ?? '' },
        reasons: reasons.map(({ kind, due, since, detail, id }) => ({ kind, due, since, detail, id })),
      },
    ];
  });
  return { value, total: rows[0]?.total ?? 0, isCut: rows[0]?.isCut ?? false };
});
