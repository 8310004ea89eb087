import { eq, or } from '@cloudfit/contract/query/build.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const knowledgeArticlesView = defineView({
  resource: knowledgeArticles,
  icon: 'blocks',
  texts: { title: en.shell.items.knowledge, saveFailed: t.saveFailed, emptyText: t.emptyText },
  columns: ['title', 'state', 'audience', 'tenantId', 'modified'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? or(eq(knowledgeArticles, 'tenantId', tenantId), eq(knowledgeArticles, 'tenantId', null)) : undefined],
  filters: ['state', 'audience'],
});

export function KnowledgeArticlesPage() {
  return <ListPage view={knowledgeArticlesView} />;
}
