import { permission } from '@cloudfit/contract/permissions.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { invalidatePeople } from '../../auth/invalidate.ts';
import { notify } from '../../db/notify.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { serve, type FieldError } from '../../resources/served.ts';

/** Returns an error for each name of a custom field that occurs twice (TEN-016, TEN-017). */
export function duplicateCustomFields(definitions: readonly ({ Name: string } | null | undefined)[]): FieldError[] {
  const fieldNames = new Set<string>();
  const errors: FieldError[] = [];
  definitions.forEach((definition, index) => {
    const name = definition?.Name.trim().toLowerCase();
    if (!name) return;
    if (fieldNames.has(name)) errors.push({ target: `workUnitFieldDef${index + 1}`, message: 'Can not have duplicate custom fields.' });
    fieldNames.add(name);
  });
  return errors;
}

/**
 * Names of tenants are unique, so a caller who tries names could learn those of other tenants. Therefore only callers
 * with a grant for all tenants may rename.
 */
function renamed(ctx: Ctx, changed: readonly string[]): FieldError[] {
  if (!changed.includes('name') || may(ctx, permission('Tenants', 'edit'), null)) return [];
  return [{ target: 'name', message: 'Only somebody who may edit all tenants can rename a tenant.' }];
}

/** A customer that ends stays closed until somebody stops that. */
async function beingOffboarded(ctx: Ctx, tenantId: string): Promise<FieldError[]> {
  const [row] = await ctx.db.query({ text: "select 1 from offboarding where customer_id = $1 and state <> 'Stopped'", values: [tenantId] });
  return row ? [{ target: 'enabled', message: 'The tenant is being offboarded. Stop its offboarding to enable it.' }] : [];
}

/** Refreshes the caches of all servers, because a disabled tenant is closed for its people, tokens and agents. */
async function closeOrOpen(ctx: Ctx): Promise<void> {
  await invalidatePeople(ctx.db);
  // The channels refresh the entities of the tenant, its waiting jobs and calls, and its status pages.
  for (const channel of ['devices', 'jobs', 'calls', 'status-pages'] as const) await notify(ctx.db, channel);
}

export const servedTenants = serve(tenants, 'tenant', {
  after: async (ctx, { verb, after, changed }) => {
    // The rules of all tenants hold for a new one too.
    if (verb === 'create') return notify(ctx.db, 'rules');
    if (changed.includes('enabled')) await closeOrOpen(ctx);
    if (changed.includes('onlyTrustedPublishers')) await notify(ctx.db, 'publishers', [after.tenantId]);
  },
  check: async (ctx, { verb, after, changed }) => [
    ...(verb === 'update' ? renamed(ctx, changed) : []),
    ...(verb === 'update' && changed.includes('enabled') && after.enabled ? await beingOffboarded(ctx, after.tenantId) : []),
    ...duplicateCustomFields([
      after.workUnitFieldDef1,
      after.workUnitFieldDef2,
      after.workUnitFieldDef3,
      after.workUnitFieldDef4,
      after.workUnitFieldDef5,
      after.workUnitFieldDef6,
      after.workUnitFieldDef7,
      after.workUnitFieldDef8,
      after.workUnitFieldDef9,
      after.workUnitFieldDef10,
      after.workUnitFieldDef11,
      after.workUnitFieldDef12,
      after.workUnitFieldDef13,
      after.workUnitFieldDef14,
      after.workUnitFieldDef15,
    ]),
  ],
});
