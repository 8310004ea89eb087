/** Links that show a dashboard without sign-in. The value of a link is shown only once, when it is made. */
import type { Row } from '@cloudfit/contract/resource.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { dashboardLinks, linkDays } from '@cloudfit/contract/resources/dashboard-links.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createIntegrationToken } from '../../../auth/integration-token.ts';
import { actorName, tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import { sql } from '../../../db/sql.ts';
import { networkProblem } from '../../../platform/network.ts';
import { createFromBody } from '../../../resources/create.ts';
import { get } from '../../../resources/get.ts';
import { serve, type FieldError, type Served } from '../../../resources/served.ts';
import { servedDashboards } from '../dashboards.served.ts';

type LinkRow = Row<typeof dashboardLinks>;

/** The beginning of the token of a link. */
export const linkPrefix = 'cfsw_';

/** Creates a link; returns the new row with its token, of which the database stores only the hash. */
export async function createLink(ctx: Ctx, body: { dashboardId: string }): Promise<{ link: LinkRow; generatedToken: string }> {
  const { actor } = ctx;
  if (actor.kind !== 'person') throw forbidden('Only a person makes a link: it has the rights of the person.');
  // Also refuses a private dashboard of somebody else.
  await get(ctx, servedDashboards, body.dashboardId);
  const { hash, hint, token } = createIntegrationToken(linkPrefix);
  const link = await createFromBody(ctx, servedDashboardLinks, body, {
    columns: { token_hash: hash, token_hint: hint, maker_id: actor.id },
  });
  return { link, generatedToken: token };
}

/** Links of dashboards that the caller sees; those who may see the settings of a tenant see all that show something of it. */
function rowsFor(ctx: Ctx, t: string) {
  if (ctx.actor.kind === 'system') return undefined;
  const supervised = tenantScopeWith(ctx, [permission('Settings', 'view')]);
  if (supervised === 'all') return undefined;
  const dashboard = servedDashboards.rowsFor?.(ctx, 'd') ?? sql<boolean>`true`;
  return sql<boolean>`(${sql.ref(`${t}.tenant_id`)} = any(${[...supervised]}::uuid[])
    or exists (select from dashboard d where d.dashboard_id = ${sql.ref(`${t}.dashboard_id`)} and ${dashboard}))`;
}

export const servedDashboardLinks: Served<typeof dashboardLinks> = serve(dashboardLinks, 'dashboard_link', {
  rowsFor,
  fill: async (ctx, { verb, after }) => {
    if (verb !== 'create') return {};
    const [dashboard] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from dashboard where dashboard_id = $1',
      values: [after.dashboardId],
    });
    return { createdBy: actorName(ctx), ...(dashboard ? { tenantId: dashboard.tenant_id } : {}) };
  },
  check: (ctx, { verb, after }): FieldError[] => {
    if (verb !== 'create') return [];
    const errors: FieldError[] = after.networks.flatMap((network) => {
      const message = networkProblem(network);
      return message === undefined ? [] : [{ target: 'networks', message }];
    });
    const lasts = Date.parse(after.expires) - ctx.now().getTime();
    if (lasts <= 0) errors.push({ target: 'expires', message: 'Ends on is in the past.' });
    if (lasts > linkDays * dayMs) errors.push({ target: 'expires', message: `A link lasts at most ${linkDays} days.` });
    return errors;
  },
});
