/** Sentences about a work unit, in tickets and messages. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { hourMs } from '@cloudfit/contract/durations.ts';
import type { ServiceTarget, ServiceNews } from './service.ts';
import { withoutFiles } from '@cloudfit/contract/notes.ts';

const deeds: Readonly<Record<string, string>> = {
  New: 'opened',
  Acknowledged: 'acknowledged',
  Resolved: 'resolved',
  Closed: 'closed',
  Canceled: 'canceled',
};

/** Who did what, such as “Ada acknowledged #1042 in CloudFit.” */
export function stateSentence({ by, stateId, publicId, resolution, isEnded, changes }: ServiceNews): string {
  const from = changes['stateId']?.from;
  const isAgain = stateId === 'New' && from !== undefined;
  const deed = isAgain
    ? `set #${publicId} back to New`
    : deeds[stateId]
      ? `${deeds[stateId]} #${publicId}`
      : `set #${publicId} to ${stateId}`;
  return `${by} ${deed} in CloudFit.${isEnded && resolution ? `\n\n${resolution}` : ''}`;
}

const mark = /\(CloudFit (?:note|event) \d{1,15}\)\s*$/;

/** What ends a text that is written there, once for each note and event: it tells it from what people write, and from others of CloudFit. */
export const markOf = ({ note, eventNumber }: ServiceNews): string =>
  note ? `(CloudFit note ${note.id})` : `(CloudFit event ${eventNumber})`;

/** The text of a note there, with its mark. */
export const noteText = (news: ServiceNews, name: (text: string) => string = (text) => text): string =>
  news.note ? `${name(news.note.by)}: ${withoutFiles(news.note.text)}\n\n${markOf(news)}` : '';

/** Whether a text was written by CloudFit. */
export const isMarked = (text: string): boolean => mark.test(text);

/** A sentence about an event, with its mark. */
export const markedSentence = (news: ServiceNews, text: string): string => `${text}\n\n${markOf(news)}`;

/** From when on a service is asked for what an earlier try has made: its clock may be behind. */
export const searchedFrom = ({ occurred }: ServiceNews): Date => new Date(occurred.getTime() - hourMs);

/** What a ticket or message is recognised by, whatever happens to its title: its subscription and its unit. */
export const unitMark = ({ workUnitId }: ServiceNews, { eventSubscriptionId }: ServiceTarget): string =>
  `${eventSubscriptionId}/${workUnitId}`;

export const ticketTitle = ({ severityId, title }: ServiceNews): string => startOf(`${severityId}: ${title}`, 250);

export const ticketText = ({ description, url, publicId, tenantName, severityId }: ServiceNews): string =>
  [startOf(description, 20_000), `Severity: ${severityId}`, `CloudFit #${publicId} of ${tenantName}: ${url}`].filter(Boolean).join('\n\n');

/** Whether a note goes to the service. */
export const goesOut = ({ note }: ServiceNews, { externalOnly }: ServiceTarget): boolean =>
  note !== undefined && (!externalOnly || note.isExternal);

export const messageTitle = ({ publicId, title }: ServiceNews): string => `#${publicId} ${title}`;

/** What a message says of a unit. */
export const messageFacts = ({ severityId, stateId, assignee, tenantName }: ServiceNews): [string, string][] => [
  ['Severity', severityId],
  ['State', stateId],
  ['Assigned to', assignee ?? 'Nobody'],
  ['Customer', tenantName],
];

/** A note in the thread of a message, where bots are told from people by what the service says. */
export const threadText = ({ note }: ServiceNews): string => (note ? `${note.by}: ${withoutFiles(note.text)}` : '');

/** Characters that people can enter in a dialog of a chat. */
export const longestEntry = 3_000;

const longestNote = 4_000;

/** A text from there as a note; of a longer one, its beginning and where the rest is. */
export function noteOf(text: string, place: string): string {
  const more = `\n\n[The text is longer: ${startOf(place, 500)}]`;
  return text.length > longestNote ? `${startOf(text, longestNote - more.length)}${more}` : text;
}
