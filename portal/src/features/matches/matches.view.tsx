import { Link } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { Chip } from '../../components/chips.tsx';
import { ColorDot } from '../../components/color-dot.tsx';
import { clockTime, RelativeTime } from '../../components/relative-time.tsx';
import { unitAddress } from '../../entities/explanations/addresses.ts';
import { MatchStatusChip, subjectName, type Match } from '../../entities/matches/match-columns.tsx';
import type { useConsequences } from '../../entities/matches/use-consequences.ts';
import { valueSeen } from '../../entities/matches/value-seen.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { MatchPanel } from './match-panel.tsx';

type FollowUps = ReturnType<typeof useConsequences>;
const resource = ruleMatches;

function Followed({ match, consequences }: { match: Match; consequences: FollowUps }) {
  const units = consequences.unitsOf(match.ruleMatchId);
  const actions = consequences.actionsOf(match.ruleMatchId);
  return (
    <span className="row">
      {units.map((unit) => (
        <Link key={unit.workUnitId} to={unitAddress(unit.workUnitId)} title={unit.title}>
          #{unit.publicWorkUnitId}
        </Link>
      ))}
      {match.heldSince && !match.heldUntil ? (
        <Chip tone="warn">{t.heldNow}</Chip>
      ) : (
        match.inMaintenance && <Chip tone="warn">{t.inMaintenance}</Chip>
      )}
      {actions && !match.inMaintenance && actions.suppressed.length > 0 && <Chip tone="warn">{t.notRun(actions.suppressed)}</Chip>}
      {actions && actions.failed > 0 && <Chip tone="danger">{t.actionsFailed(actions.failed)}</Chip>}
      {actions && actions.waiting > 0 && <Chip tone="warn">{t.actionsWaiting(actions.waiting)}</Chip>}
      {actions && units.length === 0 && actions.suppressed.length + actions.failed + actions.waiting === 0 && (
        <span className="faint">{t.actionsRun(actions.all)}</span>
      )}
    </span>
  );
}

function Subject({ match }: { match: Match }) {
  const to = match.device ? `devices?id=${match.subjectId}` : `packets/${match.subjectId}`;
  return <Link to={`/${match.tenantId}/${to}`}>{subjectName(match)}</Link>;
}

export const matchesBaseView = defineView({
  resource,
  icon: 'pending',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: [],
  expand: ['rule', 'device'],
  filters: ['ruleId', 'subjectId', 'firstMatch', 'inMaintenance'],
  rows: 25,
  base: ({ tenantId }) => [tenantId ? eq(ruleMatches, 'tenantId', tenantId) : undefined],
  quick: [
    { id: 'open', label: t.open, clause: () => eq(ruleMatches, 'closed', null) },
    { id: 'over', label: t.over, clause: () => 'closed ne null' },
  ],
  phoneLine: (match) => [subjectName(match), valueSeen(match), clockTime(match.firstMatch)].filter(Boolean).join(' · '),
  panel: { Component: MatchPanel },
  pollMs: 30_000,
});

/** The columns, with what followed from the matches of the page. */
export function matchesView(consequences: FollowUps) {
  const columns: readonly ViewColumn<Match>[] = [
    { id: 'status', header: t.status, width: 108, cell: (match) => <MatchStatusChip match={match} />, text: (match) => match.expires },
    {
      id: 'label',
      header: t.rule,
      width: 180,
      grow: true,
      sortable: true,
      tone: 'strong',
      cell: (match) => match.rule?.name ?? match.label,
      after: (match) => <ColorDot color={match.rule?.color} />,
      text: (match) => match.rule?.name ?? match.label,
    },
    { id: 'subject', header: t.subject, width: 150, below: 'sm', cell: (match) => <Subject match={match} />, text: subjectName },
    {
      id: 'value',
      header: t.value,
      width: 150,
      below: 'sm',
      cell: (match) => <span title={valueSeen(match)}>{valueSeen(match)}</span>,
      text: valueSeen,
    },
    {
      ...fieldColumn(resource, 'firstMatch'),
      width: 128,
      cell: (match) => (
        <span className="num" title={match.firstMatch}>
          {clockTime(match.firstMatch)}
        </span>
      ),
    },
    { ...fieldColumn(resource, 'lastMatch'), width: 96, below: 'md', cell: (match) => <RelativeTime value={match.lastMatch} /> },
    { ...fieldColumn(resource, 'matchCount'), header: t.count, width: 76, below: 'md' },
    {
      id: 'followed',
      header: t.followed,
      width: 220,
      below: 'sm',
      cell: (match) => <Followed match={match} consequences={consequences} />,
      text: (match) =>
        consequences
          .unitsOf(match.ruleMatchId)
          .map((unit) => `#${unit.publicWorkUnitId}`)
          .join(' '),
    },
  ];
  return { ...matchesBaseView, columns };
}
