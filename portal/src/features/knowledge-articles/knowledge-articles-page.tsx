/** The articles of a tenant and those for all; each opens as a page of its own. */
import { useMemo } from 'react';
import { useNavigate, useParams } from 'react-router';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListPanel } from '../../resource/list-panel.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import type { Article } from './article.rules.ts';
import { FoundArticles } from './found-articles.tsx';
import { knowledgeArticlesView } from './knowledge-articles.view.tsx';
import '../../resource/list-page.css';

const address = listAddress(knowledgeArticlesView);

export function KnowledgeArticlesPage() {
  const { tenantId = '' } = useParams();
  const navigate = useNavigate();
  const panel = usePanel();
  const screen = useListScreen(knowledgeArticlesView, useListState(address), { polls: !panel.id });
  const opening = useMemo(() => {
    const href = ({ knowledgeArticleId }: Article) => `/${tenantId}/knowledge/${knowledgeArticleId}`;
    return { href, open: (row: Article) => void navigate(href(row)) };
  }, [navigate, tenantId]);
  return (
    <div className="page">
      <ListToolbar screen={screen} open={panel.open}>
        <FilterBar listing={knowledgeArticlesView} state={screen.state} onChange={screen.change} />
      </ListToolbar>
      <div className="page-middle">
        <FoundArticles state={screen.state} rows={screen.rows}>
          <ListGrid screen={screen} opening={opening} />
        </FoundArticles>
      </div>
      <ListPager screen={screen} />
      <ListPanel view={knowledgeArticlesView} panel={panel} row={undefined} />
    </div>
  );
}
