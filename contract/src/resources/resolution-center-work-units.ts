import { experienceScores, resolutionCenterStatuses, workUnitStates } from '../enums.ts';
import { viewMine } from '../permissions.ts';
import { defineResource, f, many, optional } from '../resource.ts';

const never = { write: 'never' } as const;

/**
 * The requests of the caller, with the fields that requesters may see (RC-010..019). Internal fields are not declared here, so
 * that no query can read them. `resolution` has a value only in states that end a request.
 */
export const resolutionCenterWorkUnits = defineResource({
  name: 'resolutionCenterWorkUnits',
  label: 'Request',
  plural: 'Requests',
  key: 'workUnitId',
  title: 'title',
  area: 'WorkUnits',
  viewedWith: [viewMine],
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    workUnitId: f.serial('Internal ID'),
    publicWorkUnitId: f.bigint('Work Unit ID', never),
    created: f.timestamp('Created', never),
    title: f.text('Title', { ...never, search: true, max: 500 }),
    description: optional(f.text('Description', { ...never, search: true, max: 4_000 })),
    referenceUrl: optional(f.text('Reference URL', { ...never, max: 2_000 })),
    /** Names of the category and the subcategory. */
    service: optional(f.text('Service', { ...never, search: true })),
    need: optional(f.text('Need', { ...never, search: true })),
    stateId: f.choice('State', workUnitStates, never),
    status: f.choice('Status', resolutionCenterStatuses, never),
    resolution: optional(f.text('Resolution', { ...never, max: 4_000 })),
    workUnitTypeId: f.bigint('Work Unit Type', never),
    workUnitCategoryId: optional(f.guid('Service ID', never)),
    workUnitSubcategoryId: optional(f.guid('Need ID', never)),
    stakeHolderFullName: optional(f.text('Name', never)),
    stakeHolderPhoneNumber: optional(f.text('Phone', never)),
    stakeHolderEmailAddress: optional(f.text('Email', { ...never, max: 320 })),
    stakeHolderExperienceScore: optional(f.choice('Satisfaction', experienceScores, never)),
    modified: f.timestamp('Last Updated', never),
    resolved: optional(f.timestamp('Resolved', never)),
    /** While a call back is open: until when it was promised, and since when somebody has taken it. */
    callDue: optional(f.timestamp('Call promised until', never)),
    callTaken: optional(f.timestamp('Call taken', never)),
    /** Whether a person or a group works on it; names are internal. */
    isAssigned: f.boolean('Assigned', never),
    /** When the next news is expected. */
    nextUpdate: optional(f.timestamp('Next update', never)),
    /** Whether the request is on hold until the customer answers. */
    waitsForCustomer: f.boolean('Waits for you', never),
    tenantId: f.guid('Tenant ID', never),
  },
  relations: { externalNotes: many('externalNotes', 'workUnitId') },
});
