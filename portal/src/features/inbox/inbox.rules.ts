/** What each tab of the inbox lists, and how long an item may be snoozed. Pure. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { instantAt, dayAt, wallClock } from '../../theme/times.ts';

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

/** At this hour of the morning, items come back. */
const morning = 8;

function morningAfter(now: Date, days: number): Date {
  const day = new Date(Date.parse(dayAt(now)) + days * 24 * hourMs).toISOString().slice(0, 10);
  return instantAt(`${day}T0${morning}:00`);
}

/** The times until which an item may be snoozed, in the person's time zone. */
export function snoozeTimes(now: Date): { id: 'hour' | 'afternoon' | 'tomorrow' | 'monday'; until: Date }[] {
  const inHours = (hours: number) => new Date(now.getTime() + hours * hourMs);
  // Days until the next Monday: 7 on a Monday.
  const toMonday = (8 - wallClock(now).getUTCDay()) % 7 || 7;
  return [
    { id: 'hour', until: inHours(1) },
    { id: 'afternoon', until: inHours(4) },
    { id: 'tomorrow', until: morningAfter(now, 1) },
    { id: 'monday', until: morningAfter(now, toMonday) },
  ];
}
