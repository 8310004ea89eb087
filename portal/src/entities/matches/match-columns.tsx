import { Link } from 'react-router';
import type { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { IconButton } from '../../components/button.tsx';
import { ColorDot } from '../../components/color-dot.tsx';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { matchStatus } from './match-status.ts';

export type Match = ExpandedRow<typeof ruleMatches, 'rule' | 'device'>;

/** Whose matches are listed: those of a rule, or those of a subject. */
export type MatchesOf = { ruleId: string } | { subjectId: string };

export const statusText = (match: Match): string => (matchStatus(match, Date.now()) === 'Active' ? t.active : t.inactive);

export function MatchStatusChip({ match }: { match: Match }) {
  const isActive = matchStatus(match, useNow()) === 'Active';
  return (
    <Chip tone={isActive ? 'danger' : 'plain'} dot>
      {isActive ? t.active : t.inactive}
    </Chip>
  );
}

/** The name of a match's subject. For another subject than a device, it is the part of the label after the rule's name. */
export function subjectName(match: Match): string {
  const before = `${match.rule?.name ?? ''}: `;
  return match.device?.name ?? (match.label.startsWith(before) ? match.label.slice(before.length) : match.subjectId);
}

function Subject({ match }: { match: Match }) {
  const to = match.device ? `devices?id=${match.subjectId}` : `packets/${match.subjectId}`;
  return <Link to={`/${match.tenantId}/${to}`}>{subjectName(match)}</Link>;
}

const time = (id: 'created' | 'lastMatch' | 'expires', header: string, below?: 'sm' | 'md'): TableColumn<Match> => ({
  id,
  header,
  width: 88,
  sortable: true,
  tone: 'soft',
  ...(below ? { below } : {}),
  cell: (match) => <RelativeTime value={match[id]} />,
});

/** The columns of a list of matches; the rule or subject that all rows share has no column. */
export function matchColumns(of: MatchesOf, open: (match: Match) => void): readonly TableColumn<Match>[] {
  const isOfRule = 'ruleId' in of;
  const status: TableColumn<Match> = { id: 'status', header: t.status, width: 104, cell: (match) => <MatchStatusChip match={match} /> };
  const name: TableColumn<Match> = {
    id: 'label',
    header: isOfRule ? t.label : t.rule,
    width: 118,
    grow: true,
    sortable: true,
    tone: 'strong',
    cell: (match) => (
      <>
        <ColorDot color={match.rule?.color} />
        <button type="button" className="link ellipsis match-link" title={match.label} onClick={() => open(match)}>
          {isOfRule ? match.label : (match.rule?.name ?? match.label)}
        </button>
        {isOfRule && <span className="match-subject ellipsis">{subjectName(match)}</span>}
      </>
    ),
  };
  const times = [time('created', t.created), time('lastMatch', t.lastMatch, 'md'), time('expires', t.expires, 'sm')];
  const count: TableColumn<Match> = {
    id: 'matchCount',
    header: t.count,
    width: 76,
    below: 'sm',
    sortable: true,
    align: 'end',
    cell: (match) => <span className="num">{match.matchCount}</span>,
  };
  // The matches of a subject have fewer columns, because the panel of a block is only half as wide as the window.
  if (!isOfRule) return [status, name, ...times, count];
  return [
    status,
    name,
    { id: 'subject', header: t.subject, width: 150, below: 'sm', cell: (match) => <Subject match={match} /> },
    ...times,
    count,
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
