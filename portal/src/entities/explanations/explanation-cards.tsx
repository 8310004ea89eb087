/** What the rule evaluated, the outcome, and where to change the rule. */
import { Link } from 'react-router';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { whyTexts as t } from '@cloudfit/contract/messages/why.en.ts';
import { useMay } from '../../api/lookups.ts';
import { clockTime } from '../../theme/times.ts';
import { matchAddress } from './addresses.ts';
import { isMatched } from './is-matched.ts';
import { EventLine, Steps } from './steps.tsx';
import { useNextMatch } from './use-explanation.ts';
import './explanation.css';

/** The address of the rule's editor, with the entity at the time `at` as test case; with `backtest`, a backtest opens. */
export function editAddress(
  tenantId: string,
  { ruleId, entityId, at }: { ruleId: string; entityId: string; at: string },
  backtest = false,
) {
  const params = new URLSearchParams({ id: ruleId, tab: 'conditions', q: 'disabled', 'panel.case': `${entityId}@${at}` });
  if (backtest) params.set('panel.try', 'new');
  return `/${tenantId}/rules?${params}`;
}

function NextMatch({ explanation, tenantId }: { explanation: Explanation; tenantId: string }) {
  const { ruleId, entityId, eventAt, at } = explanation;
  const { data: next } = useNextMatch({ ruleId, entityId, at: eventAt ?? at }, !isMatched(explanation));
  if (next === undefined || isMatched(explanation)) return null;
  if (next === null) return <p className="muted">{t.noNextMatch}</p>;
  return (
    <p>
      {t.nextMatch} <Link to={matchAddress(tenantId, next.ruleMatchId)}>{clockTime(next.firstMatch)}</Link>.
    </p>
  );
}

function Change({ explanation, tenantId }: { explanation: Explanation; tenantId: string }) {
  const mayEdit = useMay()('Rules', 'edit');
  const { ruleId, entityId, eventAt, at } = explanation;
  const moment = { ruleId, entityId, at: eventAt ?? at };
  if (!mayEdit || !explanation.ruleName) return null;
  return (
    <section className="why-card" aria-label={t.changeMatched}>
      <header>
        <h3>{isMatched(explanation) ? t.changeMatched : t.change}</h3>
      </header>
      <p className="why-way">
        <Link to={editAddress(tenantId, moment)}>{t.editWithCase}</Link>
        <span className="muted">{t.editText}</span>
      </p>
      <p className="why-way">
        <Link to={editAddress(tenantId, moment, true)}>{t.backtest}</Link>
        <span className="muted">{t.backtestText}</span>
      </p>
    </section>
  );
}

export function ExplanationCards({ explanation, tenantId }: { explanation: Explanation; tenantId: string }) {
  const { rule, event, basis } = explanation;
  const heading = event ? t.events[event] : t.outcomes[explanation.outcome];
  return (
    <>
      {explanation.outcome !== 'absent' && (
        <section className="why-card" aria-label={heading}>
          <header>
            <h3>{heading}</h3>
          </header>
          <EventLine explanation={explanation} tenantId={tenantId} />
        </section>
      )}
      <section className="why-card" aria-label={t.steps}>
        <header>
          <h3>{t.steps}</h3>
          {basis !== 'none' && <small className="faint">{basis === 'recorded' ? t.recorded : t.evaluatedAgain}</small>}
        </header>
        <Steps explanation={explanation} tenantId={tenantId} />
        <NextMatch explanation={explanation} tenantId={tenantId} />
        {rule && (
          <p className="faint">
            {t.inForce(clockTime(rule.since))} {rule.changedSince && t.changedSince}
          </p>
        )}
      </section>
      <Change explanation={explanation} tenantId={tenantId} />
    </>
  );
}
