/** Unauthenticated callers request an account: creates a work unit in the tenant whose service desk answers. */
import { accessRequest, accessRequestOf } from '@cloudfit/contract/actions/access-request.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { servedWorkUnits } from '../work-units.served.ts';

export interface AccessRequestParts {
  /** Writes the work unit in the scope of the desk's tenant, because the caller has no tenant. */
  database: Database;
  /** The tenant whose service desk answers; by default the oldest enabled tenant. */
  accessRequestTenant?: string | undefined;
}

const feature = 'I3ERequestForm';
const minFillTime = 3_000;
const received = { message: 'Successfully created access request.' };

async function isOn(ctx: Ctx): Promise<boolean> {
  const [row] = await ctx.db.query<{ enabled: boolean }>({
    text: 'select enabled from feature where lower(name) = lower($1)',
    values: [feature],
  });
  return row?.enabled ?? false;
}

async function deskOf(parts: AccessRequestParts): Promise<string> {
  const [tenant] = await parts.database.scoped('all').query<{ id: string }>({
    text: 'select tenant_id as id from tenant where enabled and ($1::uuid is null or tenant_id = $1) order by created, tenant_id limit 1',
    values: [parts.accessRequestTenant ?? null],
  });
  if (!tenant) throw new ApiError('Unavailable', 'Access requests cannot be received at the moment. Please ask an administrator.');
  return tenant.id;
}

export function accessRequestAction(parts: AccessRequestParts): ImplementedAction {
  return implement(accessRequest, async (ctx, input) => {
    if (!(await isOn(ctx))) throw new ApiError('NotFound', 'There is nothing at this address.');
    // A bot that fills in the hidden field gets a success answer, so that it learns nothing.
    if (input.website) return received;
    const now = ctx.now();
    if (input.opened && now.getTime() - Date.parse(input.opened) < minFillTime)
      throw validationFailed([{ target: 'opened', message: 'The form was sent faster than a person can fill it in. Please try again.' }]);
    const tenantId = await deskOf(parts);
    const desk: Ctx = {
      ...ctx,
      actor: { kind: 'system', id: null, name: 'Access request' },
      tenants: [tenantId],
      permissions: new Map([[tenantId, new Set([permission('WorkUnits', 'create')])]]),
      db: parts.database.scoped([tenantId]),
    };
    await create(desk, servedWorkUnits, {
      ...accessRequestOf(input, now),
      tenantId,
      workUnitTypeId: workUnitType.request,
      source: 'Other',
    });
    return received;
  });
}
