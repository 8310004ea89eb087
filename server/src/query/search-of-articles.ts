/** Asks the search of knowledge articles, which looks at a text of each article, and corrects mistyped words by those the caller may read. */
import { sql } from '../db/sql.ts';
import type { Sql } from '../db/compile.ts';
import type { TenantScope } from '../db/db.ts';
import { tenantArray, type SearchCall, type SearchScope } from './search-of-units.ts';

/** What the search looks for: the terms of the typed text, in which mistyped words have alternatives. */
export function termsOfArticles({ session, tenants, tenantsOf }: SearchScope, typed: string): Sql {
  const editors = tenantsOf('knowledgeArticleVersions');
  const units = tenantsOf('workUnits');
  const staff: TenantScope = editors === 'all' || units === 'all' ? 'all' : [...editors, ...units];
  const scopes = sql.join([tenants, staff, editors].map((scope) => tenantArray(scope, session)));
  return session === 'all' ? sql`knowledge_terms_of(${typed}, ${scopes})` : sql`knowledge_terms_in(${typed}, ${scopes})`;
}

/** Whether the search finds an article by a typed text (`found`), or how well the article has it (`relevance`). It always finds all (`cut`). */
export function searchOfArticles({ scope, t, fn, typed }: SearchCall): Sql {
  if (fn === 'cut') return sql`false`;
  const text = sql.ref(`${t}.found_text`);
  const terms = sql`(select ${termsOfArticles(scope, typed)})`;
  return fn === 'relevance' ? sql`search_rank(null, ${text}, ${terms})` : sql`has_terms(${text}, ${terms})`;
}
