/** The published updates of a communication, and what has become of their mails. */
import { communicationUpdateTexts as t } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { resendFailedMails } from '@cloudfit/contract/calls.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { communicationMails } from '@cloudfit/contract/resources/communication-mails.ts';
import { communicationUpdates } from '@cloudfit/contract/resources/communication-updates.ts';
import { call } from '../../../api/call.ts';
import { command } from '../../../calls/command.ts';
import { useGroups, useList } from '../../../rows/use-rows.ts';

export type PublishedUpdate = Row<typeof communicationUpdates>;
export type ContactMail = Row<typeof communicationMails>;

export const maxUpdates = 200;
export const maxMails = 200;
const pollMs = 30_000;

export function useUpdates(id: number) {
  const filter = eq(communicationUpdates, 'workUnitCommunicationId', id);
  return useList(communicationUpdates, { filter, orderBy: 'created desc', top: maxUpdates }, { pollMs });
}

export interface MailCount {
  communicationUpdateId: string;
  state: ContactMail['state'];
  n: number;
}

/** How many mails of each update are in which state. Only people who may edit the communication see that. */
export function useMailCounts(id: number, enabled: boolean) {
  const filter = eq(communicationMails, 'workUnitCommunicationId', id) ?? '';
  const apply = `filter(${filter})/groupby((communicationUpdateId,state),aggregate($count as n))`;
  return useGroups<MailCount>(communicationMails, { apply, top: 1_000 }, { pollMs, enabled });
}

export function useMails(communicationUpdateId: string) {
  const filter = eq(communicationMails, 'communicationUpdateId', communicationUpdateId);
  return useList(communicationMails, { filter, orderBy: 'name asc', top: maxMails, count: true }, { pollMs });
}

/** What shows the mails of an update. */
export const mailNames = [communicationMails.name];

export const resend = command(({ communicationUpdateId: id }: PublishedUpdate) => call(resendFailedMails, { id }), {
  done: ({ queued }) => t.queued(queued),
  failed: t.resendFailed,
  refreshes: mailNames,
});
