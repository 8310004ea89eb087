/** Ends a link, and shows its dashboard to whoever has it, with the present rights of its maker. */
import { endDashboardLink, idleDashboardLinks, makeDashboardLink, readWall } from '@cloudfit/contract/walls/calls.ts';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { valuesOf, type VariableValues } from '@cloudfit/contract/resources/dashboards.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { hashIntegrationToken, isWellFormedIntegrationToken } from '../../../auth/integration-token.ts';
import { presentAccess } from '../../../auth/people.ts';
import { actorName, inTransaction, may, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import type { Database } from '../../../db/connection.ts';
import { readOnly } from '../../../db/read-only.ts';
import { sql } from '../../../db/sql.ts';
import { dashboardLinks } from '@cloudfit/contract/resources/dashboard-links.ts';
import { isInNetworks } from '../../../platform/network.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedDashboards } from '../dashboards.served.ts';
import { readTilesFor, type TileCalls } from '../tiles/read-tiles.ts';
import { createLink, linkPrefix, servedDashboardLinks } from './links.served.ts';

const make = implement(makeDashboardLink, (ctx, input) => createLink(ctx, input));

const end = implement(endDashboardLink, (outer, { id }) =>
  inTransaction(outer, async (ctx) => {
    const before = await get(ctx, servedDashboardLinks, id, { lock: 'edit' });
    requirePermission(ctx, 'Visualizations', 'edit', before.tenantId);
    if (before.ended !== null) return before;
    const write = sql`update dashboard_link set ended = now(), ended_by = ${actorName(ctx)}, modified = now(), version = version + 1
      where dashboard_link_id = ${id}::uuid returning *`;
    const row = await writeRecorded(ctx, servedDashboardLinks, 'update', write, before);
    if (!row) throw notFound('Dashboard Link');
    return row;
  }),
);

interface OpenLink {
  id: string;
  tenantId: string;
  dashboardId: string;
  makerId: string;
  expires: string;
  networks: string[];
  variables: VariableValues;
  isFirst: boolean;
  isNoted: boolean;
}

/** One answer for all that is not valid, so that nobody learns which tokens have existed. */
const notValid = (): ApiError =>
  new ApiError('NotFound', 'This link is not valid, or it has ended. Please ask the person who gave it to you.');

async function openLink(database: Database, ctx: Ctx, token: string): Promise<OpenLink> {
  if (!isWellFormedIntegrationToken(token, linkPrefix)) throw notValid();
  const [link] = await database.scoped('all').query<OpenLink>({
    name: 'open-dashboard-link',
    text: `select l.dashboard_link_id as id, l.tenant_id as "tenantId", l.dashboard_id as "dashboardId", l.maker_id as "makerId", l.expires, l.networks, l.variables,
  l.first_used is null as "isFirst", l.last_used_from is not distinct from $3 and l.last_used > $2::timestamptz - interval '1 minute' as "isNoted"
from dashboard_link l join tenant t using (tenant_id)
where l.token_hash = $1 and l.ended is null and l.expires > $2::timestamptz and t.enabled`,
    values: [hashIntegrationToken(token), ctx.now().toISOString(), ctx.address ?? null],
  });
  if (!link) throw notValid();
  if (link.networks.length > 0 && !isInNetworks(ctx.address, link.networks))
    throw new ApiError(
      'Forbidden',
      `This link does not show anything at the address ${ctx.address ?? 'of this screen'}. It is for certain networks only.`,
    );
  return link;
}

/** The ctx of the maker as of now, which reads only. Throws when the maker may not make such a link any more. */
async function asMaker(database: Database, ctx: Ctx, { makerId, tenantId }: Pick<OpenLink, 'makerId' | 'tenantId'>): Promise<Ctx> {
  const access = await presentAccess(database.scoped('all'), makerId);
  if (!access?.enabled) throw notValid();
  const { actor, tenants, permissions } = access;
  if (!may({ permissions }, permission('Visualizations', 'create'), tenantId)) throw notValid();
  return { ...ctx, actor, tenants, permissions, db: readOnly(database.scoped(tenants), 'A link changes nothing.') };
}

/** The dashboard as its maker may see it, who may not any more: it may be private to somebody else by now. */
async function shownTo(maker: Ctx, dashboardId: string) {
  return get(maker, servedDashboards, dashboardId).catch((error: unknown) => {
    if (error instanceof ApiError) throw notValid();
    throw error;
  });
}

const idle = (database: Database): ImplementedAction =>
  implement(idleDashboardLinks, async (ctx, { id }) => {
    await get(ctx, servedDashboards, id);
    const links = await ctx.db.query<{ id: string; tenantId: string; makerId: string }>({
      text: `select dashboard_link_id as id, tenant_id as "tenantId", maker_id as "makerId" from dashboard_link
where dashboard_id = $1 and ended is null and expires > $2::timestamptz`,
      values: [id, ctx.now().toISOString()],
    });
    const showsOf = new Map<string, Promise<boolean>>();
    const shows = async (link: (typeof links)[number]): Promise<boolean> => {
      try {
        await shownTo(await asMaker(database, ctx, link), id);
        return true;
      } catch (error) {
        if (error instanceof ApiError) return false;
        throw error;
      }
    };
    for (const link of links) if (!showsOf.has(link.makerId)) showsOf.set(link.makerId, shows(link));
    const idleOnes = await Promise.all(links.map(async (link) => ((await showsOf.get(link.makerId)) ? [] : [link.id])));
    return { dashboardLinkIds: idleOnes.flat() };
  });

/** Notes the use, once a minute and for each new address. The first one is a part of the audit. */
async function noteUse(database: Database, ctx: Ctx, link: OpenLink): Promise<void> {
  if (link.isNoted) return;
  await database.scoped([link.tenantId]).transaction(async (db) => {
    const [noted] = await db.query<{ isFirst: boolean }>({
      text: `with used as (
  update dashboard_link set first_used = coalesce(first_used, now()), first_used_from = case when first_used is null then $2 else first_used_from end,
    last_used = now(), last_used_from = $2 where dashboard_link_id = $1
  returning dashboard_link_id, tenant_id, old.first_used is null as is_first
), told as (${changed(dashboardLinks, 'update', 'used', '$3::uuid')})
select is_first as "isFirst" from used`,
      values: [link.id, ctx.address ?? null, ctx.correlationId],
    });
    if (!noted?.isFirst) return;
    await recordAudit(db, {
      actor: { kind: 'system', id: null, name: 'Link' },
      verb: 'first-use',
      entity: dashboardLinks.name,
      entityId: link.id,
      tenantId: link.tenantId,
      after: { firstUsedFrom: ctx.address ?? null },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  });
}

const wall = (database: Database, calls: TileCalls): ImplementedAction =>
  implement(readWall, async (ctx, { token }) => {
    const link = await openLink(database, ctx, token);
    const maker = await asMaker(database, ctx, link);
    const dashboard = await shownTo(maker, link.dashboardId);
    const values = valuesOf(dashboard.variables, link.variables);
    const reading = await readTilesFor(maker, calls, { tenantId: dashboard.tenantId, tiles: dashboard.tiles, variables: values });
    const [tenant] = await maker.db.query<{ name: string }>({
      text: 'select name from tenant where tenant_id = $1',
      values: [dashboard.tenantId],
    });
    await noteUse(database, ctx, link);
    return { name: dashboard.name, tenantName: tenant?.name ?? '', expires: link.expires, tiles: dashboard.tiles, reading };
  });

export const dashboardLinkActions = (database: Database, calls: TileCalls): readonly ImplementedAction[] => [
  make,
  end,
  idle(database),
  wall(database, calls),
];
