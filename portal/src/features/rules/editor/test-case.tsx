/** Whether the rule in the form would have matched at one moment: the address holds the entity and the time. */
import { Link } from 'react-router';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { failureText } from '../../../api/client.ts';
import { IconButton } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { clockTime } from '../../../theme/times.ts';
import { whyAddress } from '../../../entities/explanations/addresses.ts';
import { isMatched } from '../../../entities/explanations/is-matched.ts';
import { useDraftExplanation } from '../../../entities/explanations/use-explanation.ts';
import { useAddress } from '../../../hooks/use-address.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import { draftOf } from './backtest/use-backtest.ts';
import { ConditionLines } from './condition-lines.tsx';
import type { RuleValues } from './rule-draft.ts';
import { caseParam } from './use-test-case.ts';

const t = whyTexts.case;
const restMs = 400;

export interface TestCaseProps {
  values: RuleValues;
  isWrong: boolean;
  ruleId: string | undefined;
  /** The saved rule, whose exceptions hold. */
  tryOf: string | undefined;
  moment: { entityId: string; at: string };
}

export function TestCase({ values, isWrong, ruleId, tryOf, moment: { entityId, at } }: TestCaseProps) {
  const setAddress = useAddress();
  const complete = isWrong ? undefined : JSON.stringify(draftOf(values));
  const rested = useDebounced(complete, restMs);
  // `rested` is debounced, so it may still be the incomplete rule.
  const { data, error, isFetching } = useDraftExplanation(rested ?? '', { entityId, at, ruleId: tryOf }, !isWrong && rested !== undefined);
  const drop = () =>
    setAddress(
      (next) => {
        next.delete(caseParam);
        return undefined;
      },
      { replace: true, now: true },
    );
  const matches = data && isMatched(data);
  return (
    <section className="test-case" aria-label={t.title}>
      <div className="row">
        <b>{t.title}</b>
        <span className="muted ellipsis grow">{t.of(data?.entityName ?? '…', clockTime(at))}</span>
        {ruleId && values.tenantId && <Link to={whyAddress(values.tenantId, { ruleId, entityId, at })}>{t.ask}</Link>}
        <IconButton small icon="close" label={t.drop} onClick={drop} />
      </div>
      <div role="status" aria-busy={isFetching}>
        {isWrong ? (
          <p className="muted">{t.incomplete}</p>
        ) : error ? (
          <p className="muted">
            {t.failed} {failureText(error)}
          </p>
        ) : data ? (
          <>
            <p>
              <Chip tone={matches ? 'ok' : 'plain'} dot>
                {matches ? t.would : t.wouldNot}
              </Chip>
            </p>
            <ConditionLines explanation={data} />
          </>
        ) : (
          <p className="muted">{t.checking}</p>
        )}
      </div>
    </section>
  );
}
