import type { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import type { Row } from '@cloudfit/contract/resource.ts';

export type Article = Row<typeof knowledgeArticles>;

/** Whether the date of the review of a published article has passed. */
export const isDue = ({ state, reviewAt }: Pick<Article, 'state' | 'reviewAt'>): boolean =>
  state === 'Published' && reviewAt !== null && Date.parse(reviewAt) < Date.now();
