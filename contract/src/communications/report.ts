/** What the reports of a communication say: to customers what is meant for them, to staff all of it (COMM-011..013). */
import { communicationStatuses, type reportTypes } from '../enums.ts';
import type { Row } from '../resource.ts';
import type { communicationWorkUnits } from '../resources/communication-work-units.ts';
import type { workUnitCommunicationActivities } from '../resources/work-unit-communication-activities.ts';
import type { workUnitCommunications } from '../resources/work-unit-communications.ts';

type Communication = Row<typeof workUnitCommunications>;
type Activity = Pick<Row<typeof workUnitCommunicationActivities>, 'details' | 'isComplete' | 'isCustomerFacing'>;
type WorkUnit = Pick<Row<typeof communicationWorkUnits>, 'publicWorkUnitId' | 'title' | 'stateId'>;

export interface Report {
  subject: string;
  text: string;
}

const time = (value: string | null): string | null => value && `${value.slice(0, 16).replace('T', ' ')} UTC`;

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

/** Plain text; fields without a value are left out. */
export function communicationReport(
  type: (typeof reportTypes)[number],
  communication: Communication,
  tenantName: string,
  activities: readonly Activity[],
  workUnits: readonly WorkUnit[],
): Report {
  const c = communication;
  const internal = type === 'InternalReport';
  const status = communicationStatuses.find((s) => s.value === c.status)?.label ?? c.status;
  const facts: readonly [string, string | null][] = [
    ['Status', status],
    ['Customer', tenantName],
    ['Impacted services', c.impactedServices],
    ['Current impact', c.currentImpact],
    ['Maximum impact', c.maximumImpact],
    ['Event started', time(c.eventStarted)],
    ['Event engaged', internal ? time(c.eventEngaged) : null],
    ['Event mitigated', time(c.eventMitigated)],
    ['Event resolved', time(c.eventResolved)],
    ['Customer assistance required', c.customerAssistanceRequired ? 'Yes' : 'No'],
    ['Root cause', internal || c.status === 'Resolved' ? c.rootCause : null],
    ['Service manager', internal ? c.serviceManager : null],
    ['Internal bridge', internal ? c.internalBridge : null],
    ['Next internal update', internal ? time(c.nextInternalUpdate) : null],
    ['Next update', time(c.nextUpdate)],
  ];
  const told = activities.filter((activity) => internal || activity.isCustomerFacing);
  const steps = (complete: boolean): string[] => told.filter((a) => a.isComplete === complete).map((a) => a.details);
  const parts = [
    c.details ?? '',
    facts
      .filter(([, value]) => value)
      .map(([label, value]) => `${label}: ${value}`)
      .join('\n'),
    section('Past steps', steps(true)),
    section('Next steps', steps(false)),
    internal
      ? section(
          'Work units',
          workUnits.map((unit) => `#${unit.publicWorkUnitId} ${unit.title} (${unit.stateId})`),
        )
      : '',
  ];
  return {
    subject: `WUCOMM #${c.publicWorkUnitCommunicationId}: ${c.title} - ${status}`,
    text: parts.filter((part) => part !== '').join('\n\n'),
  };
}
