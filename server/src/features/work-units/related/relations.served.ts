import { sql } from '../../../db/sql.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';
import { eventAlong } from '../feed/history.ts';

/** For each known kind of reference, the form of its keys and the query for its row; other kinds are not checked. */
const relationTypes: Readonly<Record<string, { key: RegExp; text: string }>> = {
  RuleMatch: { key: /^[0-9a-f-]{36}$/i, text: 'select 1 from rule_match where rule_match_id = $1::uuid and tenant_id = $2' },
  Device: { key: /^[0-9a-f-]{36}$/i, text: 'select 1 from device where device_id = $1::uuid and tenant_id = $2 and not is_deleted' },
  WorkUnit: { key: /^\d{1,15}$/, text: 'select 1 from work_unit where work_unit_id = $1::text::bigint and tenant_id = $2' },
  WorkUnitCommunication: {
    key: /^\d{1,15}$/,
    text: 'select 1 from work_unit_communication where work_unit_communication_id = $1::text::bigint and tenant_id = $2',
  },
};

async function exists(ctx: Ctx, type: string, id: string, tenantId: string): Promise<boolean> {
  const kind = relationTypes[type];
  if (!kind) return true;
  return kind.key.test(id) && (await ctx.db.query({ text: kind.text, values: [id, tenantId] })).length > 0;
}

/** A relation belongs to the tenant of its unit. The row that it refers to must belong to the same tenant. */
export const servedWorkUnitRelations = serve(workUnitRelations, 'work_unit_relation', {
  fill: async (ctx, { verb, after }) => {
    if (verb !== 'create') return {};
    const [unit] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from work_unit where work_unit_id = $1',
      values: [after.workUnitId],
    });
    return { ...(unit ? { tenantId: unit.tenant_id } : {}), createdBy: actorName(ctx) };
  },
  check: async (ctx, { verb, after }) =>
    verb === 'delete' || (await exists(ctx, after.referenceType, after.referenceId, after.tenantId))
      ? []
      : [{ target: 'referenceId', message: `${after.referenceType} was not found.` }],
  along: (ctx, { verb, after }) => [
    eventAlong(
      ctx,
      sql`${after.workUnitId}::bigint`,
      `${verb === 'delete' ? 'No longer linked' : 'Linked'} to ${after.referenceType} ${after.referenceId}.`,
    ),
  ],
});
