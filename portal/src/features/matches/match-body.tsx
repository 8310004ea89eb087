/** A match: why it opened, what followed, and its record. */
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { ExplanationCards } from '../../entities/explanations/explanation-cards.tsx';
import { useMatchExplanation } from '../../entities/explanations/use-explanation.ts';
import { MatchStatusChip, subjectName, type Match } from '../../entities/matches/match-columns.tsx';
import { MatchExecutions, MatchFacts, MatchUnits } from '../../entities/matches/match-history.tsx';

/** The state of the match, and the rows that it belongs to. */
export function MatchHead({ match }: { match: Match }) {
  const home = `/${match.tenantId}`;
  return (
    <p className="row match-links">
      <MatchStatusChip match={match} />
      <Link to={`${home}/rules?id=${match.ruleId}&q=disabled`}>{match.rule?.name ?? t.rule}</Link>
      <Link to={match.device ? `${home}/devices?id=${match.subjectId}` : `${home}/packets/${match.subjectId}`}>{subjectName(match)}</Link>
      <MatchUnits match={match} />
      <Link to={`${home}/matches?f.ruleId=${match.ruleId}`}>{t.allOfRule}</Link>
    </p>
  );
}

export function MatchBody({ match }: { match: Match }) {
  const explanation = useMatchExplanation(match.ruleMatchId);
  return (
    <div className="match-body">
      <MatchHead match={match} />
      <Loaded query={explanation} failed={whyTexts.failed}>
        {(data) => <ExplanationCards explanation={data} tenantId={match.tenantId} />}
      </Loaded>
      <section className="why-card" aria-label={t.history}>
        <header>
          <h3>{t.history}</h3>
        </header>
        <MatchExecutions correlationId={match.correlationId} />
      </section>
      <section className="why-card" aria-label={en.form.details}>
        <header>
          <h3>{en.form.details}</h3>
        </header>
        <MatchFacts match={match} />
      </section>
    </div>
  );
}
