import { Link } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { Chip } from '../../components/chips.tsx';
import { ColorDot } from '../../components/color-dot.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { clockTime } from '../../theme/times.ts';
import { unitAddress } from '../../entities/explanations/addresses.ts';
import { MatchStatusChip, statusText, subjectName, type Match } from '../../entities/matches/match-columns.tsx';
import { readConsequences, type MatchConsequences, type OpenedUnit } from '../../entities/matches/use-consequences.ts';
import { valueSeen } from '../../entities/matches/value-seen.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { MatchPanel } from './match-panel.tsx';

interface FollowNote {
  tone?: 'warn' | 'danger';
  text: string;
}

const resource = ruleMatches;

/** Returns the work units that a match opened, and notes about a hold, a maintenance and the state of its actions. */
function followedBy(match: Match, consequences: MatchConsequences): { units: readonly OpenedUnit[]; notes: readonly FollowNote[] } {
  const units = consequences.unitsOf(match.ruleMatchId);
  const actions = consequences.actionsOf(match.ruleMatchId);
  const { suppressed = [], failed = 0, waiting = 0, all = 0 } = actions ?? {};
  const isHeld = match.heldSince && !match.heldUntil;
  const notes: FollowNote[] = [];
  if (isHeld || match.inMaintenance) notes.push({ tone: 'warn', text: isHeld ? t.heldNow : t.inMaintenance });
  if (!match.inMaintenance && suppressed.length > 0) notes.push({ tone: 'warn', text: t.notRun(suppressed) });
  if (failed > 0) notes.push({ tone: 'danger', text: t.actionsFailed(failed) });
  if (waiting > 0) notes.push({ tone: 'warn', text: t.actionsWaiting(waiting) });
  if (actions && units.length === 0 && suppressed.length + failed + waiting === 0) notes.push({ text: t.actionsRun(all) });
  return { units, notes };
}

function Followed({ match, consequences }: { match: Match; consequences: MatchConsequences }) {
  const { units, notes } = followedBy(match, consequences);
  return (
    <span className="row">
      {units.map((unit) => (
        <Link key={unit.workUnitId} to={unitAddress(unit.workUnitId)} title={unit.title}>
          #{unit.publicWorkUnitId}
        </Link>
      ))}
      {notes.map(({ tone, text }) =>
        tone ? (
          <Chip key={text} tone={tone}>
            {text}
          </Chip>
        ) : (
          <span key={text} className="faint">
            {text}
          </span>
        ),
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
  filters: ['ruleId', 'subjectId', 'firstMatch', 'inMaintenance', 'ruleMatchId'],
  searchDebounceMs: 250,
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

/** The view of the matches. `consequences`: what followed from the matches on the page. */
export function matchesView(consequences: MatchConsequences) {
  const columns: readonly ViewColumn<Match>[] = [
    { id: 'status', header: t.status, width: 108, cell: (match) => <MatchStatusChip match={match} />, text: statusText },
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
      texts: async (matches) => {
        const all = await readConsequences(matches.map((match) => match.ruleMatchId));
        return (match) => {
          const { units, notes } = followedBy(match, all);
          return [...units.map((unit) => `#${unit.publicWorkUnitId}`), ...notes.map(({ text }) => text)].join(' ');
        };
      },
    },
  ];
  return { ...matchesBaseView, columns };
}
