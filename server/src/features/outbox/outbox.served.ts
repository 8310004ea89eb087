import { destinations } from '@cloudfit/contract/resources/destinations.ts';
import { jobs, outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { sql, type RawBuilder } from 'kysely';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import { resumeCalls } from '../../jobs/queue.ts';
import { serve } from '../../resources/served.ts';

/** Many people may view settings. Only people who may edit settings see mail and jobs. */
function ofAdministrators(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = requireScope(ctx, 'Settings', 'edit');
  // Rows without a tenant belong to the installation; SQL's `any` does not match their null.
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
