import { communicationStatuses } from '../enums.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';

const text = { max: 4_000, sort: false } as const;

/** A report about an event for customers and staff (COMM-020..035). */
export const workUnitCommunications = defineResource({
  name: 'workUnitCommunications',
  label: 'Communication',
  plural: 'Work Unit Communications',
  key: 'workUnitCommunicationId',
  title: 'title',
  area: 'WorkUnitCommunications',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'created desc',
  fields: {
    workUnitCommunicationId: f.serial('Communication ID'),
    publicWorkUnitCommunicationId: f.bigint('ID', { write: 'never' }),
    title: f.text('Title', { required: true, search: true, max: 500, input: 'text' }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    serviceManager: optional(f.person('Service Manager', { search: true })),
    status: f.choice(
      'Status',
      communicationStatuses.map((s) => s.value),
      { initial: 'Investigating', choices: communicationStatuses },
    ),
    details: optional(f.text('Details', { ...text, search: true })),
    customerAssistanceRequired: f.boolean('Customer Assistance Required'),
    rootCause: optional(f.text('Root Cause', text)),
    eventStarted: optional(f.timestamp('Event Started')),
    eventEngaged: optional(f.timestamp('Event Engaged')),
    eventMitigated: optional(f.timestamp('Event Mitigated')),
    eventResolved: optional(f.timestamp('Event Resolved')),
    nextUpdate: optional(f.timestamp('Next Customer Update')),
    nextInternalUpdate: optional(f.timestamp('Next Internal Update')),
    maximumImpact: optional(f.text('Maximum Impact', text)),
    currentImpact: optional(f.text('Current Impact', text)),
    impactedServices: optional(f.text('Impacted Services', text)),
    /** Shows the communication, with its texts for customers, on the status page: see `statusPages`. */
    isPublic: f.boolean('On the Status Page'),
    internalBridge: optional(f.text('Internal Bridge', { max: 2_000, input: 'text' })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    /** Time of the last change by a person or a token; changes by the server do not count. */
    userChanged: f.timestamp('Last Updated', { write: 'never' }),
    userChangedBy: f.person('Last Updated by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnits: many('communicationWorkUnits', 'workUnitCommunicationId'),
    workUnitCommunicationActivities: many('workUnitCommunicationActivities', 'workUnitCommunicationId'),
  },
});
