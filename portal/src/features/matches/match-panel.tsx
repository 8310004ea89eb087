import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { Button } from '../../components/button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { matchAddress } from '../../entities/explanations/addresses.ts';
import type { Match } from '../../entities/matches/match-columns.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useRow } from '../../rows/use-rows.ts';
import type { PanelProps } from '../../resource/view.ts';
import { MatchBody } from './match-body.tsx';

export function MatchPanel({ id, row: listed, onClose }: PanelProps<Match>) {
  const { data: match, error, refetch } = useRow(ruleMatches, id, { expand: ['rule', 'device'], listed });
  if (!match) return <MissingRow label={ruleMatches.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  return (
    <SidePanel
      wide
      title={match.label}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{en.common.close}</Button>
          <span className="grow" />
          <Link to={matchAddress(match.tenantId, match.ruleMatchId)}>{t.openPage}</Link>
        </>
      }
    >
      <div className="body">
        <MatchBody match={match} />
      </div>
    </SidePanel>
  );
}
