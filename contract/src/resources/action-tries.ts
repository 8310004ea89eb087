import { defineResource, f, one, optional } from '../resource.ts';

/** One try of an execution: what was sent to which address, and the answer. Secrets are masked. */
export const actionTries = defineResource({
  name: 'actionTries',
  label: 'Action Try',
  plural: 'Action Tries',
  key: 'actionTryId',
  title: 'target',
  area: 'ActionDefinitions',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'started desc',
  fields: {
    actionTryId: f.serial('Action try ID'),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    actionHistoryId: f.refNumber('Execution', 'actionHistories', { write: 'never' }),
    workUnitId: optional(f.refNumber('Work unit', 'workUnits', { write: 'never' })),
    number: f.int('Try', { write: 'never' }),
    started: f.timestamp('Started', { write: 'never' }),
    /** How long the try took; null while it is running. If it is null and `error` is set, the worker ended during the try. */
    durationMs: optional(f.int('Duration in ms', { write: 'never' })),
    target: f.text('Target', { write: 'never', max: 2_000 }),
    sent: optional(f.text('Sent', { write: 'never', max: 5_000, sort: false })),
    /** Status code of the HTTP answer, or of the answer of the mail server. */
    status: optional(f.int('Status', { write: 'never' })),
    error: optional(f.text('Error', { write: 'never', max: 2_000 })),
  },
  relations: { tenant: one('tenants', 'tenantId'), actionHistory: one('actionHistories', 'actionHistoryId') },
});
