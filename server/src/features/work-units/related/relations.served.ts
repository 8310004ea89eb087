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
  // An article of the tenant or of all; people link what others can read.
  KnowledgeArticle: {
    read: guidOf,
    text: "select 1 from knowledge_article where knowledge_article_id = $1::uuid and (tenant_id = $2 or tenant_id is null) and state = 'Published'",
  },
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

/** What the feed says of a relation: of an article its title, of other rows their key. */
async function sentenceOf(ctx: Ctx, type: string, id: string, isRemoved: boolean): Promise<string> {
  if (type === 'KnowledgeArticle') {
    const [article] = await ctx.db.query<{ title: string }>({
      text: 'select title from knowledge_article where knowledge_article_id = $1::uuid',
      values: [id],
    });
    if (article) return `${isRemoved ? 'No longer uses the' : 'Used the'} article “${article.title}”.`;
  }
  return `${isRemoved ? 'No longer linked' : 'Linked'} to ${type} ${id}.`;
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
  along: async (ctx, { verb, after }) => [
    eventAlong(ctx, sql`${after.workUnitId}::bigint`, await sentenceOf(ctx, after.referenceType, after.referenceId, verb === 'delete')),
  ],
  needsAfter: ({ verb, after }) => verb === 'create' && after.referenceType === 'KnowledgeArticle',
  after: async (ctx, { after }) => {
    await ctx.db.query<{ counted: boolean | null }>({
      text: "select count_knowledge_use($1, 'Linked', $2, $3) as counted",
      values: [after.referenceId, ctx.actor.id ?? ctx.actor.name, ctx.correlationId],
    });
  },
});
