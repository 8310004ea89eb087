/** What a change does and what it means, to read: its first lines, and all of it on demand. */
import { useState } from 'react';
import { changePlanTexts as t } from '@cloudfit/contract/messages/change-plan.en.ts';
import { Button } from '../../../components/button.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const shownLines = 5;
/** The longest text of which a phone shows the whole: in the plan, and in one line of a fact. */
const [planLength, factLength] = [130, 36];

const first = { affects: 'affectedResources', users: 'userImpact', security: 'securityConsiderations', rollback: 'rollbackPlan' } as const;
const more = { environment: 'environment', cost: 'costImpact', alerts: 'expectedCFSAlerts', window: 'requestedChangeWindow' } as const;

function factsOf(unit: PanelWorkUnit, fields: Partial<typeof first & typeof more>) {
  return Object.entries(fields).flatMap(([name, field]) => {
    const words = (unit[field] ?? '').trim();
    return words === '' ? [] : [{ label: t[name as keyof typeof fields], words }];
  });
}

export function PlanFacts({ unit }: { unit: PanelWorkUnit }) {
  const [isOpen, setIsOpen] = useState(false);
  const plan = (unit.implementationPlan ?? '').trim();
  const facts = factsOf(unit, first);
  const others = factsOf(unit, more);
  const isLong =
    others.length > 0 ||
    plan.length > planLength ||
    plan.split('\n').length > shownLines ||
    facts.some(({ words }) => words.length > factLength || words.includes('\n'));
  const clipped = isLong && !isOpen ? ' clipped' : '';
  const hasImpact = Boolean((unit.userImpact ?? '').trim() || (unit.securityConsiderations ?? '').trim());
  return (
    <>
      <h3>{t.what}</h3>
      {plan === '' ? <p className="faint">{t.noPlan}</p> : <p className={`plan-words${clipped}`}>{plan}</p>}
      <dl className="plan-facts">
        {[...facts, ...(isOpen ? others : [])].map(({ label, words }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={clipped}>{words}</dd>
          </div>
        ))}
      </dl>
      {!hasImpact && plan !== '' && <p className="faint">{t.noImpact}</p>}
      {isLong && (
        <Button small look="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t.showLess : t.showAll}
        </Button>
      )}
    </>
  );
}
