import { randomBytes } from 'node:crypto';
import { statusPages, type StatusComponent } from '@cloudfit/contract/resources/status-pages.ts';
import { sql } from '../../db/sql.ts';
import { actorName, requireScope, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { statusSubscribers } from '@cloudfit/contract/resources/status-subscribers.ts';

/** An address of 80 random bits, which nobody can guess. */
const unguessable = () => randomBytes(10).toString('hex');

/** Returns an error for each component whose subscription, location, selection or block the tenant does not have. */
async function missing(ctx: Ctx, tenantId: string, components: readonly StatusComponent[]): Promise<FieldError[]> {
  const rows = await ctx.db.query<{ kind: StatusComponent['kind']; id: string }>({
    name: 'status-components',
    text: `select 'Subscription' as kind, subscription_id::text as id from subscription where subscription_id = any($2::uuid[]) and tenant_id = $1
union all select 'Location', location_id::text from location where location_id = any($2::uuid[]) and (tenant_id = $1 or tenant_id is null)
union all select 'Selection', device_selection_id::text from device_selection where device_selection_id = any($2::uuid[]) and (tenant_id = $1 or rule_is_for(tenant_id, tenant_group_id, $1))
union all select 'Block', block_id::text from block where block_id = any($2::uuid[]) and tenant_id = $1`,
    values: [tenantId, components.map(({ of }) => of)],
  });
  const existing = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
  return components.flatMap(({ kind, of }, at) =>
    existing.has(`${kind} ${of}`) ? [] : [{ target: `components.${at}.of`, message: `${kind} was not found in this tenant.` }],
  );
}

export const servedStatusPages = serve(statusPages, 'status_page', {
  fill: (ctx, { verb, after }) => ({
    modifiedBy: actorName(ctx),
    ...(after.address ? {} : { address: unguessable() }),
    ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}),
  }),
  check: async (ctx, { verb, after, changed }): Promise<FieldError[]> => {
    if (verb === 'delete') return [];
    const errors = changed.includes('components') ? await missing(ctx, after.tenantId, after.components) : [];
    if (after.enabled && after.components.length === 0)
      errors.push({ target: 'enabled', message: 'Add at least one component before the page becomes public.' });
    return errors;
  },
  after: (ctx) => notify(ctx.db, 'status-pages'),
});

/** Only people who may edit the settings of the tenant see the addresses of subscribers. */
export const servedStatusSubscribers = serve(statusSubscribers, 'status_subscriber', {
  rowsFor: (ctx, t) => {
    const scope = requireScope(ctx, 'Settings', 'edit');
    return scope === 'all' ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} = any(${[...scope]}::uuid[])`;
  },
});
