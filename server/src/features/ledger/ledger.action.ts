/**
 * Lists everything that is stuck, late or failed, and on request what waits, is held or was suppressed. Large tables are
 * read by indexes, so that the cost does not grow with their size.
 */
import { ledger, type LedgerEntry } from '@cloudfit/contract/actions/ledger.ts';
import { ledgerKinds } from '@cloudfit/contract/ledger.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { requireScope, tenantScopeWith } from '../../context/ctx.ts';
import type { Db, TenantScope } from '../../db/db.ts';
import { runActionName } from '../../executions/executions.ts';
import { implement } from '../../resources/action.ts';

/** A delay that a working queue or timer never reaches. */
const patience = `interval '30 seconds'`;

/**
 * Returns a query with a sub-query for each tenant, so that an index on tenant and time serves. $1: tenants, null for
 * all; $2: hours; $3: maximum number of rows.
 */
function perTenant(from: string): string {
  return `select e.* from unnest(coalesce($1::uuid[], array(select tenant_id from tenant))) as t (id) cross join lateral (${from}) e`;
}

const packets =
  perTenant(`select 'packet' as kind, case outcome when 'failed' then 'failed' else 'late' end as state, correlation_id::text as id, tenant_id,
  at as since, case outcome when 'failed' then coalesce(detail->>'error', 'The rule could not be evaluated.')
    when 'stale' then 'Older than the latest packet when it came: not evaluated.' else 'Came after its match was over: actions not run.' end as cause,
  rule_id, subject_id::text as subject, correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
  from rule_evaluation where tenant_id = t.id and outcome in ('stale', 'late', 'failed') and at > now() - make_interval(hours => $2) order by at desc limit $3`);

/** Devices whose clock differs; the index holds only these. */
const clocks = perTenant(`select 'packet' as kind, 'late' as state, d.device_id::text as id, d.tenant_id, l.received_timestamp as since,
  'Its clock is ' || abs(d.clock_skew_seconds) || case when d.clock_skew_seconds < 0 then ' s behind' else ' s ahead' end || ': packets are evaluated as of their receipt.' as cause,
  null::uuid as rule_id, d.device_id::text as subject, null::uuid as correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
  from device d join latest_packet l on l.entity_id = d.device_id
  where d.tenant_id = t.id and d.clock_skew_seconds is not null and not d.is_deleted and l.received_timestamp > now() - make_interval(hours => $2)
  order by l.received_timestamp desc limit $3`);

// Reads the stuck matches of all tenants with one query: ended matches are processed within a second, so few rows qualify.
const matches = `select 'match' as kind, 'stuck' as state, rule_match_id::text as id, tenant_id, expires as since,
  'Over, but its end has not been processed.' as cause, rule_id, subject_id::text as subject, correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from rule_match where not completion_processed and expires < now() - ${patience} and expires > now() - make_interval(hours => $2)
  and ($1::uuid[] is null or tenant_id = any($1)) order by expires desc limit $3`;

const actions = perTenant(`select 'action' as kind, 'failed' as state, message_id::text as id, h.tenant_id, action_processed as since,
  coalesce(result_detail->>'error', 'No reason was given.') as cause, null::uuid as rule_id, action_definition_id::text as subject, correlation_id, action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
  from action_history h where h.tenant_id = t.id and result_status_id in (${resultStatus.failure}, ${resultStatus.enqueueFailure})
  and action_processed > now() - make_interval(hours => $2) order by action_processed desc limit $3`);

const jobColumns = `job_id::text as id, tenant_id`;
const jobs = `select * from (select 'job' as kind, case when attempts > 0 then 'failed' else 'late' end as state, ${jobColumns}, run_at as since,
  coalesce(last_error, case when destination is null then 'Due, and no worker has taken it.' else 'Waits for a call to ' || destination || '.' end) as cause, null::uuid as rule_id, name as subject, correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, dead_at
  from job where dead_at is null and run_at < now() - ${patience} and (leased_until is null or leased_until < now())
  and ($1::uuid[] is null or tenant_id = any($1)) order by run_at limit $3) waiting
union all select * from (select 'job', 'failed', ${jobColumns}, dead_at, coalesce(last_error, 'No reason was given.'), null::uuid, name, correlation_id, null::bigint, null::timestamptz, dead_at
  from job where dead_at is not null and dead_at > now() - make_interval(hours => $2) and ($1::uuid[] is null or tenant_id = any($1))
  order by dead_at desc limit $3) dead`;

const timers = `select 'timer' as kind, 'late' as state, work_unit_id::text as id, tenant_id, due as since,
  'Due, and its steps have not been started.' as cause, null::uuid as rule_id, work_unit_id::text as subject, null::uuid as correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from work_unit_timer where due < now() - ${patience} and ($1::uuid[] is null or tenant_id = any($1)) order by due limit $3`;

// A sweep checks neglected runs each minute, so a run that nothing has checked for two minutes is stuck or late.
const protocols = `select 'protocol' as kind, case when j.job_id is null then 'stuck' else 'late' end as state, r.event_id::text as id, r.tenant_id,
  r.looked as since, case when j.job_id is null then 'No step is under way, and nobody has looked for the next one.'
    else coalesce('Its step has not ended: ' || j.last_error, 'Its step has not ended.') end as cause,
  null::uuid as rule_id, r.work_unit_id::text as subject, r.correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from protocol_run r left join lateral (
  select j.job_id, j.last_error from action_history h join job j on j.once_key = h.message_id::text
  where h.protocol_event_id = r.event_id and j.name = 'run-action' and j.dead_at is null limit 1
) j on true
where r.looked < now() - interval '2 minutes' and ($1::uuid[] is null or r.tenant_id = any($1)) order by r.looked limit $3`;

const unanswered = `select 'protocol' as kind, 'late' as state, work_unit_id::text as id, tenant_id, unanswered_since as since,
  'All steps for New have run, and nobody has acknowledged.' as cause, null::uuid as rule_id, work_unit_id::text as subject, null::uuid as correlation_id,
  null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from work_unit where unanswered_since is not null and ($1::uuid[] is null or tenant_id = any($1)) order by unanswered_since desc limit $3`;

const waitingActions = `select 'action' as kind, 'waiting' as state, h.message_id::text as id, h.tenant_id, h.action_processed as since,
  coalesce(h.result_detail->>'error', 'Waits for its receiver.') as cause, null::uuid as rule_id, h.action_definition_id::text as subject, h.correlation_id,
  h.action_history_id, h.next_try, null::timestamptz as dead_at
from job j join action_history h on h.message_id = (j.payload->>'messageId')::uuid
where j.name = '${runActionName}' and j.dead_at is null and h.next_try is not null and h.result_status_id = ${resultStatus.enqueueSuccess}
  and ($1::uuid[] is null or h.tenant_id = any($1)) order by h.action_processed desc limit $3`;

const keptMails = `select 'action' as kind, 'waiting' as state, h.message_id::text as id, h.tenant_id, h.kept_since as since,
  'No mail server is set; the mail is kept.' as cause, null::uuid as rule_id, h.action_definition_id::text as subject, h.correlation_id,
  h.action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from outbox_message o join action_history h on h.message_id = o.message_id
where h.kept_since is not null and ($1::uuid[] is null or o.tenant_id = any($1)) order by o.created desc limit $3`;

const suppressedActions =
  perTenant(`select 'action' as kind, 'suppressed' as state, message_id::text as id, h.tenant_id, action_processed as since,
  coalesce(result_detail->>'reason', 'No reason was given.') as cause, null::uuid as rule_id, action_definition_id::text as subject, correlation_id,
  action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
  from action_history h where h.tenant_id = t.id and result_status_id = ${resultStatus.suppressed}
  and action_processed > now() - make_interval(hours => $2) order by action_processed desc limit $3`);

const heldMatches = `select 'match' as kind, 'held' as state, rule_match_id::text as id, tenant_id, held_since as since,
  'Its actions wait for the end of the maintenance.' as cause, rule_id, subject_id::text as subject, correlation_id,
  null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from rule_match where held_since is not null and held_until is null and ($1::uuid[] is null or tenant_id = any($1)) order by held_since desc limit $3`;

/** Rows that wait, are held or were suppressed although nothing is wrong. */
const waitingStatements = { waitingActions, keptMails, suppressedActions, heldMatches };

const waitingOf: Partial<Record<LedgerEntry['kind'], readonly (keyof typeof waitingStatements)[]>> = {
  action: ['waitingActions', 'keptMails', 'suppressedActions'],
  match: ['heldMatches'],
};

// PostgreSQL must know the type of each parameter, so each statement mentions all of them.
const parameters = 'with given as (select $1::uuid[], $2::int, $3::int)';

const names = `select 'rule' as kind, rule_id::text as id, name from rule where rule_id = any($1)
union all select 'action', action_definition_id::text, name from action_definition where action_definition_id = any($1)
union all select 'entity', device_id::text, name from device where device_id = any($1)
union all select 'entity', block_id::text, name from block where block_id = any($1)
union all select 'entity', device_operation_id::text, label from device_operation where device_operation_id = any($1)
union all select 'entity', subscription_id::text, name from subscription where subscription_id = any($1)
union all select 'unit', work_unit_id::text, '#' || public_work_unit_id || ' ' || title from work_unit where work_unit_id = any($2)
union all select 'about', action_history_id::text, coalesce('#' || public_work_unit_id || ' ' || u.title, d.name, o.label, b.name)
from action_history h left join work_unit u using (work_unit_id)
left join rule_match m on m.rule_match_id = case when h.reference_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then h.reference_id::uuid end
left join device d on d.device_id = m.subject_id left join device_operation o on o.device_operation_id = m.subject_id left join block b on b.block_id = m.subject_id
where h.action_history_id = any($3)`;

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adds the names of the rules, actions, entities and work units to which the entries refer. */
async function withNames(db: Db, rows: readonly LedgerRow[]): Promise<Omit<LedgerEntry, 'ageSeconds'>[]> {
  const ids = [...new Set(rows.flatMap((row) => [row.rule_id, row.subject]))].filter((id) => id !== null);
  const units = ids.filter((id) => /^[0-9]{1,15}$/.test(id)).map(Number);
  const nameRows = await db.query<{ kind: string; id: string; name: string }>({
    name: 'ledger-names',
    text: names,
    values: [ids.filter((id) => guid.test(id)), units, rows.map((row) => row.action_history_id).filter((id) => id !== null)],
  });
  const nameOf = new Map(nameRows.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
  return rows.map(({ tenant_id, rule_id, correlation_id, action_history_id, next_try, dead_at, ...row }) => {
    const unit = nameOf.get(`unit ${row.subject}`) ?? null;
    const isOfUnit = row.kind === 'timer' || row.kind === 'protocol';
    const ownTitle =
      row.kind === 'action'
        ? (nameOf.get(`action ${row.subject}`) ?? null)
        : isOfUnit && unit
          ? unit
          : (nameOf.get(`entity ${row.subject}`) ?? row.subject);
    return {
      ...row,
      tenantId: tenant_id,
      ruleId: rule_id,
      correlationId: correlation_id,
      actionHistoryId: action_history_id,
      nextTry: next_try,
      isDead: row.kind === 'job' && dead_at !== null,
      title: rule_id === null ? ownTitle : (nameOf.get(`rule ${rule_id}`) ?? null),
      subjectName: rule_id === null ? (nameOf.get(`about ${action_history_id}`) ?? null) : (nameOf.get(`entity ${row.subject}`) ?? unit),
    };
  });
}

/** Late and failed periodic work, which concerns the whole installation: only people of all tenants see it. */
const works = `select 'timer' as kind, case when last_error is null then 'late' else 'failed' end as state, name as id, null::uuid as tenant_id, next_run as since,
  coalesce(last_error, 'Due, and no server has run it.') as cause, null::uuid as rule_id, name as subject, null::uuid as correlation_id, null::bigint as action_history_id, null::timestamptz as next_try, null::timestamptz as dead_at
from schedule where last_error is not null or next_run < now() - ${patience}`;

/** The statement of each kind, for callers and for tests that read its plan. */
export const ledgerStatements = {
  packet: packets,
  match: matches,
  action: actions,
  job: jobs,
  timer: timers,
  protocol: `select * from (${protocols}) runs union all select * from (${unanswered}) units`,
} as const;

/** The permission that the entries of a kind need: the one that the list of their rows needs. */
const seenWith: Record<LedgerEntry['kind'], Permission> = {
  packet: permission('Rules', 'view'),
  match: permission('Rules', 'view'),
  action: permission('ActionDefinitions', 'view'),
  job: permission('Settings', 'edit'),
  timer: permission('WorkUnits', 'view'),
  protocol: permission('WorkUnits', 'view'),
};

function both(one: TenantScope, other: TenantScope): TenantScope {
  if (one === 'all') return other;
  return other === 'all' ? one : one.filter((tenant) => other.includes(tenant));
}

interface LedgerRow extends Pick<LedgerEntry, 'kind' | 'state' | 'id' | 'since' | 'cause' | 'subject'> {
  tenant_id: string | null;
  rule_id: string | null;
  correlation_id: string | null;
  action_history_id: number | null;
  next_try: string | null;
  /** Only set for jobs that are dead letters. */
  dead_at: string | null;
}

export const ledgerAction = implement(ledger, async (ctx, { tenantId, kind, hours, top, waiting }) => {
  const scope = requireScope(ctx, 'Settings', 'view');
  if (tenantId !== undefined && scope !== 'all' && !scope.includes(tenantId)) throw notFound('Tenant');
  const tenantScope = tenantId === undefined ? scope : [tenantId];
  const kinds = kind ? [kind] : ledgerKinds;
  const lists = await Promise.all(
    kinds.flatMap((kind) => {
      const visible = both(tenantScope, tenantScopeWith(ctx, [seenWith[kind]]));
      const values = [visible === 'all' ? null : [...visible], hours, top];
      return [
        ctx.db.query<LedgerRow>({ name: `ledger-${kind}`, text: `${parameters} ${ledgerStatements[kind]}`, values }),
        ...(kind === 'packet' ? [ctx.db.query<LedgerRow>({ name: 'ledger-clocks', text: `${parameters} ${clocks}`, values })] : []),
        ...(waiting ? (waitingOf[kind] ?? []) : []).map((which) =>
          ctx.db.query<LedgerRow>({ name: `ledger-${which}`, text: `${parameters} ${waitingStatements[which]}`, values }),
        ),
      ];
    }),
  );
  if (tenantScope === 'all' && kinds.includes('timer')) lists.push(await ctx.db.query<LedgerRow>({ name: 'ledger-works', text: works }));
  const now = ctx.now().getTime();
  const entries = await withNames(
    ctx.db,
    lists.flatMap((rows) => rows.toSorted((a, b) => (a.since < b.since ? 1 : -1)).slice(0, top)),
  );
  const value = entries
    .map((entry) => ({ ...entry, ageSeconds: Math.max(0, Math.round((now - Date.parse(entry.since)) / 1_000)) }))
    .toSorted((a, b) => a.ageSeconds - b.ageSeconds);
  return { value };
});
