/** Articles of an open unit: those that were used, and up to three that may help, each to be marked as used by one press. */
import { useState } from 'react';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { knowledgeArticles, knowledgeArticleUses } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useMay } from '../../../api/lookups.ts';
import { createRow, removeRow } from '../../../api/row-calls.ts';
import { command } from '../../../calls/command.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { ArticleDialog, type ArticleDialogProps } from '../../../entities/articles/article-dialog.tsx';
import { useSuggestions } from '../../../entities/articles/suggested-articles.tsx';
import { useList } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { maxRelated, relatedIds } from './use-related.ts';

type NamedArticle = ArticleDialogProps['article'];

export function useUsedArticles(unit: PanelWorkUnit) {
  const ids = relatedIds(unit, 'KnowledgeArticle');
  return useList(
    knowledgeArticles,
    { filter: oneOf(knowledgeArticles, 'knowledgeArticleId', ids), select: ['knowledgeArticleId', 'title', 'tenantId'], top: maxRelated },
    { enabled: ids.length > 0 },
  );
}

const unlink = command(({ relationId }: { relationId: number; title: string }) => removeRow(workUnitRelations, relationId), {
  confirm: ({ title }) => ({ title: t.unlinkTitle, text: t.unlinkQuestion(title), yes: t.unlink, danger: true }),
  failed: t.unlinkFailed,
  refreshes: [workUnits.name],
});

export function UnitArticles({ unit }: { unit: PanelWorkUnit }) {
  const { workUnitId, tenantId, title, workUnitCategoryId } = unit;
  const may = useMay();
  const [opened, setOpened] = useState<NamedArticle>();
  const ids = relatedIds(unit, 'KnowledgeArticle');
  const { data } = useUsedArticles(unit);
  const used = ids.length > 0 ? (data?.rows ?? []) : [];
  const suggested = useSuggestions({ tenantId, title, workUnitCategoryId, workUnitId }).filter(
    // The card of the cause shows the runbook.
    ({ knowledgeArticleId, isRunbook }) => !isRunbook && !ids.includes(knowledgeArticleId),
  );
  const link = command(
    ({ knowledgeArticleId }: NamedArticle) =>
      createRow(workUnitRelations, { workUnitId, referenceId: knowledgeArticleId, referenceType: 'KnowledgeArticle' }),
    { done: () => t.linkedNow, failed: t.linkFailed, refreshes: [workUnits.name, knowledgeArticleUses.name] },
  );
  if (used.length === 0 && suggested.length === 0) return null;
  const relationOf = (id: string) =>
    unit.relations?.find(({ referenceType, referenceId }) => referenceType === 'KnowledgeArticle' && referenceId === id);
  const name = (article: NamedArticle) => (
    <button type="button" className="link ellipsis" title={t.open(article.title)} onClick={() => setOpened(article)}>
      {article.title}
    </button>
  );
  return (
    <section className="unit-card unit-articles" aria-label={used.length > 0 ? t.used : t.suggested}>
      {used.length > 0 && (
        <>
          <h3>{t.used}</h3>
          <ul>
            {used.map((article) => {
              const relation = relationOf(article.knowledgeArticleId);
              return (
                <li key={article.knowledgeArticleId}>
                  {name(article)}
                  {relation && may('WorkUnits', 'delete') && (
                    <IconButton
                      small
                      icon="close"
                      label={t.unlinkOf(article.title)}
                      onClick={() => void unlink({ relationId: relation.workUnitRelationId, title: article.title })}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
      {suggested.length > 0 && (
        <>
          <h3>{t.suggested}</h3>
          <ul>
            {suggested.map((article) => (
              <li key={article.knowledgeArticleId}>
                {name(article)}
                <span className="muted ellipsis grow">{article.excerpt}</span>
                {may('WorkUnits', 'create') && (
                  <Button small aria-label={t.useOf(article.title)} onClick={() => void link(article)}>
                    {t.use}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {opened && <ArticleDialog article={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}
