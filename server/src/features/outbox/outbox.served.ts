import { destinations } from '@cloudfit/contract/resources/destinations.ts';
import { jobs, outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import { resumeCalls } from '../../jobs/queue.ts';
import { serve } from '../../resources/served.ts';

/** Limits rows to tenants whose settings the caller may edit: many people may view settings, which is not enough. */
function ofAdministrators(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = requireScope(ctx, 'Settings', 'edit');
  // Rows without a tenant belong to the installation; `any` does not match their null, so only callers of all tenants see them.
  return scope === 'all' ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} = any(${[...scope]}::uuid[])`;
}

export const servedOutboxMessages = serve(outboxMessages, 'outbox_message', { rowsFor: ofAdministrators });
export const servedJobs = serve(jobs, 'job', { rowsFor: ofAdministrators });
export const servedDestinations = serve(destinations, 'destination', {
  rowsFor: ofAdministrators,
  after: async (ctx, { before }) => {
    if (before) await resumeCalls(ctx.db, before.tenantId, before.origin);
  },
});
