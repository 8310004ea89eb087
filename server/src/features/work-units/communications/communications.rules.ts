/** Which fields a communication needs in which status (COMM-025, COMM-033..035). */
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import type { FieldError } from '../../../resources/served.ts';

export type Communication = Row<typeof workUnitCommunications>;

const closedStatuses: readonly string[] = ['Cancelled', 'Resolved'];

/**
 * Returns the errors of a communication. The next update may be in the past while other fields are edited, so it is checked
 * only when it changes.
 */
export function communicationFaults(
  now: Date,
  before: Communication | null,
  after: Communication,
  changed: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (!before && after.status !== 'Investigating')
    errors.push({ target: 'status', message: 'A new communication can only be Investigating.' });
  if (after.status === 'Resolved' && !after.rootCause?.trim())
    errors.push({ target: 'rootCause', message: 'Root Cause is required when the status is Resolved.' });
  if (!closedStatuses.includes(after.status) && !after.nextUpdate)
    errors.push({ target: 'nextUpdate', message: 'Next Customer Update is required.' });
  if (changed.includes('nextUpdate') && after.nextUpdate && Date.parse(after.nextUpdate) <= now.getTime())
    errors.push({ target: 'nextUpdate', message: 'Next Customer Update must be in the future.' });
  return errors;
}
