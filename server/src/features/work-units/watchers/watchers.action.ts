/** Who follows a work unit, and who may be mentioned in its notes. */
import { peopleToMention, unwatchWorkUnit, watchersOfWorkUnit, watchWorkUnit } from '@cloudfit/contract/actions/work-units/watchers.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { mayViewUnits } from '../viewers.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import type { WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';

interface PersonOfUnit {
  personId: string;
  name: string;
  userName: string;
}

const columns = 'p.person_id as "personId", p.name, p.user_name as "userName"';

const watchers = `select ${columns} from work_unit_watcher w join person p on p.person_id = w.person_id
where w.work_unit_id = $1 and ${mayViewUnits('w.tenant_id')} order by w.created, p.person_id limit 200`;

// Words of a name begin behind a space, a dot or a hyphen.
const toMention = `select ${columns} from person p
where (starts_with(lower(p.user_name), lower($2)) or lower(p.name) ~ ('(^|[ .-])' || regexp_replace(lower($2), '([^[:alnum:] ])', '\\\\\\1', 'g')))
  and ${mayViewUnits('$1::uuid')} order by p.name collate natural_order, p.person_id limit 8`;

const announce = changed(workUnits, 'update', 'moved', '$4');
const begin = `with moved as (
  insert into work_unit_watcher (work_unit_id, person_id, tenant_id) select work_unit_id, $2, tenant_id from work_unit where work_unit_id = $1 and tenant_id = $3
  on conflict do nothing returning tenant_id, work_unit_id
), told as (${announce})
select 1 from moved`;
const end = `with moved as (
  delete from work_unit_watcher where work_unit_id = $1 and person_id = $2 and tenant_id = $3 returning tenant_id, work_unit_id
), told as (${announce})
select 1 from moved`;

const listed = async (ctx: Ctx, { workUnitId }: WorkUnitRow) => ({
  value: await ctx.db.query<PersonOfUnit>({ name: 'watchers', text: watchers, values: [workUnitId] }),
});

/** Runs the statement for the caller, and audits it if it changed something. */
function change(outside: Ctx, id: number, verb: 'create' | 'delete', text: string): Promise<{ value: PersonOfUnit[] }> {
  const { actor } = outside;
  if (actor.kind !== 'person') throw forbidden('Only people watch work units.');
  return inTransaction(outside, async (ctx) => {
    const unit = await get(ctx, servedWorkUnits, id);
    const rows = await ctx.db.query({ text, values: [id, actor.id, unit.tenantId, ctx.correlationId] });
    const person = { workUnitId: id, userName: actor.userName };
    if (rows.length > 0)
      await recordAudit(ctx.db, {
        actor: { ...actor, name: actorName(ctx) },
        verb,
        entity: 'workUnitWatchers',
        entityId: `${id} ${actor.id}`,
        tenantId: unit.tenantId,
        ...(verb === 'create' ? { after: person } : { before: person }),
        correlationId: ctx.correlationId,
        address: ctx.address,
      });
    return listed(ctx, unit);
  });
}

export const watcherActions: readonly ImplementedAction[] = [
  implement(watchersOfWorkUnit, async (ctx, { id }) => listed(ctx, await get(ctx, servedWorkUnits, id))),
  implement(watchWorkUnit, (ctx, { id }) => change(ctx, id, 'create', begin)),
  implement(unwatchWorkUnit, (ctx, { id }) => change(ctx, id, 'delete', end)),
  implement(peopleToMention, async (ctx, { id, text }) => {
    const { tenantId } = await get(ctx, servedWorkUnits, id);
    const values = [tenantId, text.trim()];
    return { value: await ctx.db.query<PersonOfUnit>({ name: 'people-to-mention', text: toMention, values }) };
  }),
];
