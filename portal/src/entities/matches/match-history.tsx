/** Parts that show a match: its facts, its packet, its work units, and the executions of its actions. */
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { exactTime } from '../../theme/times.ts';
import { EmptyState } from '../../components/states.tsx';
import { matchAddress, unitAddress } from '../explanations/addresses.ts';
import { WhyLink } from '../explanations/why-link.tsx';
import { ExecutionItem, executionsKeptMs } from '../executions/execution-item.tsx';
import { fetchPage, useRow } from '../../rows/use-rows.ts';
import { useConsequences } from './use-consequences.ts';
import { MatchStatusChip, subjectName, type Match } from './match-columns.tsx';

const maxEntries = 100;

function useExecutions(correlationId: string | undefined) {
  return useQuery({
    queryKey: [actionHistories.name, 'ofMatch', correlationId],
    queryFn: async ({ signal }) =>
      (
        await fetchPage(
          actionHistories,
          {
            filter: eq(actionHistories, 'correlationId', correlationId ?? ''),
            expand: ['actionDefinition'],
            orderBy: 'actionProcessed desc',
            top: maxEntries,
          },
          signal,
        )
      ).rows,
    enabled: correlationId !== undefined,
    staleTime: executionsKeptMs,
    gcTime: executionsKeptMs,
  });
}

export function MatchExecutions({ correlationId }: { correlationId: string }) {
  const mayView = useMay()('ActionDefinitions', 'view');
  const executions = useExecutions(mayView ? correlationId : undefined);
  if (!mayView) return <p className="muted">{t.historyForbidden}</p>;
  return (
    <Loaded query={executions} failed={t.historyFailed} empty={<EmptyState small title={t.noHistory} />}>
      {(rows) =>
        rows.map((execution) => (
          <ExecutionItem
            key={execution.actionHistoryId}
            execution={execution}
            title={execution.actionDefinition?.name ?? execution.actionDefinitionId}
          />
        ))
      }
    </Loaded>
  );
}

export function MatchFacts({ match }: { match: Match }) {
  const facts: readonly (readonly [string, string])[] = [
    [t.rule, match.rule?.name ?? match.ruleId],
    [t.subject, subjectName(match)],
    [t.created, exactTime(match.created)],
    [t.expires, exactTime(match.expires)],
    [t.firstMatch, exactTime(match.firstMatch)],
    [t.lastMatch, exactTime(match.lastMatch)],
    [t.count, String(match.matchCount)],
    [
      t.inMaintenance,
      match.heldSince && !match.heldUntil
        ? t.heldSince(exactTime(match.heldSince))
        : match.inMaintenance
          ? en.common.yesValue
          : en.common.noValue,
    ],
    [t.completed, match.completionProcessed ? en.common.yesValue : en.common.noValue],
    [t.matchId, match.ruleMatchId],
  ];
  return (
    <dl className="facts match-facts">
      {facts.map(([label, value]) => (
        <ReadOnlyField key={label} kind="text" label={label} value={value} />
      ))}
    </dl>
  );
}

/** Links to the work units that the match opened or joined, by public number. */
export function MatchUnits({ match }: { match: Match }) {
  const ids = useMemo(() => [match.ruleMatchId], [match.ruleMatchId]);
  return useConsequences(ids)
    .unitsOf(match.ruleMatchId)
    .map((unit) => (
      <Link key={unit.workUnitId} to={unitAddress(unit.workUnitId)} title={unit.title}>
        #{unit.publicWorkUnitId}
      </Link>
    ));
}

interface MatchHistoryProps {
  id: string;
  listed: Match | undefined;
  onBack: () => void;
}

export function MatchHistory({ id, listed, onBack }: MatchHistoryProps) {
  const query = useRow(ruleMatches, id, { expand: ['rule', 'device'], listed });
  const match = query.data;
  return (
    <section className="match-history" aria-label={match ? t.historyOf(match.label) : t.history}>
      <div className="row match-head">
        <Button small icon="left" onClick={onBack}>
          {t.back}
        </Button>
        {match && (
          <>
            <MatchStatusChip match={match} />
            <strong className="ellipsis grow">{match.label}</strong>
            <MatchUnits match={match} />
            <WhyLink button to={matchAddress(match.tenantId, match.ruleMatchId)} of={match.label} />
            <Link className="btn small" to={`/${match.tenantId}/rules?id=${match.ruleId}`}>
              {t.openRule}
            </Link>
          </>
        )}
      </div>
      <Loaded query={query} failed={t.failed} missing={t.notFound}>
        {(match) => (
          <>
            <section className="form-section" aria-label={t.history}>
              <h3>{t.history}</h3>
              <MatchExecutions correlationId={match.correlationId} />
            </section>
            <section className="form-section" aria-label={en.form.details}>
              <h3>{en.form.details}</h3>
              <MatchFacts match={match} />
            </section>
            <JsonBlock label={t.packet} value={match.rulePacket} />
          </>
        )}
      </Loaded>
    </section>
  );
}
