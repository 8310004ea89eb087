import { sql } from '../../../db/sql.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';
import { eventAlong } from '../feed/history.ts';

const guidOf = (text: string): string | undefined => guidSchema.safeParse(text).data;
const numberOf = (text: string): string | undefined => (/^\d{1,15}$/.test(text) ? String(Number(text)) : undefined);

/** For each known kind of reference, how its keys are read and the query for its row; other kinds are not checked. */
const relationTypes: Readonly<Record<string, { read: (text: string) => string | undefined; text: string }>> = {
  RuleMatch: { read: guidOf, text: 'select 1 from rule_match where rule_match_id = $1::uuid and tenant_id = $2' },
  Device: { read: guidOf, text: 'select 1 from device where device_id = $1::uuid and tenant_id = $2 and not is_deleted' },
  WorkUnit: { read: numberOf, text: 'select 1 from work_unit where work_unit_id = $1::text::bigint and tenant_id = $2' },
  WorkUnitCommunication: {
    read: numberOf,
    text: 'select 1 from work_unit_communication where work_unit_communication_id = $1::text::bigint and tenant_id = $2',
  },
};

async function exists(ctx: Ctx, type: string, id: string, tenantId: string): Promise<boolean> {
  const kind = relationTypes[type];
  if (!kind) return true;
  const key = kind.read(id);
  return key !== undefined && (await ctx.db.query({ text: kind.text, values: [key, tenantId] })).length > 0;
}

/** A relation belongs to the tenant of its unit. The row that it refers to must belong to the same tenant. */
export const servedWorkUnitRelations = serve(workUnitRelations, 'work_unit_relation', {
  fill: async (ctx, { verb, after }) => {
    if (verb !== 'create') return {};
    const [unit] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from work_unit where work_unit_id = $1',
      values: [after.workUnitId],
    });
    // One spelling of each key, so that a row is related once and found by its key.
    const referenceId = relationTypes[after.referenceType]?.read(after.referenceId) ?? after.referenceId;
    return { ...(unit ? { tenantId: unit.tenant_id } : {}), referenceId, createdBy: actorName(ctx) };
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
