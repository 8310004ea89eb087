/** Sentences about a work unit, in tickets and messages. */
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

const mark = /\(CloudFit note (\d{1,15})\)\s*$/;

/** The text of a note there. The mark at its end tells it from what people write there. */
export const noteText = ({ note }: ServiceNews, name: (text: string) => string = (text) => text): string =>
  note ? `${name(note.by)}: ${withoutFiles(note.text)}\n\n(CloudFit note ${note.id})` : '';

/** Whether a text is a note that was written here. */
export const isMarked = (text: string): boolean => mark.test(text);

/** A sentence with the mark of what is written by a program of CloudFit, and is no note. */
export const markedSentence = (text: string): string => `${text}\n\n(CloudFit note 0)`;

export const ticketTitle = ({ severityId, title }: ServiceNews): string => `${severityId}: ${title}`.slice(0, 250);

export const ticketText = ({ description, url, publicId, tenantName, severityId }: ServiceNews): string =>
  [description.slice(0, 20_000), `Severity: ${severityId}`, `CloudFit #${publicId} of ${tenantName}: ${url}`].filter(Boolean).join('\n\n');

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

const longestNote = 4_000;

/** A text from there as a note; of a longer one, its beginning and where the rest is. */
export function noteOf(text: string, place: string): string {
  const more = `\n\n[The text is longer: ${place.slice(0, 500)}]`;
  return text.length > longestNote ? `${text.slice(0, longestNote - more.length)}${more}` : text;
}
