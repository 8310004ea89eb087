import { toggleTenant } from '@cloudfit/contract/actions/toggles.ts';
import { implement } from '../../resources/action.ts';
import { update } from '../../resources/update.ts';
import { servedTenants } from './tenants.served.ts';

export const toggleTenantAction = implement(toggleTenant, (ctx, { id }) =>
  update(ctx, servedTenants, id, (tenant) => ({ enabled: !tenant.enabled })),
);
