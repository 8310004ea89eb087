/** One article at its own address: to read, to print, and for those who may, to edit. */
import { useRef } from 'react';
import { useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { knowledgeArticleUses } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { useCurrentUser, useMay, useTenants } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { CopyLink } from '../../components/copy-link.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { printSheet } from '../../components/print-sheet.ts';
import { Skeleton } from '../../components/states.tsx';
import { ArticleText } from '../../entities/articles/article-text.tsx';
import { useReadArticle } from '../../entities/articles/use-article.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { GenericPanel } from '../../resource/list-panel.tsx';
import { choiceLabel } from '../../rows/cells.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { longDay } from '../../theme/times.ts';
import { ArticleVersions } from './article-versions.tsx';
import { isDue, type Article } from './article.rules.ts';
import { DueChip, knowledgeArticlesView, StateChip } from './knowledge-articles.view.tsx';
import { LoadFailure } from '../../rows/load-failure.tsx';

function Facts({ article }: { article: Article }) {
  const nameOf = usePersonName();
  const { data: tenants = [] } = useTenants();
  const { data: use } = useRow(knowledgeArticleUses, article.knowledgeArticleId);
  const tenant = article.tenantId ? tenants.find(({ tenantId }) => tenantId === article.tenantId)?.name : t.forAll;
  const { published, publishedBy, publishedVersion, owner, reviewAt } = article;
  const lines = [
    published && publishedBy ? t.published(publishedVersion, nameOf(publishedBy), longDay(published)) : t.unpublished,
    ...(owner ? [t.ownedBy(nameOf(owner))] : []),
    ...(reviewAt ? [t.reviewBy(longDay(reviewAt))] : []),
    ...(use ? [t.viewed(use.viewed), t.linked(use.linked), t.solved(use.solved)] : []),
  ];
  return (
    <>
      <div className="article-chips">
        <StateChip state={article.state} />
        <Chip>{choiceLabel(knowledgeArticlesView.resource.fields.audience, article.audience)}</Chip>
        {tenant && <Chip>{tenant}</Chip>}
        <DueChip article={article} />
      </div>
      <p className="muted article-facts">{lines.join(' · ')}</p>
    </>
  );
}

function ArticleOf({ id }: { id: string }) {
  const may = useMay();
  const { data: user } = useCurrentUser();
  const panel = usePanel();
  const sheet = useRef<HTMLElement>(null);
  const query = useReadArticle(id);
  const article = query.data;
  usePageTitle(en.shell.items.knowledge);
  if (!article && query.error) return <LoadFailure query={query} failed={t.failed} missing={t.notFound} />;
  if (!article)
    return (
      <div className="article-page">
        <Skeleton width="40%" />
      </div>
    );
  return (
    <div className="article-page">
      <div className="row article-tools">
        <span className="grow" />
        <CopyLink />
        <Button small icon="print" onClick={() => sheet.current && printSheet(article.title, sheet.current)}>
          {t.print}
        </Button>
        {may('Articles', 'edit') && (
          <Button small look="primary" icon="edit" onClick={() => panel.open(id)}>
            {t.edit}
          </Button>
        )}
      </div>
      {isDue(article) && user && article.owner?.toLowerCase() === user.userName.toLowerCase() && (
        <p className="article-due" role="status">
          {t.dueText}
        </p>
      )}
      <article ref={sheet} className="article-sheet">
        <h2>{article.title}</h2>
        <Facts article={article} />
        <ArticleText text={article.body} />
      </article>
      {may('Articles', 'view') && (
        <section className="article-past" aria-label={t.versions}>
          <h3>{t.versions}</h3>
          <ArticleVersions articleId={id} latest={article.publishedVersion} />
        </section>
      )}
      {panel.id && <GenericPanel view={knowledgeArticlesView} id={id} row={undefined} onClose={() => panel.close()} />}
    </div>
  );
}

export function ArticlePage() {
  const { articleId = '' } = useParams();
  return <ArticleOf key={articleId} id={articleId.toLowerCase()} />;
}
