/** Composes the mail of an update in the language of its recipients, from what is meant for customers only. */
import { reportTime } from '@cloudfit/contract/communications/report-time.ts';
import { communicationMailTexts as mailDe } from '@cloudfit/contract/messages/communication-mails.de.ts';
import { communicationMailTexts as mailEn } from '@cloudfit/contract/messages/communication-mails.en.ts';
import { communicationsEn as de } from '@cloudfit/contract/messages/communications.de.ts';
import { communicationsEn as en } from '@cloudfit/contract/messages/communications.en.ts';
import type { Language } from '@cloudfit/contract/messages/language.ts';
import { oneLine } from '@cloudfit/contract/one-line.ts';
import type { Communication } from '../communications/communications.rules.ts';

const texts = { en: { report: en.report, mail: mailEn }, de: { report: de.report, mail: mailDe } } as const;

/** The fields of a communication that customers read. */
type ToldFields = Pick<
  Communication,
  | 'publicWorkUnitCommunicationId'
  | 'title'
  | 'customerAssistanceRequired'
  | 'rootCause'
  | 'eventStarted'
  | 'eventMitigated'
  | 'eventResolved'
  | 'currentImpact'
  | 'impactedServices'
>;

export interface MailSource {
  communication: ToldFields;
  update: { text: string; status: Communication['status']; nextUpdate: string | null };
  tenantName: string;
}

/** A mail without the link that is the recipient's own. */
export interface ComposedUpdate {
  subject: string;
  /** Returns the text with the link that ends the mails; without one, with a placeholder. */
  text: (link?: string) => string;
}

const closed: readonly string[] = ['Cancelled', 'Resolved'];

/** Times are in the time zone of the contact, with its name. */
export function composeMail({ communication: c, update, tenantName }: MailSource, language: Language, timeZone: string): ComposedUpdate {
  const { report: t, mail } = texts[language];
  const { status } = update;
  const isOpen = !closed.includes(status);
  const reference = t.reference(c.publicWorkUnitCommunicationId);
  // Languages have short names for few time zones, and write the others as a difference.
  const time = (value: string | null) =>
    reportTime(value, timeZone, language)?.replace(/ GMT[+-].*/, (zone) => `${zone} (${timeZone})`) ?? null;
  const facts: readonly (readonly [string, string | null])[] = [
    [t.labels.reference, reference],
    [t.labels.status, t.status[status]],
    [
      t.labels.services,
      c.impactedServices &&
        c.impactedServices
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean)
          .join(', '),
    ],
    [t.labels.current, isOpen ? c.currentImpact && oneLine(c.currentImpact) : null],
    [t.labels.started, time(c.eventStarted)],
    [t.labels.mitigated, time(c.eventMitigated)],
    [t.labels.resolved, time(c.eventResolved)],
    [t.labels.nextUpdate, isOpen ? time(update.nextUpdate) : null],
  ];
  const parts = [
    t.greeting(tenantName),
    t.lead[status],
    update.text,
    facts.flatMap(([label, value]) => (value?.trim() ? [`${label}: ${value.trim()}`] : [])).join('\n'),
    status === 'Resolved' && c.rootCause?.trim() ? `${t.cause}\n${c.rootCause.trim()}` : '',
    isOpen && c.customerAssistanceRequired ? t.assistance(reference) : '',
    t.closing(reference),
  ];
  return {
    subject: oneLine(`${reference}: ${c.title} - ${t.status[status]}`),
    text: (link) => [...parts, `${mail.because(tenantName)}\n${mail.end(link ?? `(${mail.personalLink})`)}`].filter(Boolean).join('\n\n'),
  };
}
