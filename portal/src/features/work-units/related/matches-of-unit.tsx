/** The matches that the unit stands for, if there are several: what they share, which are open, since when, with which value. */
import { useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { unitMatchTexts as t } from '@cloudfit/contract/messages/unit-matches.en.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { unitMatches } from '@cloudfit/contract/resources/unit-matches.ts';
import { failureText } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { WhyLink } from '../../../entities/explanations/why-link.tsx';
import { matchAddress } from '../../../entities/explanations/addresses.ts';
import { valueSeen } from '../../../entities/matches/value-seen.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './matches-of-unit.css';

const firstRows = 8;
const moreRows = 100;

type UnitMatch = ExpandedRow<typeof unitMatches, 'rule' | 'device'>;

/**
 * Reads the matches of a unit, open matches first. The key begins with the resource, so that any change of a match refreshes
 * them.
 */
function useUnitMatches(workUnitId: number, top: number) {
  return useQuery({
    queryKey: [ruleMatches.name, 'ofUnit', workUnitId, top],
    queryFn: async ({ signal }) => {
      const ofUnit = eq(unitMatches, 'workUnitId', workUnitId);
      const [page, open] = await Promise.all([
        fetchPage(
          unitMatches,
          { filter: ofUnit, expand: ['rule', 'device'], orderBy: ['state desc', 'firstMatch desc'], top, count: true },
          signal,
          true,
        ),
        fetchPage(unitMatches, { filter: and(ofUnit, eq(unitMatches, 'state', 'Open')), top: 0, count: true }, signal, true),
      ]);
      return { rows: page.rows, total: page.count ?? page.rows.length, open: open.count ?? 0 };
    },
    placeholderData: keepPreviousData,
  });
}

/** Returns the part of the match's label after the rule's name, or else the whole label. */
function subjectOf({ label, rule }: UnitMatch): string {
  const before = `${rule?.name ?? ''}: `;
  return label.startsWith(before) ? label.slice(before.length) : label;
}

function Row({ match }: { match: UnitMatch }) {
  const { tenantId, subjectId, device, state, firstMatch, closed, reason } = match;
  const name = subjectOf(match);
  const isOpen = state === 'Open';
  return (
    <li>
      <Chip tone={isOpen ? 'danger' : 'plain'} dot>
        {t.states[state]}
      </Chip>
      <span className="unit-match-name">
        <Link className="ellipsis" to={`/${tenantId}/${device ? `devices?id=${subjectId}` : `packets/${subjectId}`}`}>
          {name}
        </Link>
        <span className="faint ellipsis">
          {[valueSeen(match), match.rule?.name, reason ? (t.reasons[reason] ?? reason) : ''].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="muted unit-match-time">
        {isOpen ? t.since : t.ended} <RelativeTime value={isOpen || !closed ? firstMatch : closed} />
      </span>
      <WhyLink to={matchAddress(tenantId, match.ruleMatchId)} of={match.label} />
    </li>
  );
}

export function UnitMatches({ unit }: { unit: PanelWorkUnit }) {
  // For a unit of one match, the match is already shown above.
  return useMay()('Rules', 'view') && (unit.occurrences ?? 1) > 1 ? <Listed id={unit.workUnitId} /> : null;
}

function Listed({ id }: { id: number }) {
  const [isLong, setLong] = useState(false);
  const { data, error, refetch } = useUnitMatches(id, isLong ? moreRows : firstRows);
  if (error && !data) return <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (!data || data.total < 2) return null;
  const { rows, total, open } = data;
  const [first] = rows;
  const isAlone = first?.kind === 'Subject';
  return (
    <section className="unit-matches" aria-label={t.heading}>
      <h3>
        {t.heading} <span className="muted">{t.counts(open, total)}</span>
      </h3>
      {first && !isAlone && <p className="unit-match-shared">{t.kinds[first.kind]?.(first.shared) ?? first.shared}</p>}
      <ul>
        {rows.map((match) => (
          <Row key={match.ruleMatchId} match={match} />
        ))}
      </ul>
      {total > rows.length && (
        <p className="row">
          {!isLong && (
            <Button small onClick={() => setLong(true)}>
              {t.more(Math.min(total, moreRows) - rows.length)}
            </Button>
          )}
          {isLong && <span className="muted">{t.listed(rows.length, total)}</span>}
        </p>
      )}
    </section>
  );
}
