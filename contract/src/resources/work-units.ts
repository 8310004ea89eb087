import { efforts, experienceScores, severities, sources, workUnitStates } from '../enums.ts';
import { defineResource, f, many, one, optional, type Field } from '../resource.ts';

const slots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
type Slot = (typeof slots)[number];

const customValues = Object.fromEntries(
  slots.map((n) => [`customValue${n}`, optional(f.text(`Custom value ${n}`, { sort: false }))]),
) as Record<`customValue${Slot}`, Field<string | null>>;

const plan = { max: 4_000, sort: false } as const;

/** Incident, change request or request: one table, one state machine (WU-078..100, CHG). */
export const workUnits = defineResource({
  name: 'workUnits',
  label: 'Work Unit',
  plural: 'Work Units',
  key: 'workUnitId',
  title: 'title',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'export'],
  orderBy: 'severityId asc,created desc',
  spellings: { expectedCfsAlerts: 'expectedCFSAlerts' },
  parameters: { approverEmail: ['approver1', 'approver2'] },
  fields: {
    workUnitId: f.serial('Work unit ID'),
    publicWorkUnitId: f.bigint('ID', { write: 'never' }),
    internalWorkUnitId: optional(f.text('Internal work unit ID')),
    title: f.text('Title', { required: true, min: 3, max: 500, input: 'text', search: true, message: 'Please enter the title' }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    resolution: optional(f.text('Resolution', { max: 4_000 })),
    severityId: f.choice('Severity', severities, { required: true, initial: 'Sev0', message: 'Please choose a severity.' }),
    stateId: f.choice('State', workUnitStates, { initial: 'New' }),
    assignedTo: optional(f.text('Assigned To', { max: 320, search: true })),
    assignmentGroup: optional(f.text('Assignment Group')),
    source: optional(f.choice('Source', sources)),
    category: optional(f.text('Category name')),
    protocolId: optional(f.ref('Protocol', 'protocols')),
    workUnitTypeId: f.refNumber('Work Unit Type', 'workUnitTypes', { required: true, message: 'Please choose a work unit type.' }),
    workUnitCategoryId: optional(f.ref('Category', 'workUnitCategories')),
    workUnitSubcategoryId: optional(f.ref('Subcategory', 'workUnitSubcategories')),
    effort: optional(
      f.code(
        'Effort',
        efforts.map((value) => ({ value, label: String(value) })),
      ),
    ),
    tenantId: f.ref('Tenant', 'tenants', { required: true }),
    referenceId: optional(f.text('Reference ID', { search: true })),
    referenceUrl: optional(
      f.text('Reference URL', {
        max: 2_000,
        input: 'text',
        pattern: /^https?:\/\//i,
        message: 'Reference URL must start with http:// or https://.',
      }),
    ),
    stakeHolderFullName: optional(f.text('Stakeholder Name', { search: true })),
    stakeHolderPhoneNumber: optional(f.text('Stakeholder Phone', { max: 60, search: true })),
    stakeHolderEmailAddress: optional(f.text('Stakeholder Email', { max: 320, search: true })),
    stakeHolderExperienceScore: optional(f.choice('Satisfaction', experienceScores)),
    isSpamCall: f.boolean('Spam call'),
    properties: optional(f.text('Properties', { max: 100_000, sort: false })),
    ...customValues,
    implementationPlan: optional(f.text('Implementation Plan', plan)),
    rollbackPlan: optional(f.text('Rollback Plan', plan)),
    affectedResources: optional(f.text('Affected Resources', plan)),
    securityConsiderations: optional(f.text('Security Considerations', plan)),
    userImpact: optional(f.text('User Impact', plan)),
    costImpact: optional(f.text('Cost Impact', plan)),
    environment: optional(f.text('Environment')),
    expectedCFSAlerts: optional(f.text('Expected CFS Alerts', plan)),
    plannedStartTime: optional(f.timestamp('Planned Start Time')),
    plannedFinishTime: optional(f.timestamp('Planned Finish Time')),
    requestedChangeWindow: optional(f.text('Requested Change Window')),
    implementer: optional(f.text('Implementer', { max: 320 })),
    approver1: optional(f.text('Approver 1', { max: 320 })),
    approver2: optional(f.text('Approver 2', { max: 320 })),
    isApproverRequired: f.boolean('Approver 2 Required', { initial: true }),
    plannedOutage: optional(f.boolean('Planned Outage', { write: 'never' })),
    approved1By: optional(f.text('Approved 1 by', { write: 'never', max: 320 })),
    approved2By: optional(f.text('Approved 2 by', { write: 'never', max: 320 })),
    declined1By: optional(f.text('Declined 1 by', { write: 'never', max: 320 })),
    declined2By: optional(f.text('Declined 2 by', { write: 'never', max: 320 })),
    decision1Notes: optional(f.text('Decision 1 notes', { write: 'never', max: 4_000 })),
    decision2Notes: optional(f.text('Decision 2 notes', { write: 'never', max: 4_000 })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.text('Created by', { write: 'never', max: 320 }),
    modified: f.timestamp('Last Updated', { write: 'never' }),
    modifiedBy: f.text('Modified by', { write: 'never', max: 320 }),
    resolved: optional(f.timestamp('Resolved', { write: 'never' })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitType: one('workUnitTypes', 'workUnitTypeId'),
    protocol: one('protocols', 'protocolId'),
    workUnitCategory: one('workUnitCategories', 'workUnitCategoryId'),
    workUnitSubcategory: one('workUnitSubcategories', 'workUnitSubcategoryId'),
    relations: many('workUnitRelations', 'workUnitId'),
    notes: many('workUnitNotes', 'workUnitId'),
    externalNotes: many('externalNotes', 'workUnitId'),
  },
});
