/** An article over the form in which it was suggested, so that what is typed there stays. */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { ArticleText } from './article-text.tsx';
import { useReadArticle } from './use-article.ts';
import { Loaded } from '../../calls/loaded.tsx';

export interface ArticleDialogProps {
  article: { knowledgeArticleId: string; title: string };
  /** Buttons besides the one that closes it. */
  actions?: ReactNode;
  onClose: () => void;
}

export function ArticleDialog({ article, actions, onClose }: ArticleDialogProps) {
  const query = useReadArticle(article.knowledgeArticleId);
  return (
    <Dialog
      title={query.data?.title ?? article.title}
      width="md"
      onClose={onClose}
      actions={actions ?? <Button onClick={onClose}>{en.common.close}</Button>}
    >
      <Loaded query={query} failed={t.failed}>
        {({ body }) => <ArticleText text={body} />}
      </Loaded>
    </Dialog>
  );
}
