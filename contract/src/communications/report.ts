/** Composes the reports of a communication: the external one for customers, the internal one for staff (COMM-011..013). */
import { communicationStatuses, type reportTypes } from '../enums.ts';
import { communicationsEn } from '../messages/communications.en.ts';
import type { Row } from '../resource.ts';
import type { communicationWorkUnits } from '../resources/communication-work-units.ts';
import type { workUnitCommunicationActivities } from '../resources/work-unit-communication-activities.ts';
import type { workUnitCommunications } from '../resources/work-unit-communications.ts';
import { reportSpan, reportTime } from './report-time.ts';

type Communication = Row<typeof workUnitCommunications>;
type Activity = Pick<
  Row<typeof workUnitCommunicationActivities>,
  'details' | 'isComplete' | 'isCustomerFacing' | 'completed' | 'created' | 'workUnitCommunicationActivityId'
>;
type WorkUnit = Pick<Row<typeof communicationWorkUnits>, 'publicWorkUnitId' | 'title' | 'stateId' | 'severityId' | 'assignedTo'>;
type ReportFact = readonly [label: string, value: string];

/** The data from which a report is composed. */
export interface ReportSource {
  communication: Communication;
  tenantName: string;
  activities: readonly Activity[];
  workUnits: readonly WorkUnit[];
  /** The display name of a sign-in name. */
  nameOf: (userName: string) => string;
}

/** A part of a report for the screen, for print and as plain text. */
export interface ReportSection {
  title?: string;
  text?: string;
  facts?: readonly ReportFact[];
  items?: readonly string[];
}

export interface Report {
  subject: string;
  sections: readonly ReportSection[];
  /** The report as plain text, for the clipboard. */
  text: string;
}

const t = communicationsEn.report;
const closed: readonly string[] = ['Cancelled', 'Resolved'];

const facts = (...pairs: readonly (readonly [string, string | null | undefined])[]): ReportFact[] =>
  pairs.flatMap(([label, value]) => (value?.trim() ? [[label, value.trim()] as const] : []));

/** Returns the complete steps or the open steps, the earliest first. */
function stepsOf(activities: readonly Activity[], complete: boolean): readonly Activity[] {
  const at = (step: Activity) => (complete && step.completed) || step.created;
  return activities
    .filter((step) => step.isComplete === complete)
    .toSorted((a, b) => at(a).localeCompare(at(b)) || a.workUnitCommunicationActivityId - b.workUnitCommunicationActivityId);
}

function impactOf(c: Communication): ReportFact[] {
  return facts([t.labels.current, closed.includes(c.status) ? null : c.currentImpact], [t.labels.maximum, c.maximumImpact]);
}

function externalSections({ communication: c, tenantName, activities }: ReportSource, zone: string): ReportSection[] {
  const reference = t.reference(c.publicWorkUnitCommunicationId);
  const isOpen = !closed.includes(c.status);
  const customerSteps = activities.filter((step) => step.isCustomerFacing);
  const next = isOpen ? reportTime(c.nextUpdate, zone) : null;
  return [
    { text: `${t.greeting(tenantName)}\n\n${t.lead[c.status]}` },
    {
      title: t.glance,
      facts: facts(
        [t.labels.reference, reference],
        [t.labels.status, t.status[c.status]],
        [t.labels.services, c.impactedServices],
        [t.labels.started, reportTime(c.eventStarted, zone)],
        [t.labels.mitigated, reportTime(c.eventMitigated, zone)],
        [t.labels.resolved, reportTime(c.eventResolved, zone)],
        [t.labels.nextUpdate, next],
      ),
    },
    { title: t.happened, text: c.details ?? '' },
    { title: t.impact, facts: impactOf(c) },
    {
      title: t.doneByUs,
      items: stepsOf(customerSteps, true).map((step) => `${reportTime(step.completed ?? step.created, zone)}: ${step.details.trim()}`),
    },
    { title: t.cause, text: c.status === 'Resolved' ? (c.rootCause ?? '') : '' },
    {
      title: t.nextByUs,
      items: isOpen ? stepsOf(customerSteps, false).map((step) => step.details.trim()) : [],
      text: next ? t.nextUpdateBy(next) : '',
    },
    { title: t.fromYou, text: isOpen ? (c.customerAssistanceRequired ? t.assistance(reference) : t.noAssistance) : '' },
    { text: t.closing(reference) },
  ];
}

/** Summarizes the event in up to four sentences. */
function summaryOf(c: Communication, tenantName: string, zone: string): string {
  const started = reportTime(c.eventStarted, zone);
  const mitigated = reportSpan(c.eventStarted, c.eventMitigated);
  const resolved = reportSpan(c.eventStarted, c.eventResolved);
  const isOpen = !closed.includes(c.status);
  const due = (time: string | null, words: (time: string) => string) => (isOpen && time ? words(time) : '');
  const first = [
    t.summary(t.status[c.status], tenantName),
    started && t.since(started),
    mitigated && t.restoredAfter(mitigated),
    resolved && t.resolvedAfter(resolved),
  ];
  return [
    `${first.filter(Boolean).join(', ')}.`,
    isOpen && c.customerAssistanceRequired ? t.assistanceRequired : '',
    due(reportTime(c.nextUpdate, zone), t.customerDue),
    due(reportTime(c.nextInternalUpdate, zone), t.internalDue),
  ]
    .filter(Boolean)
    .join(' ');
}

function internalSections({ communication: c, tenantName, activities, workUnits, nameOf }: ReportSource, zone: string): ReportSection[] {
  const time = (value: string | null) => reportTime(value, zone);
  const since = (value: string | null) => {
    const span = reportSpan(c.eventStarted, value);
    const at = time(value);
    return at && span ? t.after(at, span) : at;
  };
  const isOpen = !closed.includes(c.status);
  const step = (activity: Activity) => `${activity.details.trim()}${activity.isCustomerFacing ? ` (${t.customerFacing})` : ''}`;
  return [
    { text: `${t.internalOnly}\n\n${summaryOf(c, tenantName, zone)}` },
    {
      title: t.glance,
      facts: facts(
        [t.labels.reference, t.reference(c.publicWorkUnitCommunicationId)],
        [t.labels.status, t.status[c.status]],
        [t.labels.customer, tenantName],
        [t.labels.services, c.impactedServices],
        [t.labels.serviceManager, c.serviceManager && nameOf(c.serviceManager)],
        [t.labels.bridge, c.internalBridge],
        [t.labels.assistance, c.customerAssistanceRequired ? t.yes : t.no],
        [t.labels.updated, t.by(time(c.userChanged) ?? '', nameOf(c.userChangedBy))],
      ),
    },
    { title: t.happened, text: c.details ?? '' },
    { title: t.impact, facts: impactOf(c) },
    { title: t.cause, text: c.rootCause?.trim() || t.causeUnknown },
    {
      title: t.timeline,
      facts: facts(
        [t.labels.started, time(c.eventStarted)],
        [t.labels.engaged, since(c.eventEngaged)],
        [t.labels.mitigated, since(c.eventMitigated)],
        [t.labels.resolved, since(c.eventResolved)],
        [t.labels.nextCustomerUpdate, isOpen ? time(c.nextUpdate) : null],
        [t.labels.nextInternalUpdate, isOpen ? time(c.nextInternalUpdate) : null],
      ),
    },
    { title: t.pastSteps, items: stepsOf(activities, true).map((item) => `${time(item.completed ?? item.created)}: ${step(item)}`) },
    { title: t.nextSteps, items: stepsOf(activities, false).map(step) },
    {
      title: t.workUnits,
      items: workUnits.map(
        (unit) =>
          `#${unit.publicWorkUnitId} ${unit.title} (${unit.severityId}, ${unit.stateId}, ${unit.assignedTo ? nameOf(unit.assignedTo) : t.unassigned})`,
      ),
    },
  ];
}

const isEmpty = ({ text, facts: pairs = [], items = [] }: ReportSection) => !text?.trim() && pairs.length === 0 && items.length === 0;

function plain({ title, text, facts: pairs = [], items = [] }: ReportSection): string {
  const lines = [...pairs.map(([label, value]) => `${label}: ${value}`), ...items.map((item) => `- ${item}`), text?.trim() ?? ''];
  return [title?.toUpperCase(), ...lines].filter(Boolean).join('\n');
}

/** Composes a report without empty sections. Pure: equal sources and zones give equal reports. */
export function communicationReport(type: (typeof reportTypes)[number], source: ReportSource, zone = 'UTC'): Report {
  const c = source.communication;
  const status = communicationStatuses.find((s) => s.value === c.status)?.label ?? c.status;
  const all = type === 'InternalReport' ? internalSections(source, zone) : externalSections(source, zone);
  const sections = all.filter((section) => !isEmpty(section));
  return {
    subject: `WUCOMM #${c.publicWorkUnitCommunicationId}: ${c.title} - ${status}`,
    sections,
    text: sections.map(plain).join('\n\n'),
  };
}
