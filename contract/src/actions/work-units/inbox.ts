/** The caller's inbox: how many items are unread, reading and snoozing them, and which kinds are not wanted. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { guidSchema, timestampSchema } from '../../resource.ts';
import { inboxKinds } from '../../resources/inbox-items.ts';

/** The maximum number of items that one call marks. */
export const maxMarked = 500;

const ids = z.array(guidSchema).min(1, 'Please name at least one item.').max(maxMarked, `At most ${maxMarked} items at once.`);
const access = { area: 'WorkUnits', verb: 'view' } as const;
const count = z.object({ changed: z.int() });
const mutes = z.object({ muted: z.array(z.enum(inboxKinds)) });

export const inboxCount = defineAction({
  name: 'inboxCount',
  method: 'GET',
  path: '/v1/inbox/count',
  access,
  about: 'How many items of the caller are unread now, and when the next snoozed one comes back.',
  input: z.object({}),
  output: z.object({ unread: z.int(), nextDue: z.string().nullable() }),
});

export const markInboxItems = defineAction({
  name: 'markInboxItems',
  method: 'POST',
  path: '/v1/inbox/mark',
  access,
  about: 'Marks items of the caller as read, or as unread. Items of other people are ignored.',
  input: z.object({ ids, isRead: z.boolean() }),
  output: count,
});

export const snoozeInboxItems = defineAction({
  name: 'snoozeInboxItems',
  method: 'POST',
  path: '/v1/inbox/snooze',
  access,
  about: 'Hides items of the caller until a time, at which they are unread again. Items of other people are ignored.',
  input: z.object({ ids, until: timestampSchema }),
  output: count,
});

export const mutedInboxKinds = defineAction({
  name: 'mutedInboxKinds',
  method: 'GET',
  path: '/v1/inbox/muted',
  access,
  about: 'The kinds of items that the caller does not want.',
  input: z.object({}),
  output: mutes,
});

export const muteInboxKinds = defineAction({
  name: 'muteInboxKinds',
  method: 'POST',
  path: '/v1/inbox/muted',
  access,
  about: 'Sets the kinds of items that the caller does not want. Items that exist stay.',
  input: mutes,
  output: mutes,
});
