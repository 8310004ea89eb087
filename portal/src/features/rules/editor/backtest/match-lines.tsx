/** Matches of a backtest, each with the values that it compared. For rules about packets, a click explains the match. */
import { useState } from 'react';
import { Link } from 'react-router';
import type { BacktestMatch, BacktestRule } from '@cloudfit/contract/actions/backtest.ts';
import { backtestTexts as t } from '@cloudfit/contract/messages/backtest.en.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { Loaded } from '../../../../calls/loaded.tsx';
import { Button } from '../../../../components/button.tsx';
import { Chip } from '../../../../components/chips.tsx';
import { clockTime } from '../../../../theme/times.ts';
import { whyAddress } from '../../../../entities/explanations/addresses.ts';
import { EventLine } from '../../../../entities/explanations/steps.tsx';
import { useDraftExplanation } from '../../../../entities/explanations/use-explanation.ts';
import { ConditionLines } from '../condition-lines.tsx';
import { historyType, ingestionType } from '../rule-draft.ts';

const more = 100;

/** Whether only the rule as written (`added`) or only the saved rule (`gone`) opens the match. */
type DifferenceKind = 'added' | 'removed';

interface MomentProps {
  match: BacktestMatch;
  tenantId: string;
  /** The saved rule, whose exceptions hold. */
  ruleId: string | undefined;
}

function MatchWhy({ match: { entityId, firstMatch }, rule, ruleId, tenantId }: MomentProps & { rule: BacktestRule }) {
  const explanation = useDraftExplanation(JSON.stringify(rule), { entityId, at: firstMatch, ruleId });
  return (
    <div className="try-why">
      <Loaded query={explanation} failed={whyTexts.failed}>
        {(data) => (
          <>
            <EventLine explanation={data} tenantId={tenantId} newTab />
            <ConditionLines explanation={data} />
          </>
        )}
      </Loaded>
      <p>
        <Link to={whyAddress(tenantId, { entityId, at: firstMatch })} target="_blank">
          {t.whyThen}
        </Link>
      </p>
    </div>
  );
}

function Cells({ match, change }: { match: BacktestMatch; change: DifferenceKind | undefined }) {
  return (
    <>
      <span className={`try-sign ${change ?? ''}`} aria-hidden>
        {change && t.signs[change]}
      </span>
      <span className="ellipsis">
        {change && <span className="visually-hidden">{t.changeWords[change]} </span>}
        {match.entityName || t.unnamed}
      </span>
      <span className="try-match-values num muted">{match.values}</span>
      <span className="try-match-notes">
        {match.inBoth === false && !change && <Chip tone="info">{t.isAdded}</Chip>}
        {match.suppressed && <Chip tone="warn">{t.suppressed[match.suppressed]}</Chip>}
        <span className="muted num">{t.hits(match.matchCount)}</span>
      </span>
      <time className="num" dateTime={match.firstMatch}>
        {clockTime(match.firstMatch)}
      </time>
    </>
  );
}

interface MatchLineProps extends MomentProps {
  /** The rule that opens the match. */
  rule: BacktestRule;
  change: DifferenceKind | undefined;
}

function MatchLine({ match, rule, ruleId, change, tenantId }: MatchLineProps) {
  const [isOpen, setOpen] = useState(false);
  // Rules of other types cannot be tried on a single moment.
  const isOfPackets = rule.ruleTypeId === ingestionType || rule.ruleTypeId === historyType;
  return (
    <li className="try-match">
      {isOfPackets ? (
        <button type="button" className="match-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Cells match={match} change={change} />
        </button>
      ) : (
        <Link className="match-line" to={whyAddress(tenantId, { entityId: match.entityId, at: match.firstMatch })} title={t.whyThen}>
          <Cells match={match} change={change} />
        </Link>
      )}
      {isOpen && <MatchWhy match={match} rule={rule} ruleId={ruleId} tenantId={tenantId} />}
    </li>
  );
}

interface MatchLinesProps {
  /** The matches that the answer lists, the newest last. */
  matches: readonly BacktestMatch[];
  /** The number of all matches, including those that are not listed. */
  total: number;
  rule: BacktestRule;
  ruleId: string | undefined;
  change?: DifferenceKind;
  /** Number of matches that are shown at first. */
  first: number;
}

export function MatchLines({ matches, total, rule, ruleId, change, first }: MatchLinesProps) {
  const [shown, setShown] = useState(first);
  const { tenantId } = rule;
  const left = Math.min(more, matches.length - shown);
  return (
    <>
      <ol className="try-matches">
        {matches
          .slice(-shown)
          .toReversed()
          .map((match) => (
            <MatchLine
              key={`${match.entityId} ${match.firstMatch}`}
              match={match}
              rule={rule}
              ruleId={ruleId}
              change={change}
              tenantId={tenantId}
            />
          ))}
      </ol>
      {total > shown && (
        <p className="row">
          {left > 0 && (
            <Button small onClick={() => setShown(shown + more)}>
              {t.more(left)}
            </Button>
          )}
          <span className="faint">{t.newest(Math.min(shown, matches.length), total)}</span>
        </p>
      )}
    </>
  );
}
