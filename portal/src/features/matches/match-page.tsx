/** The page of one match, with an address of its own. */
import { useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { CopyLink } from '../../components/copy-link.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { MatchBody } from './match-body.tsx';
import './matches-page.css';

function MatchOf({ id }: { id: string }) {
  const { data: match, error, refetch } = useRow(ruleMatches, id, { expand: ['rule', 'device'] });
  const isMissing = error instanceof RequestFailed && error.status === 404;
  if (!match && error)
    return (
      <ErrorState
        title={isMissing ? t.notFound : t.failed}
        text={failureText(error)}
        onRetry={isMissing ? undefined : () => void refetch()}
      />
    );
  return (
    <div className="match-page">
      <div className="row match-title">
        <h2 className="grow">{match ? match.label : <Skeleton width="40%" />}</h2>
        <CopyLink />
      </div>
      {match && <MatchBody match={match} />}
    </div>
  );
}

export function MatchPage() {
  const { id = '' } = useParams();
  const may = useMay();
  usePageTitle(t.title);
  return may('Rules', 'view') ? <MatchOf id={id.toLowerCase()} /> : <ErrorState title={en.auth.deniedTitle} text={t.forbidden} />;
}
