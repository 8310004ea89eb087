import { defineResource, f, one, optional } from '../resource.ts';

/** How a call back ended. After NotReached, a new one waits. */
export const callBackOutcomes = ['Reached', 'NotReached', 'NotNeeded'] as const;
export type CallBackOutcome = (typeof callBackOutcomes)[number];

const never = { write: 'never' } as const;

/** Calls that customers have asked for by Call Me; a work unit has at most one that is open. */
export const callBacks = defineResource({
  name: 'callBacks',
  label: 'Call Back',
  plural: 'Call Backs',
  about: 'A call that a customer has asked for about a work unit: until when it was promised, who has taken it, and how it ended.',
  key: 'callBackId',
  title: 'phone',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'due asc',
  fields: {
    callBackId: f.key('Call back ID'),
    tenantId: f.ref('Tenant', 'tenants', never),
    workUnitId: f.refNumber('Work unit', 'workUnits', never),
    phone: optional(f.text('Phone', { ...never, max: 60 })),
    requestedBy: f.person('Requested by', never),
    created: f.timestamp('Created', never),
    /** Until when the call was promised. */
    due: f.timestamp('Due', never),
    /** How many times those on call, or whoever has taken it, were to be told of it; the feed of the unit says who was. */
    toldTimes: f.int('Rounds', never),
    takenBy: optional(f.person('Taken by', never)),
    takenAt: optional(f.timestamp('Taken', never)),
    closedBy: optional(f.person('Closed by', never)),
    closedAt: optional(f.timestamp('Closed', never)),
    outcome: optional(f.choice('Outcome', callBackOutcomes, never)),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
