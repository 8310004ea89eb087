/** What has stopped working and waits for a person: it is shown on the home page, and told by mail. */
import { builtInAction, builtInActionTypes, openStates, resultStatus, workUnitType } from '@cloudfit/contract/enums.ts';
import type { FaultKind } from '@cloudfit/contract/actions/notices.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { grantIsOpen, grantsOfPerson } from '../../auth/grants.ts';
import type { TroubleKind } from './troubles.ts';

/** A fault of a tenant, or (null) of the installation. */
export interface StandingFault {
  /** Those that are no `FaultKind` have notices of their own. */
  kind: FaultKind | 'mail' | TroubleKind;
  tenantId: string | null;
  /** The entity of which it is a fault, as the audit names it, and its row. */
  entity: string;
  entityId: string;
  name: string;
  problem: string;
  since: string;
  count: number;
}

/** After so many minutes without a connection, a mailbox does not come back by itself. */
const mailboxMinutes = 10;

/** A receiver that has refused calls for so many minutes is not only being restarted: what is sent to it waits. */
const failingMinutes = 10;

/** Everything that a source has sent was refused, for so many minutes. */
const sourceMinutes = 10;

// Whether a mail waits for a person: those of unknown senders, where the mailbox says so, and what could not be stored.
const mailWaits = `outcome = 'Held' or outcome = 'Refused' and reason in ('NotTaken', 'Unreadable', 'TooLarge')`;

const failures = `${resultStatus.failure}, ${resultStatus.enqueueFailure}`;

const mayEdit = (
  tenant: string,
): string => `p.enabled and exists (select from access_grant g join permission_set s using (permission_set_id)
  where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = ${tenant}) and ${grantIsOpen} and s.permissions ? '${permission('WorkUnits', 'edit')}')`;
const isOpen = `u.state_id in (${openStates.map((state) => `'${state}'`).join(', ')})`;
const pendingApprovals = (slot: 1 | 2): string => `select g.name, g.names, u.work_unit_id, u.tenant_id, u.public_work_unit_id
  from gone g join work_unit u on u.approver${slot} = any(g.names)
  where not g.enabled and u.work_unit_type_id = ${workUnitType.changeRequest} and u.approved${slot}_by is null and u.declined${slot}_by is null and ${isOpen}`;

// Open units that only somebody can do who is disabled or may not edit units there any more, and approvals of somebody who is disabled: they
// are in nobody's list. `gone`: who may not edit those of all tenants, because then it depends on the tenant of the unit.
const waitingForGone = `select 'left' as kind, w.tenant_id, 'tenants' as entity, w.tenant_id::text as entity_id, min(w.name) as name,
    left(string_agg(distinct '#' || w.public_work_unit_id, ', '), 200) as problem, now() as since, count(distinct w.work_unit_id)::int as n
  from (
    with gone as materialized (
      select p.name, p.enabled, array_remove(array[p.user_name, lower(p.user_name), p.email, lower(p.email)], null) as names from person p where not (${mayEdit('null')})
    )
    select g.name, g.names, u.work_unit_id, u.tenant_id, u.public_work_unit_id from gone g join work_unit u on u.assigned_to = any(g.names) where ${isOpen}
    union all ${pendingApprovals(1)}
    union all ${pendingApprovals(2)}
  ) w
  where ($1::uuid is null or w.tenant_id = $1)
    and not exists (select from person p where (p.user_name = any(w.names) or p.email = any(w.names)) and ${mayEdit('w.tenant_id')})
  group by w.tenant_id`;

/** For so many minutes nobody has taken up a unit of Sev0 or Sev1 of which nobody was told, or for which nobody answered. */
const untoldMinutes = 15;

const tellsSomebody = `(d.action_definition_id in ('${builtInAction.email}', '${builtInAction.notify}') or d.action_definition_type_id not in (${builtInActionTypes.join(', ')}))`;
const wasSent = `h.result_status_id = ${resultStatus.success} and ${tellsSomebody}`;

// Each half has an index.
const newWithout = (group: string): string =>
  `select * from work_unit where state_id = 'New' and assigned_to is null and ${group} and severity_id in ('Sev0', 'Sev1')`;

// A rule without a message opens a unit without a protocol: it stands in a list, and nobody need look at lists.
const toldToNobody = `select 'untold' as kind, u.tenant_id, 'tenants' as entity, u.tenant_id::text as entity_id, (array_agg(u.title order by u.severity_id, u.created))[1] as name,
    left(string_agg('#' || u.public_work_unit_id, ', ' order by u.severity_id, u.created), 200) as problem, max(u.created) as since, count(*)::int as n
  from (${newWithout('assignment_group is null')} union all ${newWithout('assignment_group is not null')}) u
  where u.work_unit_type_id = ${workUnitType.incident} and u.snoozed_until is null
    and u.created < now() - interval '${untoldMinutes} minutes' and u.created > now() - interval '7 days' and ($1::uuid is null or u.tenant_id = $1)
    and (u.unanswered_since < now() - interval '${untoldMinutes} minutes' or not exists (select from inbox_item i where i.work_unit_id = u.work_unit_id)
    and not exists (select from action_history h join action_definition d using (action_definition_id) where h.work_unit_id = u.work_unit_id and ${wasSent})
    and not exists (select from rule_match m join action_history h on h.reference_id = m.rule_match_id::text join action_definition d using (action_definition_id)
      where m.work_unit_id = u.work_unit_id and ${wasSent})
    and not exists (select from event_subscription s where s.entity = 'workUnits' and s.enabled and s.on_opened and s.last_delivered > u.created
      and (s.tenant_id is null or s.tenant_id = u.tenant_id)))
  group by u.tenant_id`;

// A person who stops a campaign knows it. By itself it stops at night too, because its gate failed or its owner has left.
const stoppedCampaigns = `select 'campaign' as kind, c.tenant_id, 'campaigns' as entity, c.campaign_id::text as entity_id, c.title as name, c.stop_reason as problem, c.modified as since, 1 as n
  from campaign c where c.state in ('Stopping', 'Stopped') and c.stop_reason is not null and c.modified > now() - interval '1 day'
    and (select a.actor_kind from audit a where a.entity = 'campaigns' and a.entity_id = c.campaign_id::text and a.after ->> 'state' = 'Stopping' order by a.audit_id desc limit 1) = 'system'`;

// What processes see on their machines, of which one may run several. An archive that does not answer for a moment is tried again.
const troubles = `select kind, null::uuid as tenant_id, 'installation' as entity, kind || ' ' || name as entity_id, name, problem, since, 1 as n from (
    select distinct on (t.kind, t.name) t.kind, t.name, t.problem, t.since
    from server_process p cross join lateral jsonb_to_recordset(p.troubles) as t (kind text, name text, problem text, since timestamptz)
    where p.at > now() - interval '1 minute' order by t.kind, t.name, t.since
  ) seen where kind = 'storage' or since < now() - interval '${failingMinutes} minutes'
  union all select 'archive', null, 'installation', 'archive copies', name, value ->> 'error', (value ->> 'since')::timestamptz, 1
  from setting where name = 'archiveFault' and (value ->> 'since')::timestamptz < now() - interval '${failingMinutes} minutes'`;

/**
 * SQL: the faults of the tenant `$1` (null: of all), and if `$2`, of the installation. What could not be told in a day, and nobody has taken
 * up meanwhile: mails, executions without a work unit, and those of units that are New.
 */
export const faults = `select kind, tenant_id as "tenantId", entity, entity_id as "entityId", name, problem, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since, n as count from (
  select 'mailbox' as kind, tenant_id, 'mailboxes' as entity, mailbox_id::text as entity_id, name, problem, problem_since as since, 1 as n
  from mailbox where enabled and problem is not null and problem_since < now() - interval '${mailboxMinutes} minutes'
  union all select 'rule', tenant_id, 'rules', rule_id::text, name, evaluation_failure, evaluation_failed, 1
  from rule where enabled and evaluation_failure is not null
  union all select 'events', tenant_id, 'eventSubscriptions', event_subscription_id::text, name, coalesce(problem, ''), paused, 1
  from event_subscription where enabled and paused is not null
  union all select 'eventsEnded', tenant_id, 'eventSubscriptions', event_subscription_id::text, name, problem, modified, 1
  from event_subscription where not enabled and problem is not null
  union all select 'eventsGivenUp', s.tenant_id, 'eventSubscriptions', s.event_subscription_id::text, s.name, d.problem, d.since, d.n
  from (
    select event_subscription_id, min(last_attempt) as since, count(*)::int as n, (array_agg(coalesce(error, '') order by last_attempt desc))[1] as problem
    from event_delivery where status = 'Failed' and deed <> 'test' and last_attempt > now() - interval '1 day' group by event_subscription_id
  ) d join event_subscription s using (event_subscription_id) where s.enabled
  union all select 'mails', b.tenant_id, 'mailboxes', b.mailbox_id::text, b.name, m.problem, m.since, m.n
  from (
    select mailbox_id, min(received) as since, count(*)::int as n,
      (array_agg(concat_ws(': ', nullif(sender, ''), coalesce(nullif(message, ''), reason)) order by received desc))[1] as problem
    from mailbox_mail where (${mailWaits}) and received > now() - interval '7 days' group by mailbox_id
  ) m join mailbox b using (mailbox_id)
  union all select 'report', r.tenant_id, 'reportSchedules', r.report_schedule_id::text, r.name, p.name, r.last_run, 1
  from report_schedule r join person p using (person_id)
  where not r.is_enabled and r.last_result @> '[{"outcome": "OwnerMayNot"}]' and r.last_run > now() - interval '7 days'
  union all select 'source', s.tenant_id, 'sources', s.source_id::text, s.name, r.message, coalesce(s.last_data, s.created), 1
  from intake_source s cross join lateral (
    select message, last from source_refusal r where r.source_id = s.source_id and r.last > coalesce(s.last_data, s.created) order by r.last desc limit 1
  ) r where s.enabled and r.last > now() - interval '1 hour' and coalesce(s.last_data, s.created) < now() - interval '${sourceMinutes} minutes'
  union all select 'destination', tenant_id, 'destinations', destination_id::text, origin, last_error, disabled, 1
  from destination where disabled is not null and origin <> '${mailDestination}'
  union all select 'failing', tenant_id, 'destinations', destination_id::text, origin, last_error, created, 1
  from destination where disabled is null and paused_until is not null and created < now() - interval '${failingMinutes} minutes' and origin <> '${mailDestination}'
  union all select 'mail', tenant_id, 'destinations', destination_id::text, origin, last_error, created, 1
  from destination where (disabled is not null or paused_until is not null) and created < now() - interval '${failingMinutes} minutes' and origin = '${mailDestination}'
  union all (select 'undelivered', t.tenant_id, 'tenants', t.tenant_id::text, f.name, f.problem, f.since, f.n from tenant t cross join lateral (
    select count(*)::int as n, min(u.at) as since, (array_agg(u.name order by u.at desc))[1] as name, (array_agg(u.problem order by u.at desc))[1] as problem
    from (
      select h.action_processed as at, coalesce(h.result_detail->>'label', d.name, '') as name, coalesce(h.result_detail->>'error', '') as problem
      from action_history h left join action_definition d using (action_definition_id) left join work_unit w on w.work_unit_id = h.work_unit_id
      where h.tenant_id = t.tenant_id and h.result_status_id in (${failures}) and h.action_processed > now() - interval '1 day'
        and h.result_detail->>'test' is distinct from 'true' and (w.work_unit_id is null or w.state_id = 'New')
        and h.action_definition_id is distinct from '${builtInAction.setColor}'
      union all
      select n.released, n.name, n.problem from notification n join work_unit w using (work_unit_id)
      where n.tenant_id = t.tenant_id and n.created > now() - interval '2 days' and n.held_until is not null and n.problem is not null
        and n.released > now() - interval '1 day' and w.state_id = 'New'
      union all
      select j.dead_at, coalesce(j.payload->>'subject', ''), coalesce(j.last_error, '') from job j
      where j.dead_at > now() - interval '1 day' and j.tenant_id = t.tenant_id and j.name = 'send-mail'
    ) u
  ) f where f.n > 0 and ($1::uuid is null or t.tenant_id = $1))
  union all ${waitingForGone}
  union all ${toldToNobody}
  union all ${stoppedCampaigns}
  union all ${troubles}
  union all select 'jobs', null, 'installation', 'jobs', (array_agg(name order by since))[1], (array_agg(last_error order by since))[1], max(since), count(*)::int from (
    select name, last_error, dead_at as since from job where dead_at > now() - interval '1 day' and name not in ('run-action', 'send-mail')
    union all select name, last_error, failed_since from schedule
    where last_error is not null and failed_since < now() - interval '${failingMinutes} minutes' and last_run > failed_since
  ) work having count(*) > 0
) f where ($1::uuid is null or f.tenant_id = $1 or f.tenant_id is null) and case when f.tenant_id is null then $2::boolean
  else exists (select from tenant t where t.tenant_id = f.tenant_id and t.enabled) end order by kind, since`;
