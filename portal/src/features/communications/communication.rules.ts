/** Whether a communication is closed or late, and the errors of its form per status (COMM-026, COMM-033..035). */
import { en } from '@cloudfit/contract/messages/en.ts';
import { communicationsEn as t } from '@cloudfit/contract/messages/communications.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import type { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import type { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import type { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import type { FormValues } from '../../rows/row.ts';

export type CommunicationStep = Row<typeof workUnitCommunicationActivities>;
export type LinkedUnit = Row<typeof communicationWorkUnits>;
export type CommunicationRow = ExpandedRow<typeof workUnitCommunications, 'tenant'>;

const closedStatuses: readonly unknown[] = ['Cancelled', 'Resolved'];

export const isClosed = (status: unknown): boolean => closedStatuses.includes(status);

/** Whether the communication is not closed and the promised time of its next update for staff has passed. */
export function isInternalOverdue(communication: Pick<CommunicationRow, 'status' | 'nextInternalUpdate'>, now: number): boolean {
  return isOverdue({ status: communication.status, nextUpdate: communication.nextInternalUpdate }, now);
}

/** Whether the communication is not closed and the promised time of its next update for customers has passed. */
export function isOverdue({ status, nextUpdate }: Pick<CommunicationRow, 'status' | 'nextUpdate'>, now: number): boolean {
  return !isClosed(status) && nextUpdate !== null && Date.parse(nextUpdate) < now;
}

const texts = { ...en.form, future: 'Date must be in the future' };

/**
 * Returns the errors of fields that depend on other fields. A past time of the next update is an error only if it was changed.
 */
export function communicationProblems(
  values: FormValues<typeof workUnitCommunications>,
  saved: CommunicationRow | undefined,
  now: number,
): { rootCause?: string; nextUpdate?: string } {
  const problems: { rootCause?: string; nextUpdate?: string } = {};
  const { status, rootCause, nextUpdate } = values;
  if (status === 'Resolved' && !(typeof rootCause === 'string' && rootCause.trim())) problems.rootCause = t.rootCauseRequired;
  if (!isClosed(status) && !nextUpdate) problems.nextUpdate = texts.dateRequired;
  if (typeof nextUpdate === 'string' && nextUpdate !== saved?.nextUpdate && Date.parse(nextUpdate) <= now)
    problems.nextUpdate = texts.future;
  return problems;
}
