import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { Skeleton } from '../../../components/states.tsx';
import { matchAddress } from '../../../entities/explanations/addresses.ts';
import { WhyLink } from '../../../entities/explanations/why-link.tsx';
import { matchesParam } from '../use-rule-matches.ts';
import { useRecentMatches } from '../use-rules.ts';
import { nowMs } from '../../../theme/now.ts';

function Lines({ ruleId }: { ruleId: string }) {
  const { data } = useRecentMatches(ruleId);
  if (!data) return <Skeleton width="50%" />;
  if (data.length === 0) return <p className="muted">{en.matches.none}</p>;
  return data.map((match) => {
    const isActive = !match.closed && new Date(match.expires).getTime() > nowMs();
    return (
      <p key={match.ruleMatchId} className="row match-line">
        <Chip tone={isActive ? 'danger' : 'plain'} dot>
          {isActive ? en.matches.active : en.matches.inactive}
        </Chip>
        {match.device ? (
          <Link to={`/${match.tenantId}/devices?id=${match.subjectId}`}>{match.device.name}</Link>
        ) : (
          <span>{match.label}</span>
        )}
        <span className="muted">{en.matches.count(match.matchCount)}</span>
        {match.inMaintenance && <Chip tone="warn">{en.matches.inMaintenance}</Chip>}
        <span className="grow" />
        <RelativeTime value={match.lastMatch} />
        <WhyLink to={matchAddress(match.tenantId, match.ruleMatchId)} of={match.label} />
      </p>
    );
  });
}

/** The latest matches of the rule. */
export function RecentMatches({ ruleId }: { ruleId: string }) {
  return (
    <section className="form-section" aria-label={en.rules.recent}>
      <h3>{en.rules.recent}</h3>
      <Lines ruleId={ruleId} />
      <Link to={{ search: `${matchesParam}=${ruleId}` }}>{ruleMatchTexts.back}</Link>
    </section>
  );
}
