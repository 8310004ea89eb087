import { sql } from 'kysely';
import type { Ctx } from '../../../ctx.ts';
import { compile } from '../../../resources/compile.ts';
import { recordParts } from '../../../resources/record.ts';

interface Written {
  verb: 'create' | 'update';
  entity: 'pendingDevices' | 'tokens';
  entityId: string;
  tenantId: string;
  before: object | null;
  after: object;
}

/** Audit and change of a write to a table that the resource engine does not serve, in the caller's transaction. */
export async function record(ctx: Ctx, { verb, entity, entityId, tenantId, before, after }: Written): Promise<void> {
  const parts = recordParts(ctx, {
    verb,
    entity,
    entityId: sql`${entityId}::text`,
    tenantId: sql`${tenantId}::uuid`,
    before: sql`${before && JSON.stringify(before)}::jsonb`,
    after: sql`${JSON.stringify(after)}::jsonb`,
  });
  await ctx.db.query(compile(sql`with ${parts} select 1`));
}
