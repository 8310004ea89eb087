import { defineResource, f, one } from '../resource.ts';

/** Events of a block other than its values (BLK-013). */
export const blockLogs = defineResource({
  name: 'blockLogs',
  label: 'Block Log Entry',
  plural: 'Block Log',
  key: 'logEntryId',
  title: 'detail',
  area: 'Blocks',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'created desc',
  fields: {
    logEntryId: f.serial('Log entry ID'),
    blockId: f.ref('Block', 'blocks', { write: 'never' }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    detail: f.text('Detail', { write: 'never', max: 4_000, search: true }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), block: one('blocks', 'blockId') },
});
