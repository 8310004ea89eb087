/** Saved views of lists: who sees them, who changes them, and with which one a list opens. */
import { changeView, chooseDefaultView, removeView, savedViews, saveView } from '@cloudfit/contract/views/calls.ts';
import { viewLimits, viewScreens, type ViewScreen, type ViewSharing } from '@cloudfit/contract/views/screens.ts';
import { ApiError, forbidden, notFound } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { recordAboutPerson, recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, may, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';

/** What a person decides about a view. */
interface ChosenView {
  name: string;
  address: string;
  filter: string | null;
  hidden: string[] | null;
  sharing: ViewSharing;
  team: string | null;
  inMenu: boolean;
  tenantId: string;
}

interface ViewRow extends ChosenView {
  savedViewId: string;
  screen: ViewScreen;
  owner: string | null;
  isMine: boolean;
  isDefault: boolean;
}

function personOf({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have saved views; sign in as a person.');
  return actor.id;
}

const columns = `v.saved_view_id as "savedViewId", v.tenant_id as "tenantId", v.screen, v.name, v.address, v.filter, v.hidden, v.sharing, v.team,
  v.in_menu as "inMenu", o.user_name as owner, coalesce(v.person_id = $1, false) as "isMine",
  coalesce(p.default_views ->> v.screen = v.saved_view_id::text, false) as "isDefault"`;

// `$1`: the caller. What the caller sees of `v`; row-level security leaves only tenants to which the caller has access.
const views = `from saved_view v left join person o on o.person_id = v.person_id left join person p on p.person_id = $1
where (v.person_id = $1 or v.sharing = 'Tenant' or (v.sharing = 'Team' and v.team = any(p.claims)))`;

const listed = `select ${columns} ${views} and (v.person_id = $1 or v.sharing = 'Team' or v.tenant_id = $2)
order by v.name collate natural_order, v.saved_view_id limit 500`;
const one = `select ${columns} ${views} and v.saved_view_id = $2 for update of v`;
const groups = 'select claims from person where person_id = $1';

/** Whether the caller may view the list at all: in the tenant of a view that is shared with it, or anywhere. */
function maySee(ctx: Ctx, { screen, sharing, tenantId }: ViewRow): boolean {
  // A later version may have saved a view of a list that this one does not have.
  if (!Object.hasOwn(viewScreens, screen)) return false;
  const { area, viewedWith = [] } = requireResource(viewScreens[screen]);
  const where = sharing === 'Tenant' ? tenantId : undefined;
  return [permission(area, 'view'), ...viewedWith].some((needed) => may(ctx, needed, where));
}

const mayChange = (ctx: Ctx, { isMine, tenantId }: ViewRow): boolean => isMine || may(ctx, permission('Settings', 'edit'), tenantId);

async function teamsOf(ctx: Ctx, personId: string): Promise<string[]> {
  const [row] = await ctx.db.query<{ claims: string[] | null }>({ name: 'view-teams', text: groups, values: [personId] });
  return row?.claims ?? [];
}

const read = implement(savedViews, async (ctx, { tenantId = null }) => {
  const personId = personOf(ctx);
  const rows = await ctx.db.query<ViewRow>({ name: 'saved-views', text: listed, values: [personId, tenantId] });
  return {
    views: rows.filter((view) => maySee(ctx, view)).map((view) => ({ ...view, mayChange: mayChange(ctx, view) })),
    teams: await teamsOf(ctx, personId),
  };
});

/** Throws unless the caller may share with whom the view names. */
async function requireSharing(ctx: Ctx, { sharing, team, tenantId }: ChosenView): Promise<void> {
  if (ctx.tenants !== 'all' && !ctx.tenants.includes(tenantId)) throw notFound('Tenant');
  if ((sharing === 'Team') !== (team !== null))
    throw new ApiError('ValidationFailed', 'Name the team, and only for a view that is shared with a team.', { target: 'team' });
  if (sharing === 'Tenant' && !may(ctx, permission('Visualizations', 'create'), tenantId))
    throw forbidden(`Sharing a view with everybody needs the permission ${permission('Visualizations', 'create')} in this tenant.`);
  if (team !== null && !(await teamsOf(ctx, personOf(ctx))).includes(team))
    throw new ApiError('ValidationFailed', `You are not a member of the group ${team}.`, { target: 'team' });
}

const nameTaken = (name: string) => new ApiError('Conflict', `You have a view ${name} of this list already.`, { target: 'name' });

const valuesOf = (view: ChosenView) => [
  view.name,
  view.address,
  view.filter,
  view.hidden && JSON.stringify(view.hidden),
  view.sharing,
  view.team,
  view.inMenu,
  view.tenantId,
];

/** Audits a change of a view in its transaction. */
async function record(ctx: Ctx, verb: 'create' | 'update' | 'delete', id: string, before?: ChosenView, after?: ChosenView): Promise<void> {
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'savedViews',
    entityId: id,
    tenantId: (after ?? before)?.tenantId ?? null,
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
}

const create = implement(saveView, (outside, { screen, ...view }) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    await requireSharing(ctx, view);
    // The lock makes the count below hold for two saves at once.
    await ctx.db.query({ text: 'select 1 from person where person_id = $1 for no key update', values: [personId] });
    const [counted] = await ctx.db.query<{ n: number }>({
      text: 'select count(*)::int as n from saved_view where person_id = $1',
      values: [personId],
    });
    if ((counted?.n ?? 0) >= viewLimits.perPerson)
      throw new ApiError('Conflict', `You have ${viewLimits.perPerson} views, the most that one person can have. Delete one first.`);
    const [row] = await ctx.db.query<{ id: string }>({
      text: `insert into saved_view (person_id, screen, name, address, filter, hidden, sharing, team, in_menu, tenant_id)
        values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10)
        on conflict (person_id, screen, lower(name)) do nothing returning saved_view_id as id`,
      values: [personId, screen, ...valuesOf(view)],
    });
    if (!row) throw nameTaken(view.name);
    await record(ctx, 'create', row.id, undefined, view);
    return { savedViewId: row.id };
  }),
);

/** The view, locked; throws 404 unless the caller sees it, 403 unless the caller may change it. */
async function viewToChange(ctx: Ctx, id: string): Promise<ViewRow> {
  const [view] = await ctx.db.query<ViewRow>({ text: one, values: [personOf(ctx), id] });
  if (!view || !maySee(ctx, view)) throw notFound('View');
  if (!mayChange(ctx, view)) throw forbidden(`The view ${view.name} belongs to ${view.owner ?? 'somebody else'}. Save a view of your own.`);
  return view;
}

const chosenOf = ({ name, address, filter, hidden, sharing, team, inMenu, tenantId }: ChosenView): ChosenView => ({
  name,
  address,
  filter,
  hidden,
  sharing,
  team,
  inMenu,
  tenantId,
});

const change = implement(changeView, (outside, { id, ...changes }) =>
  inTransaction(outside, async (ctx) => {
    const before = await viewToChange(ctx, id);
    const chosen = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after = chosenOf({ ...before, ...chosen });
    const isShared = (['sharing', 'team', 'tenantId'] as const).some((name) => after[name] !== before[name]);
    if (isShared && !before.isMine) throw forbidden('Only its owner decides with whom a view is shared.');
    if (isShared) await requireSharing(ctx, after);
    const [sameName] = await ctx.db.query({
      text: `select 1 from saved_view v where saved_view_id <> $1 and lower(name) = lower($2)
        and (person_id, screen) = (select person_id, screen from saved_view where saved_view_id = $1)`,
      values: [id, after.name],
    });
    if (sameName) throw nameTaken(after.name);
    await ctx.db.query({
      text: `update saved_view set name = $2, address = $3, filter = $4, hidden = $5::jsonb, sharing = $6, team = $7, in_menu = $8,
        tenant_id = $9, modified = now() where saved_view_id = $1`,
      values: [id, ...valuesOf(after)],
    });
    await record(ctx, 'update', id, chosenOf(before), after);
    return { savedViewId: id };
  }),
);

const remove = implement(removeView, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const before = await viewToChange(ctx, id);
    await ctx.db.query({ text: 'delete from saved_view where saved_view_id = $1', values: [id] });
    await record(ctx, 'delete', id, chosenOf(before));
  }),
);

const chooseDefault = implement(chooseDefaultView, (outside, { screen, savedViewId }) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    if (savedViewId !== null) {
      const [view] = await ctx.db.query<ViewRow>({ text: one, values: [personId, savedViewId] });
      if (!view || view.screen !== screen || !maySee(ctx, view)) throw notFound('View');
    }
    const [row] = await ctx.db.query<{ views: Record<string, string> }>({
      text: 'select default_views as views from person where person_id = $1 for no key update',
      values: [personId],
    });
    const { [screen]: previous, ...others } = row?.views ?? {};
    const after = savedViewId === null ? others : { ...others, [screen]: savedViewId };
    await ctx.db.query({
      text: 'update person set default_views = $2::jsonb where person_id = $1',
      values: [personId, JSON.stringify(after)],
    });
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'update',
      entity: 'savedViews',
      entityId: personId,
      before: { screen, default: previous ?? null },
      after: { screen, default: savedViewId },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  }),
);

export const savedViewActions: readonly ImplementedAction[] = [read, create, change, remove, chooseDefault];
