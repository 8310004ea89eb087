/**
 * Whether a unit is acknowledged; who was notified about it, when, by which channel and with which outcome; and the planned
 * steps of its protocol.
 */
import { useState } from 'react';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { and, eq, oneOf, or, related } from '@cloudfit/contract/query/build.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { failureText } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { exactTime, RelativeTime } from '../../../components/relative-time.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { PersonName } from '../../../rows/person-name.tsx';
import { useList } from '../../../rows/use-rows.ts';
import { relatedIds } from '../related/use-related.ts';
import { StateChip } from '../state-chip.tsx';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { maxNotifications, notificationsQuery } from './notifications-query.ts';
import { useHistory } from './use-work-unit.ts';

const t = workUnitPanelTexts.notified;

const tones = {
  Sent: 'ok',
  Failed: 'danger',
  Stopped: 'plain',
  Kept: 'warn',
  Retrying: 'warn',
  Waiting: 'info',
  Held: 'info',
  Unknown: 'plain',
} as const;

/** Whether the unit is acknowledged, and who last took it out of the state New. */
function AcknowledgeState({ unit }: { unit: PanelWorkUnit }) {
  const { data: history } = useHistory(unit.workUnitId);
  if (unit.stateId === 'New') return <Chip tone="warn">{t.unacknowledged}</Chip>;
  const entry = history
    ?.filter((item) => item.field === 'stateId' && item.oldValue === 'New' && item.mergedNumber === undefined)
    .toSorted((a, b) => b.id - a.id)[0];
  return (
    <span className="row">
      {entry?.newValue === 'Acknowledged' ? <Chip tone="ok">{t.acknowledged}</Chip> : <StateChip state={unit.stateId} />}
      {entry && (
        <span className="muted">
          {t.by} <PersonName userName={entry.createdBy} /> <RelativeTime value={entry.created} />
        </span>
      )}
    </span>
  );
}

const firstRows = 3;
const maxMatches = 20;

interface SentMessage {
  key: string;
  name: string;
  how: string;
  outcome: keyof typeof tones;
  at: string;
  notes: string[];
}

function ofNotification(row: Row<typeof notifications>): SentMessage {
  const { notificationId, name, whom, channel, address, outcome, error, created, nextTry } = row;
  const until =
    nextTry && outcome === 'Waiting'
      ? [t.due(exactTime(nextTry))]
      : nextTry && outcome === 'Held'
        ? [t.inQuietHours(exactTime(nextTry))]
        : [];
  const notes = [...until, ...(error && outcome !== 'Sent' ? [error] : [])];
  return { key: notificationId, name, how: t.how(whom, channel, address), outcome, at: created, notes };
}

const calledBy = related(actionHistories, 'actionDefinition', actionDefinitions);
/** Mails, and calls of the tenant's actions. Executions of Notify are left out, because notifications already list them. */
const notifyingActions = or(
  eq(actionHistories, 'actionDefinitionId', builtInAction.email),
  oneOf(calledBy, 'actionDefinitionTypeId', [2, 3, 4]),
);
const outcomeOf = new Map<number, keyof typeof tones>([
  [resultStatus.success, 'Sent'],
  [resultStatus.failure, 'Failed'],
  [resultStatus.enqueueSuccess, 'Waiting'],
]);

function recipientsIn(parameters: string): string {
  try {
    return String((JSON.parse(parameters) as { To?: unknown }).To ?? '');
  } catch {
    return '';
  }
}

function ofExecution(expanded: ExpandedRow<typeof actionHistories, 'actionDefinition'>): SentMessage {
  const {
    messageId,
    actionDefinitionId,
    actionDefinition,
    inputParameters,
    resultStatusId,
    resultDetail,
    keptSince,
    nextTry,
    actionProcessed,
  } = expanded;
  const isMail = actionDefinitionId === builtInAction.email;
  const to = isMail ? recipientsIn(inputParameters) : '';
  const waits = keptSince ? 'Kept' : nextTry ? 'Retrying' : 'Waiting';
  const outcome = resultStatusId === resultStatus.enqueueSuccess ? waits : (outcomeOf.get(resultStatusId) ?? 'Unknown');
  const { error } = (resultDetail ?? {}) as { error?: unknown };
  const notes = typeof error === 'string' && outcome !== 'Sent' ? [error] : [];
  return {
    key: messageId,
    name: to || (actionDefinition?.name ?? ''),
    how: isMail ? t.byMail : t.byCall,
    outcome,
    at: actionProcessed,
    notes,
  };
}

/** What actions of the rule and the protocol have sent, besides Notify; only for people who may see actions. */
function useExecutions(unit: PanelWorkUnit) {
  const matches = relatedIds(unit, 'RuleMatch').slice(0, maxMatches);
  const ofUnit = or(
    eq(actionHistories, 'workUnitId', unit.workUnitId),
    ...(matches.length > 0 ? [oneOf(actionHistories, 'referenceId', matches)] : []),
  );
  const filter = and(ofUnit, notifyingActions, oneOf(actionHistories, 'resultStatusId', [...outcomeOf.keys()]));
  const query = { filter, expand: ['actionDefinition'] as const, orderBy: 'actionProcessed desc' as const, top: maxNotifications };
  return useList(actionHistories, query, { enabled: useMay()('ActionDefinitions', 'view') });
}

/**
 * For a unit that a rule opened, that follows a protocol or about which somebody was notified: whether it is acknowledged, and
 * who was notified.
 */
export function Notified({ unit }: { unit: PanelWorkUnit }) {
  const { workUnitId, protocolId, ruleId } = unit;
  const [isLong, setLong] = useState(false);
  const personal = useList(notifications, notificationsQuery(workUnitId));
  const executions = useExecutions(unit);
  const error = personal.error ?? executions.error;
  if (error && !personal.data)
    return <ErrorState small title={failureText(error)} onRetry={() => void Promise.all([personal.refetch(), executions.refetch()])} />;
  if (!personal.data || executions.isLoading) return null;
  const listed = new Set(personal.data.rows.map((row) => row.messageId));
  const others = (executions.data?.rows ?? []).filter((row) => !listed.has(row.messageId));
  const all = [...personal.data.rows.map(ofNotification), ...others.map(ofExecution)].toSorted((a, b) => b.at.localeCompare(a.at));
  if (all.length === 0 && !protocolId && !ruleId) return null;
  return (
    <section className="unit-told" aria-label={t.heading}>
      <h3 className="row">
        <span className="grow">{t.heading}</span>
        <AcknowledgeState unit={unit} />
      </h3>
      {all.length === 0 && <p className="muted">{t.nobody}</p>}
      <ul className="told">
        {all.slice(0, isLong ? all.length : firstRows).map(({ key, name, how, outcome, at, notes }) => (
          <li key={key}>
            <span className="row">
              <span className="grow">
                <strong>{name}</strong> <span className="muted">{how}</span>
              </span>
              <RelativeTime value={at} />
              <Chip tone={tones[outcome]}>{t.outcomes[outcome]}</Chip>
            </span>
            {notes.map((note) => (
              <span key={note} className="faint">
                {note}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {!isLong && all.length > firstRows && (
        <Button small onClick={() => setLong(true)}>
          {t.more(all.length - firstRows)}
        </Button>
      )}
    </section>
  );
}

export function PlannedSteps({ id }: { id: number }) {
  const { data, error, refetch } = useList(plannedSteps, {
    filter: eq(plannedSteps, 'workUnitId', id),
    orderBy: 'due asc',
    top: maxNotifications,
  });
  if (error && !data) return <ErrorState small title={failureText(error)} onRetry={() => void refetch()} />;
  if (!data || data.rows.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.planned}>
      <h3>{t.planned}</h3>
      <ul className="told">
        {data.rows.map((item) => (
          <li key={item.plannedStepId} className="row">
            <span className="grow">
              <strong>{item.name}</strong>{' '}
              <span className="muted">
                {item.ended === null
                  ? t.next(exactTime(item.due), item.runsLeft)
                  : item.reason
                    ? t.stopped(item.reason)
                    : t.done(item.runs)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
