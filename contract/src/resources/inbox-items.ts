import { defineResource, f, one, optional } from '../resource.ts';

/** Why a person is told of a work unit, the most specific first: one change tells a person once. */
export const inboxKinds = ['Assigned', 'Approval', 'Mentioned', 'CallMe', 'Reply', 'AssignedToGroup', 'Watched'] as const;
export type InboxKind = (typeof inboxKinds)[number];

/** What the caller should look at; everybody sees items of their own only, in tenants whose work units they may view. */
export const inboxItems = defineResource({
  name: 'inboxItems',
  label: 'Inbox Item',
  plural: 'Inbox',
  about: 'A work unit that the caller should look at, and why. Each person sees only their own items.',
  key: 'inboxItemId',
  title: 'detail',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'due desc',
  fields: {
    inboxItemId: f.key('Inbox item ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    workUnitId: f.refNumber('Work unit', 'workUnits', { write: 'never' }),
    kind: f.choice('Why', inboxKinds, { write: 'never' }),
    /** The text of the note, or what has changed; empty for a kind that says everything. */
    detail: f.text('Detail', { write: 'never', max: 4_000, search: true }),
    createdBy: f.person('By', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    /** When the item is shown; in the future while it is snoozed. */
    due: f.timestamp('Due', { write: 'never' }),
    readAt: optional(f.timestamp('Read', { write: 'never' })),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
