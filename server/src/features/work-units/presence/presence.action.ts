/** Who views a unit: rows with a short lease that all servers share, and a notification to open pages when they change. */
import { workUnitPresence } from '@cloudfit/contract/actions/work-units/presence.ts';
import { presenceLeaseSeconds, type Presence } from '@cloudfit/contract/presence.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { notify } from '../../../db/notify.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { keepVisit } from '../visits/visits.ts';
import { servedWorkUnits } from '../work-units.served.ts';

/** The maximum number of people in the list: a longer list is useless. */
const maxPeople = 50;

/** Extends or creates the lease of a page. `news` is whether the list that other people see has changed. */
const keep = `with lapsed as (
    delete from work_unit_presence where work_unit_id = $1 and until < now() and (actor_id, page_id) <> ($2, $3::uuid) returning 1),
  was as (select state from work_unit_presence where work_unit_id = $1 and actor_id = $2 and page_id = $3 and until >= now()),
  kept as (
    insert into work_unit_presence as p (work_unit_id, actor_id, page_id, tenant_id, name, user_name, state, until)
    values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
    on conflict (work_unit_id, actor_id, page_id) do update set until = excluded.until, state = excluded.state,
      since = case when p.state = excluded.state and p.until >= now() then p.since else now() end)
  select (select state from was) is distinct from $7 or exists (select from lapsed) as news`;

const leave = `with gone as (delete from work_unit_presence where work_unit_id = $1 and actor_id = $2 and page_id = $3 returning 1)
  select exists (select from gone) as news`;

const others = `select name, user_name as "userName", state, to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
  from (select distinct on (actor_id) * from work_unit_presence where work_unit_id = $1 and actor_id <> $2 and tenant_id = $3 and until >= now()
    order by actor_id, state, since) p
  order by state, p.since, actor_id limit ${maxPeople}`;

function actorKey({ actor }: Ctx): string {
  return `${actor.kind} ${actor.id ?? actor.name}`;
}

const presence = implement(workUnitPresence, async (ctx, { id, page, state }) => {
  // 404 for a unit that the caller cannot see.
  const { tenantId } = await get(ctx, servedWorkUnits, id);
  const me = actorKey(ctx);
  // Before the notification, so that pages which read again find it.
  if (state !== 'gone' && ctx.actor.kind === 'person')
    await keepVisit(ctx, { workUnitId: id, tenantId, way: 'page', personId: ctx.actor.id });
  const [change] = await ctx.db.query<{ news: boolean }>(
    state === 'gone'
      ? { name: 'presence-leave', text: leave, values: [id, me, page] }
      : {
          name: 'presence-keep',
          text: keep,
          values: [id, me, page, tenantId, ctx.actor.name, actorName(ctx), state, presenceLeaseSeconds],
        },
  );
  if (change?.news) await notify(ctx.db, 'presence', [tenantId, String(id), page]);
  return { value: await ctx.db.query<Presence>({ name: 'presence-others', text: others, values: [id, me, tenantId] }) };
});

export const presenceActions: readonly ImplementedAction[] = [presence];
