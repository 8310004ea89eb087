import { viewMine } from '../permissions.ts';
import { defineResource, f } from '../resource.ts';

const never = { write: 'never' } as const;

/** The notes that requesters may read, on work units that the caller may see (WU-092, RC-015). */
export const externalNotes = defineResource({
  name: 'externalNotes',
  label: 'External Note',
  plural: 'External Notes',
  key: 'workUnitNoteId',
  title: 'detail',
  area: 'WorkUnits',
  viewedWith: [viewMine],
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    workUnitNoteId: f.serial('Note ID'),
    workUnitId: f.bigint('Work unit ID', never),
    detail: f.text('Note', { ...never, search: true, max: 4_000 }),
    /** Whether the customer has written it; otherwise it is to the customer. */
    isFromCustomer: f.boolean('From the customer', never),
    created: f.timestamp('Created', never),
    tenantId: f.guid('Tenant ID', never),
  },
});
