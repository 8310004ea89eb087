/** The article that the rule of the unit names for what to do, for people who may read it. */
import { useState } from 'react';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { Icon } from '../../../components/icon.tsx';
import { ArticleDialog } from '../../../entities/articles/article-dialog.tsx';
import { useSuggestions } from '../../../entities/articles/suggested-articles.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

export function Runbook({ unit: { workUnitId, tenantId, title, workUnitCategoryId } }: { unit: PanelWorkUnit }) {
  const [isOpen, setIsOpen] = useState(false);
  const runbook = useSuggestions({ tenantId, title, workUnitCategoryId, workUnitId }).find(({ isRunbook }) => isRunbook);
  if (!runbook) return null;
  return (
    <>
      <p className="cause-runbook">
        <Icon name="info" />
        {t.runbook}:{' '}
        <button type="button" className="link ellipsis" title={t.open(runbook.title)} onClick={() => setIsOpen(true)}>
          {runbook.title}
        </button>
      </p>
      {isOpen && <ArticleDialog article={runbook} onClose={() => setIsOpen(false)} />}
    </>
  );
}
