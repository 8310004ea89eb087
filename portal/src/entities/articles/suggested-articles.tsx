/** Articles that may help with what is being written, or with an open unit. They come after a rest of the keys, and never hold up typing. */
import { keepPreviousData } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { suggestArticles } from '@cloudfit/contract/calls.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { useCall } from '../../api/call.ts';
import { Icon } from '../../components/icon.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { ArticleDialog } from './article-dialog.tsx';
import './articles.css';

export type SuggestedArticle = CallOutput<typeof suggestArticles>['articles'][number];

const restMs = 400;
/** Shorter titles say too little. */
const minLetters = 4;

interface SuggestionInput {
  tenantId: unknown;
  title: unknown;
  workUnitCategoryId?: unknown;
  workUnitId?: number;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

export function useSuggestions({ tenantId, title, workUnitCategoryId, workUnitId }: SuggestionInput): readonly SuggestedArticle[] {
  const typed = useDebounced(textOf(title), restMs);
  const [tenant, category] = [textOf(tenantId), textOf(workUnitCategoryId)];
  const asks = tenant !== '' && (typed.length >= minLetters || category !== '' || workUnitId !== undefined);
  const { data } = useCall(
    suggestArticles,
    {
      tenantId: tenant,
      title: typed.slice(0, 500),
      ...(category ? { workUnitCategoryId: category } : {}),
      ...(workUnitId === undefined ? {} : { workUnitId }),
    },
    {
      refreshedBy: knowledgeArticles.name,
      together: workUnitId !== undefined,
      enabled: asks,
      staleTime: 60_000,
      placeholderData: keepPreviousData,
      retry: false,
    },
  );
  return asks ? (data?.articles ?? []) : [];
}

interface SuggestedArticlesProps extends SuggestionInput {
  /** Buttons of the dialog with the article. */
  actions?: (article: SuggestedArticle, close: () => void) => ReactNode;
}

export function SuggestedArticles({ actions, ...input }: SuggestedArticlesProps) {
  const articles = useSuggestions(input);
  const [opened, setOpened] = useState<SuggestedArticle>();
  const close = () => setOpened(undefined);
  return (
    <>
      {articles.length > 0 && (
        <section className="suggested-articles" aria-label={t.suggested}>
          <p className="suggested-title">{t.suggested}</p>
          <ul>
            {articles.map((article) => (
              <li key={article.knowledgeArticleId}>
                <button type="button" className="link" title={t.open(article.title)} onClick={() => setOpened(article)}>
                  <Icon name="info" />
                  <span className="ellipsis">{article.title}</span>
                </button>
                <span className="muted ellipsis">{article.excerpt}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {opened && <ArticleDialog article={opened} actions={actions?.(opened, close)} onClose={close} />}
    </>
  );
}
