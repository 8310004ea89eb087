/** An article over the form in which it was suggested, so that what is typed there stays. */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { ArticleText } from './article-text.tsx';
import { useReadArticle } from './use-article.ts';

export interface ArticleDialogProps {
  article: { knowledgeArticleId: string; title: string };
  /** Buttons besides the one that closes it. */
  actions?: ReactNode;
  onClose: () => void;
}

export function ArticleDialog({ article, actions, onClose }: ArticleDialogProps) {
  const { data, error, refetch } = useReadArticle(article.knowledgeArticleId);
  return (
    <Dialog
      title={data?.title ?? article.title}
      width="md"
      onClose={onClose}
      actions={actions ?? <Button onClick={onClose}>{en.common.close}</Button>}
    >
      {data ? (
        <ArticleText text={data.body} />
      ) : error ? (
        <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton width="70%" />
      )}
    </Dialog>
  );
}
