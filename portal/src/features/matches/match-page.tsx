/** The page of one match, with an address of its own. */
import { useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { useMay } from '../../api/lookups.ts';
import { CopyLink } from '../../components/copy-link.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { MatchBody } from './match-body.tsx';
import { LoadFailure } from '../../rows/load-failure.tsx';
import './matches-page.css';

function MatchOf({ id }: { id: string }) {
  const query = useRow(ruleMatches, id, { expand: ['rule', 'device'] });
  const match = query.data;
  if (!match && query.error) return <LoadFailure query={query} failed={t.failed} missing={t.notFound} />;
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
