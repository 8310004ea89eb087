/** Texts of the inbox. */
import type { InboxKind } from '../resources/inbox-items.ts';

const kinds: Readonly<Record<InboxKind, string>> = {
  Assigned: 'Assigned to me',
  Approval: 'Waits for my approval',
  Mentioned: 'Mentioned',
  CallMe: 'Call back',
  Reply: 'Customer replied',
  AssignedToGroup: 'Assigned to my group',
  Watched: 'Watched or mine, and changed',
};

export const inboxTexts = {
  title: 'Inbox',
  show: 'Show',
  tabs: { all: 'All', unread: 'Unread', mentions: 'Mentions', assigned: 'Assigned', approvals: 'Approvals', snoozed: 'Snoozed' },
  failed: 'Your inbox could not be loaded.',
  none: 'Nothing needs you',
  noneText: 'Units that are assigned to you, mention you, wait for your decision or that you watch appear here.',
  noneHere: 'Nothing here',
  kinds,
  did: {
    Assigned: 'assigned it to you',
    Approval: 'asks for your decision',
    Mentioned: 'mentioned you',
    CallMe: 'asks to be called back',
    Reply: 'replied',
    AssignedToGroup: 'assigned it to your group',
    Watched: '',
  } satisfies Record<InboxKind, string>,
  read: 'Mark as read',
  unread: 'Mark as unread',
  allRead: 'Mark all as read',
  snooze: 'Snooze',
  snoozedUntil: 'Back',
  snoozes: { hour: 'For an hour', afternoon: 'For four hours', tomorrow: 'Until tomorrow, 8:00', monday: 'Until Monday, 8:00' },
  told: 'What I am told',
  gone: 'A unit that you may no longer see',
  isUnread: 'Unread',
  next: 'Next item',
  previous: 'Previous item',
  keys: { move: 'move', open: 'open', read: 'read', snooze: 'snooze' },
};
