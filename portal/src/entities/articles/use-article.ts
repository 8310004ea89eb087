import { useEffect } from 'react';
import { countArticleUse } from '@cloudfit/contract/calls.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { call } from '../../api/call.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useRow } from '../../rows/use-rows.ts';

/** An article that the person reads now, which counts once a day; not for an administrator who sees the portal as somebody else. */
export function useReadArticle(id: string) {
  const article = useRow(knowledgeArticles, id);
  const isPublished = article.data?.state === 'Published';
  useEffect(() => {
    // Nobody waits for the count, so a failure is not worth a message.
    if (isPublished && !currentImpersonation()) call(countArticleUse, { id, kind: 'Viewed' }, { quiet: true }).catch(() => undefined);
  }, [id, isPublished]);
  return article;
}
