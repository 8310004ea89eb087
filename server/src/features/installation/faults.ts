/** What has stopped working and waits for a person: it is shown on the home page, and told by mail. */
import { builtInAction, openStates, resultStatus, workUnitType } from '@cloudfit/contract/enums.ts';
import type { FaultKind } from '@cloudfit/contract/actions/notices.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { grantIsOpen, grantsOfPerson } from '../../auth/grants.ts';

/** A fault of a tenant, or (null) of the installation. */
export interface Fault {
  kind: FaultKind;
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

const failures = `${resultStatus.failure}, ${resultStatus.enqueueFailure}`;

const waitsForApprover = (slot: 1 | 2): string =>
  `case when u.work_unit_type_id = ${workUnitType.changeRequest} and u.approved${slot}_by is null and u.declined${slot}_by is null then u.approver${slot} end`;
const isNamed = 'lower(trim(n.name)) in (lower(p.user_name), lower(p.email))';

// Open units and approvals that only somebody can do who is disabled or has no rights there any more: they are in nobody's list.
const waitingForGone = `select 'left' as kind, u.tenant_id, 'tenants' as entity, u.tenant_id::text as entity_id, min(g.name) as name,
    left(string_agg(distinct '#' || u.public_work_unit_id, ', '), 200) as problem, now() as since, count(distinct u.work_unit_id)::int as n
  from work_unit u cross join lateral (values (u.assigned_to), (${waitsForApprover(1)}), (${waitsForApprover(2)})) n (name)
  cross join lateral (select p.name from person p where ${isNamed} limit 1) g
  where u.state_id in (${openStates.map((state) => `'${state}'`).join(', ')}) and n.name is not null and ($1::uuid is null or u.tenant_id = $1)
    and not exists (select from person p where ${isNamed} and p.enabled and exists (
      select from access_grant g join permission_set s using (permission_set_id)
      where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = u.tenant_id) and ${grantIsOpen} and s.permissions ? '${permission('WorkUnits', 'edit')}'))
  group by u.tenant_id`;

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
  union all select 'destination', tenant_id, 'destinations', destination_id::text, origin, last_error, disabled, 1
  from destination where disabled is not null and origin <> '${mailDestination}'
  union all (select 'undelivered', t.tenant_id, 'tenants', t.tenant_id::text, f.name, f.problem, f.since, f.n from tenant t cross join lateral (
    select count(*)::int as n, min(u.at) as since, (array_agg(u.name order by u.at desc))[1] as name, (array_agg(u.problem order by u.at desc))[1] as problem
    from (
      select h.action_processed as at, coalesce(h.result_detail->>'label', d.name, '') as name, coalesce(h.result_detail->>'error', '') as problem
      from action_history h left join action_definition d using (action_definition_id) left join work_unit w on w.work_unit_id = h.work_unit_id
      where h.tenant_id = t.tenant_id and h.result_status_id in (${failures}) and h.action_processed > now() - interval '1 day'
        and h.result_detail->>'test' is distinct from 'true' and (w.work_unit_id is null or w.state_id = 'New')
        and h.action_definition_id is distinct from '${builtInAction.setColor}'
      union all
      select j.dead_at, coalesce(j.payload->>'subject', ''), coalesce(j.last_error, '') from job j
      where j.dead_at > now() - interval '1 day' and j.tenant_id = t.tenant_id and j.name = 'send-mail'
    ) u
  ) f where t.enabled and f.n > 0 and ($1::uuid is null or t.tenant_id = $1))
  union all ${waitingForGone}
  union all select 'jobs', null, 'installation', 'jobs', max(name), (array_agg(last_error order by dead_at desc))[1], min(dead_at), count(*)::int
  from job where dead_at > now() - interval '1 day' and name not in ('run-action', 'send-mail') having count(*) > 0
) f where $1::uuid is null or f.tenant_id = $1 or ($2::boolean and f.tenant_id is null) order by kind, since`;
