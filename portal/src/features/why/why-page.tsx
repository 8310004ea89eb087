/** Why a rule matched for an entity at a time or did not, or what all rules did. The address holds the whole question. */
import { useEffect, useRef } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { whyTexts as t } from '@cloudfit/contract/messages/why.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Chip } from '../../components/chips.tsx';
import { CopyLink } from '../../components/copy-link.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState } from '../../components/states.tsx';
import { ExplanationCards } from '../../entities/explanations/explanation-cards.tsx';
import { isMatched } from '../../entities/explanations/is-matched.ts';
import { useEntityExplanation, useRuleExplanation } from '../../entities/explanations/use-explanation.ts';
import { AskForm } from './ask-form.tsx';
import { EntityRules, entityQuestion } from './entity-rules.tsx';
import { Loaded } from '../../calls/loaded.tsx';
import './why.css';

const instant = (text: string | null) => (text !== null && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined);

function useQuestion() {
  const [params] = useSearchParams();
  const unit = Number(params.get('unit') ?? Number.NaN);
  return {
    ruleId: params.get('rule') ?? undefined,
    entityId: params.get('entity') ?? undefined,
    workUnitId: Number.isSafeInteger(unit) ? unit : undefined,
    at: instant(params.get('at')),
  };
}

/**
 * The answer takes the focus unless something else has it, so that it is read aloud, and the next Tab goes to its first link
 * instead of the question.
 */
function useFocusOnAnswer(question: string | undefined) {
  const answer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const active = document.activeElement;
    if (question !== undefined && (active === document.body || active?.matches('main'))) answer.current?.focus({ preventScroll: true });
  }, [question]);
  return answer;
}

function WhyOfTenant({ tenantId }: { tenantId: string }) {
  const { ruleId, entityId, workUnitId, at } = useQuestion();
  const isComplete = ruleId !== undefined && (entityId ?? workUnitId) !== undefined;
  const ofRule = useRuleExplanation({ id: ruleId ?? '', entityId, workUnitId, at }, isComplete);
  const { data, isFetching } = ofRule;
  const isOfAll = ruleId === undefined && entityId !== undefined;
  const all = useEntityExplanation({ entityId: entityId ?? '', at }, isOfAll);
  const names = { rule: data?.ruleName ?? t.rule, entity: data?.entityName ?? t.device };
  const question = isOfAll
    ? all.data && entityQuestion(all.data)
    : data && isComplete && (isMatched(data) ? t.questions.matched : t.questions.didNot)(names.rule, names.entity);
  const answer = useFocusOnAnswer(question || undefined);
  return (
    <div className="why-page" aria-busy={isFetching}>
      <div className="why-head">
        <h2>{question || t.ask}</h2>
        {data && isComplete && (
          <Chip tone={isMatched(data) ? 'danger' : 'plain'} dot>
            {t.outcomes[data.outcome]}
          </Chip>
        )}
        <CopyLink />
      </div>
      <AskForm
        tenantId={tenantId}
        entityId={entityId}
        entityName={data?.entityName ?? all.data?.entityName}
        ruleId={ruleId}
        ruleName={data?.ruleName ?? undefined}
        at={at}
      />
      <div ref={answer} className="why-answer" role="group" aria-label={question || t.ask} tabIndex={-1}>
        {isOfAll && (
          <Loaded query={all} small={false} failed={t.failed}>
            {(explanation) => <EntityRules explanation={explanation} tenantId={tenantId} />}
          </Loaded>
        )}
        {!isComplete && !isOfAll && <p className="muted">{t.askText}</p>}
        {isComplete && (
          <Loaded query={ofRule} small={false} failed={t.failed}>
            {(explanation) => <ExplanationCards explanation={explanation} tenantId={tenantId} />}
          </Loaded>
        )}
      </div>
    </div>
  );
}

export function WhyPage() {
  const { tenantId = '' } = useParams();
  const may = useMay();
  usePageTitle(t.title);
  if (!may('Rules', 'view')) return <ErrorState title={en.auth.deniedTitle} text={t.forbidden} />;
  return <WhyOfTenant tenantId={tenantId} />;
}
