/** What each tab of the inbox lists. Pure. */
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';

export const tabs = ['all', 'unread', 'mentions', 'assigned', 'approvals', 'snoozed'] as const;
export type InboxTab = (typeof tabs)[number];

export const isInboxTab = (id: string): id is InboxTab => tabs.some((tab) => tab === id);

const isDue = 'due le now()';

const filters: Readonly<Record<InboxTab, string | undefined>> = {
  all: isDue,
  unread: and(isDue, eq(inboxItems, 'readAt', null)),
  mentions: and(isDue, eq(inboxItems, 'kind', 'Mentioned')),
  assigned: and(isDue, oneOf(inboxItems, 'kind', ['Assigned', 'AssignedToGroup'])),
  approvals: and(isDue, eq(inboxItems, 'kind', 'Approval')),
  snoozed: 'due gt now()',
};

export const filterOf = (tab: InboxTab): string | undefined => filters[tab];
