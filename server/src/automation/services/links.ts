/** The tickets and messages of work units in services. */
import { unitLinks } from '@cloudfit/contract/resources/unit-links.ts';
import type { LinkingService } from '@cloudfit/contract/events/services.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import type { LinkState } from './service.ts';

interface TicketOwner {
  tenantId: string;
  eventSubscriptionId: string;
  service: LinkingService;
  workUnitId: number;
}

// A unit has one link in a subscription, and a ticket belongs to one unit: whichever was stored first.
const upsert = `with stored as (
  insert into unit_link as l (tenant_id, event_subscription_id, service, work_unit_id, remote_key, name, url, remote_state, remote_at, last_sync)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, now()
  where not exists (select from unit_link o where o.event_subscription_id = $2 and o.remote_key = $5 and o.work_unit_id <> $4)
  on conflict (event_subscription_id, work_unit_id) do update
    set remote_state = excluded.remote_state, remote_at = excluded.remote_at, url = coalesce(excluded.url, l.url), last_sync = now(), problem = null,
      modified = now(), version = l.version + 1
  where l.remote_key = excluded.remote_key
  returning tenant_id, unit_link_id
)
${changed(unitLinks, 'update', 'stored', '$10')}`;

export async function storeLink(db: Db, owner: TicketOwner, state: LinkState, correlationId: string): Promise<void> {
  const { tenantId, eventSubscriptionId, service, workUnitId } = owner;
  await db.query({
    name: 'unit-link-store',
    text: upsert,
    values: [
      tenantId,
      eventSubscriptionId,
      service,
      workUnitId,
      state.key,
      state.name.slice(0, 300),
      state.url?.slice(0, 2_000) ?? null,
      state.state,
      state.at,
      correlationId,
    ],
  });
}

const outcome = `with stored as (
  update unit_link set last_sync = case when $4::text is null then now() else last_sync end, problem = $4, modified = now(), version = version + 1
  where event_subscription_id = $1 and work_unit_id = $2 and (problem is distinct from $4 or $4 is null) returning tenant_id, unit_link_id
)
${changed(unitLinks, 'update', 'stored', '$3')}`;

/** Notes at the link of a unit that it is in step (null), or why not. */
export async function noteOutcome(
  db: Db,
  { eventSubscriptionId, entityId }: { eventSubscriptionId: string; entityId: string },
  problem: string | null,
  correlationId: string,
): Promise<void> {
  await db.query({
    name: 'unit-link-outcome',
    text: outcome,
    values: [eventSubscriptionId, Number(entityId), correlationId, problem?.slice(0, 1_000) ?? null],
  });
}

export interface TicketRow {
  workUnitId: number;
  name: string;
  url: string | null;
  state: string | null;
  at: string | null;
}

const byKey = `select l.work_unit_id as "workUnitId", l.name, l.url, l.remote_state as state, l.remote_at as at from unit_link l
  join work_unit w on w.work_unit_id = l.work_unit_id and w.tenant_id = l.tenant_id
  where l.event_subscription_id = $1 and l.remote_key = $2 for update of l`;

/** The link of a ticket or message, locked; undefined when its unit is no longer in the tenant. */
export async function lockLink(db: Db, eventSubscriptionId: string, key: string): Promise<TicketRow | undefined> {
  const [row] = await db.query<TicketRow>({ name: 'unit-link-lock', text: byKey, values: [eventSubscriptionId, key] });
  return row;
}

const byReference = `select work_unit_id as id from work_unit where tenant_id = $1 and reference_url = $2 order by work_unit_id desc limit 1`;

/** The unit whose reference is this address. */
export async function unitOfReference(db: Db, tenantId: string, url: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>({ name: 'unit-of-reference', text: byReference, values: [tenantId, url] });
  return row?.id;
}
