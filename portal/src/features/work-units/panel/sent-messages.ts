/** Who was notified about a unit: messages to persons, and what actions of the rule and the protocol have sent. */
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { and, eq, oneOf, or, related } from '@cloudfit/contract/query/build.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { useMay } from '../../../api/lookups.ts';
import { exactTime } from '../../../theme/times.ts';
import { useList } from '../../../rows/use-rows.ts';
import { relatedIds } from '../related/use-related.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { maxNotifications, notificationsQuery } from './notifications-query.ts';

const t = workUnitPanelTexts.notified;

export const outcomeTones = {
  Sent: 'ok',
  Failed: 'danger',
  Stopped: 'plain',
  Kept: 'warn',
  Retrying: 'warn',
  Waiting: 'info',
  Held: 'info',
  Unknown: 'plain',
} as const;

const maxMatches = 20;

export interface SentMessage {
  key: string;
  name: string;
  how: string;
  outcome: keyof typeof outcomeTones;
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
const outcomeOf = new Map<number, keyof typeof outcomeTones>([
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
  return useList(actionHistories, query, { enabled: useMay()('ActionDefinitions', 'view'), together: true });
}

/** The messages, newest first; undefined while they load. */
export function useSentMessages(unit: PanelWorkUnit) {
  const personal = useList(notifications, notificationsQuery(unit.workUnitId), { together: true });
  const executions = useExecutions(unit);
  const error = personal.data ? null : (personal.error ?? executions.error);
  const refetch = () => void Promise.all([personal.refetch(), executions.refetch()]);
  if (!personal.data || executions.isLoading) return { messages: undefined, error, refetch };
  const listed = new Set(personal.data.rows.map((row) => row.messageId));
  const others = (executions.data?.rows ?? []).filter((row) => !listed.has(row.messageId));
  const messages = [...personal.data.rows.map(ofNotification), ...others.map(ofExecution)].toSorted((a, b) => b.at.localeCompare(a.at));
  return { messages, error, refetch };
}
