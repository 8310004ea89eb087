/** Knowledge articles: who reads which, and the record of what was published. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { knowledgeArticles, knowledgeArticleUses, knowledgeArticleVersions } from '@cloudfit/contract/resources/knowledge-articles.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, may, tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import type { TenantScope } from '../../db/db.ts';
import { type RawBuilder, sql } from '../../db/sql.ts';
import { serve, type FieldError, type RowChange } from '../../resources/served.ts';

type ArticleRow = Row<typeof knowledgeArticles>;

const viewArticles = permission('Articles', 'view');
const viewUnits = permission('WorkUnits', 'view');

/** Rows of these tenants; and global ones if `global`. */
function ofTenants(t: string, scope: TenantScope, global: boolean): RawBuilder<boolean> {
  if (scope === 'all') return sql<boolean>`true`;
  const tenant = sql.ref(`${t}.tenant_id`);
  return sql<boolean>`(${tenant} = any(${[...scope]}::uuid[])${global ? sql` or ${tenant} is null` : sql``})`;
}

/**
 * Which articles of the caller's tenants they read: all where they may view articles, the published ones where they may view work units, and
 * otherwise the published ones for customers. Unpublished global ones are for those who may view articles in all tenants. The search
 * corrects words by the same articles (`search-of-articles.ts`).
 */
function readableArticles(ctx: Ctx, t: string): RawBuilder<boolean> {
  const editors = tenantScopeWith(ctx, [viewArticles]);
  const staff = tenantScopeWith(ctx, [viewArticles, viewUnits]);
  const audience = sql<boolean>`(${sql.ref(`${t}.audience`)} = 'Customers' or ${ofTenants(t, staff, staff.length > 0)})`;
  return sql<boolean>`((${sql.ref(`${t}.state`)} = 'Published' and ${audience}) or ${ofTenants(t, editors, false)})`;
}

/** Whether the write makes a version: the article becomes published, or what its readers see changes. */
function publishes({ after, changed }: RowChange<ArticleRow>): boolean {
  return after.state === 'Published' && (['state', 'title', 'body', 'audience'] as const).some((name) => changed.includes(name));
}

/** Why the article cannot be deleted; undefined if nothing uses it. Names only rules of tenants that the caller may see. */
async function inUse(ctx: Ctx, id: string): Promise<string | undefined> {
  const [uses] = await ctx.db.query<{ isLinked: boolean | null; rules: string[] | null }>({
    text: `select exists (select from work_unit_relation where reference_id = $1 and reference_type = 'KnowledgeArticle') as "isLinked",
  (select array_agg(name order by name) from (select name from rule where runbook_id = $1::uuid order by name limit 10) named) as rules`,
    values: [id],
  });
  if (uses?.rules) return `It is the runbook of the rules ${uses.rules.join(', ')}. Please choose another one there first, or retire it.`;
  return uses?.isLinked ? 'Work units use this article. Please retire it instead of deleting it.' : undefined;
}

export const servedKnowledgeArticles = serve(knowledgeArticles, 'knowledge_article', {
  rowsFor: readableArticles,
  fill: (ctx, change) => {
    const { verb, before, after } = change;
    const name = actorName(ctx);
    const creation = verb === 'create' ? { createdBy: name, owner: after.owner ?? name } : {};
    const version = { publishedVersion: (before?.publishedVersion ?? 0) + 1, published: ctx.now().toISOString(), publishedBy: name };
    return { ...creation, modifiedBy: name, ...(verb !== 'delete' && publishes(change) ? version : {}) };
  },
  check: async (ctx, { verb, after, changed }): Promise<FieldError[]> => {
    if (verb === 'delete') {
      const message = await inUse(ctx, after.knowledgeArticleId);
      return message ? [{ target: 'state', message }] : [];
    }
    return changed.includes('workUnitCategoryId') && after.workUnitCategoryId && !after.tenantId
      ? [{ target: 'workUnitCategoryId', message: 'Categories belong to a tenant. Please leave it empty in an article for all tenants.' }]
      : [];
  },
  along: (_ctx, change) =>
    change.verb !== 'delete' && publishes(change)
      ? [
          sql`insert into knowledge_article_version (knowledge_article_id, tenant_id, number, title, body, audience, published, published_by)
      select entity_id::uuid, tenant_id, (after ->> 'publishedVersion')::int, after ->> 'title', after ->> 'body', after ->> 'audience',
        (after ->> 'published')::timestamptz, after ->> 'publishedBy' from wire`,
        ]
      : [],
});

export const servedArticleVersions = serve(knowledgeArticleVersions, 'knowledge_article_version', {
  rowsFor: (ctx, t) => {
    const article = sql.ref(`${t}.knowledge_article_id`);
    return sql<boolean>`exists (select from knowledge_article a where a.knowledge_article_id = ${article} and ${readableArticles(ctx, 'a')})`;
  },
});

/** An article for all tenants counts the work units of all of them, so only those who see them all see its numbers. */
export const servedArticleUses = serve(knowledgeArticleUses, 'knowledge_article_use', {
  rowsFor: (ctx, t) => (may(ctx, viewArticles, null) ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} is not null`),
});
