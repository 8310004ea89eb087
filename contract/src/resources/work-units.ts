import { z } from 'zod/mini';
import { efforts, experienceScores, severities, sources, workUnitStates } from '../enums.ts';
import { defineResource, f, guidSchema, many, one, optional, type Field } from '../resource.ts';
import { customFieldSlots, type CustomFieldSlot } from './tenants.ts';

const customValues = Object.fromEntries(
  customFieldSlots.map((n) => [`customValue${n}`, optional(f.text(`Custom value ${n}`, { sort: false, search: true }))]),
) as Record<`customValue${CustomFieldSlot}`, Field<string | null>>;

const changeIds = (max: number, message: string) => z.array(guidSchema).check(z.maxLength(max, message));

const plan = { max: 4_000, sort: false } as const;

/** What a unit on hold waits for. While it waits for the customer, a message of the customer lets it go on. */
export const holdReasons = ['Customer', 'Supplier', 'Change'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** Incident, change request or request: one table, one state machine (WU-078..100, CHG). */
export const workUnits = defineResource({
  name: 'workUnits',
  label: 'Work Unit',
  plural: 'Work Units',
  key: 'workUnitId',
  title: 'title',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: ['severityId asc', 'created desc'],
  fields: {
    workUnitId: f.serial('Work unit ID'),
    publicWorkUnitId: f.bigint('ID', { write: 'never', search: true }),
    internalWorkUnitId: optional(f.text('Internal work unit ID', { search: true })),
    title: f.text('Title', { required: true, min: 3, max: 500, input: 'text', search: true, message: 'Please enter the title' }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    resolution: optional(f.text('Resolution', { max: 4_000, search: true })),
    severityId: f.choice('Severity', severities, { required: true, initial: 'Sev0', message: 'Please choose a severity.' }),
    stateId: f.choice('State', workUnitStates, { initial: 'New' }),
    /** Only On Hold; null: for no reason that the product acts on. */
    holdReason: optional(f.choice('Waiting For', holdReasons)),
    assignedTo: optional(f.person('Assigned To', { search: true, sharedValues: true })),
    assignmentGroup: optional(f.text('Assignment Group', { sharedValues: true })),
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
    /**
     * During the planned time of the approved change, expected matches of these devices are held. Work units that other matches
     * of these devices open get a severity one step higher.
     */
    affectedDevices: f.json('Affected Devices', () => changeIds(1_000, 'A change has at most 1000 devices.'), {
      initial: [] as string[],
      input: 'multiline',
    }),
    /** Rules whose matches on the affected devices are expected, so that these matches call nobody. */
    expectedRules: f.json('Expected Rules', () => changeIds(200, 'A change expects at most 200 rules.'), {
      initial: [] as string[],
      input: 'multiline',
    }),
    expectsSilence: f.boolean('Silence and states are expected'),
    requestedChangeWindow: optional(f.text('Requested Change Window')),
    implementer: optional(f.person('Implementer')),
    approver1: optional(f.person('Approver 1')),
    approver2: optional(f.person('Approver 2')),
    isApproverRequired: f.boolean('Approver 2 Required', { initial: true }),
    plannedOutage: optional(f.boolean('Planned Outage', { write: 'never' })),
    approved1By: optional(f.person('Approved 1 by', { write: 'never' })),
    approved2By: optional(f.person('Approved 2 by', { write: 'never' })),
    declined1By: optional(f.person('Declined 1 by', { write: 'never' })),
    declined2By: optional(f.person('Declined 2 by', { write: 'never' })),
    decision1Notes: optional(f.text('Decision 1 notes', { write: 'never', max: 4_000 })),
    decision2Notes: optional(f.text('Decision 2 notes', { write: 'never', max: 4_000 })),
    approvalOverriddenBy: optional(f.person('Approval overridden by', { write: 'never' })),
    ruleId: optional(f.ref('Rule', 'rules', { write: 'never' })),
    occurrences: f.int('Occurrences', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Last Updated', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
    resolved: optional(f.timestamp('Resolved', { write: 'never' })),
    /** Since when the steps of the protocol for New have run out without an acknowledgement. */
    unansweredSince: optional(f.timestamp('Unanswered since', { write: 'never' })),
    /** Until when nobody needs to look at it, unless something changes before, and who said so. */
    snoozedUntil: optional(f.timestamp('Snoozed until', { write: 'never' })),
    snoozedBy: optional(f.person('Snoozed by', { write: 'never' })),
    /** Of the clocks of its service level that run: when the first one is due, and when the first one warns. */
    clockDue: optional(f.timestamp('Due', { write: 'never' })),
    clockWarn: optional(f.timestamp('Due soon from', { write: 'never' })),
    /** When a clock of it last warned, and when one was last breached. */
    levelWarned: optional(f.timestamp('Service level warned', { write: 'never' })),
    levelBreached: optional(f.timestamp('Service level breached', { write: 'never' })),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitType: one('workUnitTypes', 'workUnitTypeId'),
    protocol: one('protocols', 'protocolId'),
    rule: one('rules', 'ruleId'),
    workUnitCategory: one('workUnitCategories', 'workUnitCategoryId'),
    workUnitSubcategory: one('workUnitSubcategories', 'workUnitSubcategoryId'),
    relations: many('workUnitRelations', 'workUnitId'),
    notes: many('workUnitNotes', 'workUnitId'),
    externalNotes: many('externalNotes', 'workUnitId'),
    clocks: many('workUnitClocks', 'workUnitId'),
  },
});
