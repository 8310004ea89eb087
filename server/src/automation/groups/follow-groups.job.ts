import { z } from 'zod';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Logger } from 'pino';
import type { Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { defineJob } from '../../jobs/job.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { eachApart } from '../../jobs/each-apart.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { endGroups } from './end-groups.ts';
import { joinGroups } from './join-groups.ts';
import { followGroupsName } from './members.ts';
import { summariseGroups } from './summarise.ts';

async function follow(ctx: Ctx, tenantId: string): Promise<void> {
  while (await joinGroups(ctx, tenantId));
  await endGroups(ctx.db, tenantId);
}

/**
 * Lets matches join groups, and ends groups. Queued when matches open that wait for a group, and when matches of groups end.
 */
export const followGroupsJob = defineJob({
  name: followGroupsName,
  schema: z.object({ tenantId: z.uuid() }),
  run: (ctx, { tenantId }) => follow(ctx, tenantId),
});

// Only open groups and their open members are looked up, one by one, however many matches there are.
const unfollowed = `select tenant_id as "tenantId" from match_group_member where match_group_id is null and join_after <= now()
union select g.tenant_id from match_group g cross join lateral (
  select 1 from match_group_member n cross join lateral (
    select completion_processed from rule_match m where m.rule_match_id = n.rule_match_id limit 1
  ) m where n.match_group_id = g.match_group_id and n.ended is null and m.completion_processed limit 1
) ended where g.ended is null`;

/** Sends the due summaries of groups, and handles matches that had to wait for a group or whose job is a dead letter. */
export function groupsWork(database: Database, log: Logger): Periodic {
  return {
    name: 'groups',
    everyMs: 5_000,
    run: async (db) => {
      const tenants = await db.query<{ tenantId: string }>({ name: 'groups-unfollowed', text: unfollowed });
      const followTenant = ({ tenantId }: { tenantId: string }) =>
        follow(systemCtx({ database, log, name: 'Automation', correlationId: uuidV7() }), tenantId);
      try {
        await eachApart(tenants, followTenant);
      } finally {
        await summariseGroups(db);
      }
    },
  };
}
