/** What a search found in knowledge articles, which of them may help with a work unit, and how often they did. */
import { articlePlaces, countArticleUse, suggestArticles } from '@cloudfit/contract/actions/knowledge.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { excerpt, marksIn } from '@cloudfit/contract/query/search-form.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { compile } from '../../db/compile.ts';
import { sql } from '../../db/sql.ts';
import { termsOfArticles } from '../../query/search-of-articles.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { list } from '../../resources/list.ts';
import { readable } from '../../resources/scope.ts';
import { servedOf } from '../../resources/served.ts';
import { servedKnowledgeArticles } from './knowledge-articles.served.ts';

/** Markdown as plain words, for a line of text. */
const plain = (body: string): string => body.replaceAll(/[#*_`>|~]+|\]\([^)]*\)|!?\[/g, ' ');

const places = implement(articlePlaces, async (ctx, { text, knowledgeArticleIds }) => {
  const [row] = await ctx.db.query<{ terms: string[] }>(
    compile(sql`select ${termsOfArticles(readable(ctx, servedKnowledgeArticles), text)} as terms`),
  );
  const terms = row?.terms ?? [];
  if (terms.length === 0 || knowledgeArticleIds.length === 0) return { terms, places: [] };
  const { value: articles } = await list(
    ctx,
    servedKnowledgeArticles,
    queryText({ filter: oneOf(knowledgeArticles, 'knowledgeArticleId', knowledgeArticleIds), top: knowledgeArticleIds.length }),
    { select: ['knowledgeArticleId', 'title', 'keywords', 'body'] },
  );
  return {
    terms,
    places: articles.flatMap(({ knowledgeArticleId, title, keywords, body }) => {
      const missing = terms.filter((term) => marksIn(title, [term]).length === 0);
      if (missing.length === 0) return [];
      const best = [keywords ?? '', plain(body)]
        .map((text) => ({ text, had: missing.filter((term) => marksIn(text, [term]).length > 0).length }))
        .toSorted((a, b) => b.had - a.had)[0];
      return best && best.had > 0 ? [{ knowledgeArticleId, text: excerpt(best.text, missing) }] : [];
    }),
  };
});

interface SuggestedRow {
  knowledgeArticleId: string;
  title: string;
  body: string;
  isRunbook: boolean | null;
}

/**
 * Scores the published articles of $1 and the global ones: by words of the title, rare ones more; by the category $5; by the units of the same
 * rule ($6) or category in which they were used. $2: whether the caller reads those that are not for customers. $3: the terms, $4: the number
 * of rows. An article counts when its title or keywords have a word, when its text has half of the words, at least two, or by the other two. The runbook of the rule comes first.
 */
const suggested = `with candidate as materialized (
  select knowledge_article_id, title, body, found_text, work_unit_category_id from knowledge_article
  where state = 'Published' and (tenant_id = $1 or tenant_id is null) and (audience = 'Customers' or $2)
), hit as (
  select knowledge_article_id, term, rank, count(*) over (partition by term) as articles
  from candidate, unnest($3::text[]) term, search_rank(null, found_text, array[term]) rank where rank > 0
), words as (
  select knowledge_article_id, sum(rank / articles::float8) as score, max(rank) as best, count(*) as terms from hit group by knowledge_article_id
), used as (
  select r.reference_id, max(case when u.rule_id = $6::uuid then 60 else 10 end) as score
  from work_unit_relation r join work_unit u on u.work_unit_id = r.work_unit_id
  where $2 and r.reference_type = 'KnowledgeArticle' and r.tenant_id = $1 and (u.rule_id = $6::uuid or u.work_unit_category_id = $5::uuid)
  group by r.reference_id
)
select c.knowledge_article_id as "knowledgeArticleId", c.title, c.body, b.runbook_id is not null as "isRunbook"
from candidate c left join rule b on $2 and b.rule_id = $6::uuid and b.runbook_id = c.knowledge_article_id left join words w on w.knowledge_article_id = c.knowledge_article_id left join used on used.reference_id = c.knowledge_article_id::text
where b.runbook_id is not null or w.best >= 10 or w.terms >= greatest(2, cardinality($3::text[]) / 2.0) or used.reference_id is not null or c.work_unit_category_id = $5::uuid
order by b.runbook_id is not null desc, coalesce(w.score, 0) + coalesce(used.score, 0) + case when c.work_unit_category_id = $5::uuid then 12 else 0 end desc, c.title, c.knowledge_article_id
limit $4`;

const maxSuggested = 3;
/** Shorter words say little about what a request is about. */
const longWords = (title: string): string =>
  title
    .replaceAll('"', ' ')
    .split(/\s+/)
    .filter((word) => word.length > 3)
    .join(' ');

const readers = [permission('Articles', 'view'), permission('WorkUnits', 'view')] as const;

async function termsIn(ctx: Ctx, text: string, tenantId: string, isStaff: boolean): Promise<string[]> {
  const staff = isStaff ? [tenantId] : [];
  const values = [text, [tenantId], staff];
  const [row] =
    ctx.tenants === 'all'
      ? await ctx.db.query<{ terms: string[] | null }>({
          text: "select knowledge_terms_of($1, $2::uuid[], $3::uuid[], '{}') as terms",
          values,
        })
      : await ctx.db.query<{ terms: string[] | null }>({
          text: "select knowledge_terms_in($1, $2::uuid[], $3::uuid[], '{}') as terms",
          values,
        });
  return row?.terms ?? [];
}

const suggest = implement(suggestArticles, async (ctx, { tenantId, title, workUnitCategoryId, workUnitId }) => {
  const isStaff = readers.some((item) => may(ctx, item, tenantId));
  if (!isStaff && !may(ctx, viewMine, tenantId)) throw notFound('Tenant');
  const unit = workUnitId && isStaff ? await get(ctx, servedOf(workUnits), workUnitId) : undefined;
  const terms = await termsIn(ctx, longWords(title), tenantId, isStaff);
  const rows = await ctx.db.query<SuggestedRow>({
    name: 'suggested-articles',
    text: suggested,
    values: [tenantId, isStaff, terms, maxSuggested, workUnitCategoryId ?? unit?.workUnitCategoryId ?? null, unit?.ruleId ?? null],
  });
  return {
    articles: rows.map(({ knowledgeArticleId, title: name, body, isRunbook }) => ({
      knowledgeArticleId,
      title: name,
      excerpt: excerpt(plain(body), terms),
      isRunbook: isRunbook ?? false,
    })),
  };
});

const countUse = implement(countArticleUse, async (ctx, { id, kind }) => {
  await get(ctx, servedKnowledgeArticles, id);
  const [row] = await ctx.db.query<{ counted: boolean | null }>({
    text: 'select count_knowledge_use($1, $2, $3, $4) as counted',
    values: [id, kind, ctx.actor.id ?? ctx.actor.name, ctx.correlationId],
  });
  return { counted: row?.counted ?? false };
});

export const knowledgeActions: readonly ImplementedAction[] = [places, suggest, countUse];
