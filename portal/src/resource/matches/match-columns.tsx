import { Link } from 'react-router';
import type { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import type { TableColumn } from '../../components/table-column.ts';
import { matchStatus } from './match-status.ts';

export type Match = Row<typeof ruleMatches> & {
  rule?: { ruleId: string; name: string } | null;
  device?: { deviceId: string; name: string } | null;
};

/** Whose matches are listed: those of a rule, or those of what it looked at. */
export type MatchesOf = { ruleId: string } | { subjectId: string };

export function MatchStatusChip({ match }: { match: Match }) {
  const isActive = matchStatus(match, useNow()) === 'Active';
  return (
    <Chip tone={isActive ? 'danger' : 'plain'} dot>
      {isActive ? t.active : t.inactive}
    </Chip>
  );
}

function Subject({ match }: { match: Match }) {
  return match.device ? (
    <Link to={`/${match.tenantId}/devices?id=${match.subjectId}`}>{match.device.name}</Link>
  ) : (
    <Link to={`/${match.tenantId}/packets/${match.subjectId}`} className="mono">
      {match.subjectId}
    </Link>
  );
}

const time = (id: 'created' | 'lastMatch' | 'expires', header: string, below?: 'sm' | 'md'): TableColumn<Match> => ({
  id,
  header,
  width: 104,
  sortable: true,
  tone: 'soft',
  ...(below ? { below } : {}),
  cell: (match) => <RelativeTime value={match[id]} />,
});

/** What is known anyway, the rule or its subject, has no column. */
export function matchColumns(of: MatchesOf, open: (match: Match) => void): readonly TableColumn<Match>[] {
  const other: TableColumn<Match> =
    'ruleId' in of
      ? { id: 'subject', header: t.subject, width: 150, below: 'sm', cell: (match) => <Subject match={match} /> }
      : {
          id: 'rule',
          header: t.rule,
          width: 170,
          below: 'sm',
          cell: (match) => <Link to={`/${match.tenantId}/rules?id=${match.ruleId}`}>{match.rule?.name ?? match.ruleId}</Link>,
        };
  return [
    { id: 'status', header: t.status, width: 96, cell: (match) => <MatchStatusChip match={match} /> },
    {
      id: 'label',
      header: t.label,
      width: 150,
      grow: true,
      sortable: true,
      tone: 'strong',
      cell: (match) => (
        <button type="button" className="link ellipsis match-link" title={match.label} onClick={() => open(match)}>
          {match.label}
        </button>
      ),
    },
    other,
    time('created', t.created),
    time('lastMatch', t.lastMatch, 'md'),
    time('expires', t.expires, 'sm'),
    {
      id: 'matchCount',
      header: t.count,
      width: 88,
      below: 'sm',
      sortable: true,
      align: 'end',
      cell: (match) => <span className="num">{match.matchCount}</span>,
    },
    {
      id: 'inMaintenance',
      header: t.inMaintenance,
      width: 112,
      below: 'md',
      cell: (match) =>
        match.inMaintenance ? <Chip tone="warn">{en.common.yesValue}</Chip> : <span className="faint">{en.common.noValue}</span>,
    },
    {
      id: 'actions',
      header: en.common.actions,
      width: 72,
      below: 'sm',
      align: 'end',
      cell: (match) => <IconButton small icon="pending" label={t.historyOf(match.label)} title={t.history} onClick={() => open(match)} />,
    },
  ];
}
