/** Calls about maintenance: entities in maintenance, held matches, early end; and about the plan and review of changes. */
import { z } from 'zod';
import { defineAction, defineList } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** Why an entity is in maintenance: a maintenance window, the window of an approved change, or a rule of type Maintenance. */
const holder = z.object({
  kind: z.enum(['window', 'change', 'rule']),
  /** The id of the maintenance or the rule. */
  id: z.string(),
  name: z.string(),
  /** Null for a rule, which recurs. */
  until: z.string().nullable(),
  /** The work unit of the change. */
  workUnitId: z.number().nullable(),
  publicWorkUnitId: z.number().nullable(),
  /** Whether only matches that the change expects are held. */
  expectedOnly: z.boolean(),
  /** Since when it holds the matches of this entity; null for a rule. */
  since: z.string().nullable(),
  /** The selection because of which the entity is in the maintenance. */
  selection: z.nullable(z.object({ deviceSelectionId: z.string(), name: z.string() })),
});
export type MaintenanceHolder = z.infer<typeof holder>;

export const maintenanceNow = defineAction({
  name: 'maintenanceNow',
  method: 'POST',
  path: '/v1/maintenance/now',
  reads: true,
  access: { area: 'Devices', verb: 'view' },
  about: 'Which of these devices, device operations and blocks are in maintenance now, and by what. Others are not in the answer.',
  input: z.object({ entityIds: z.array(guidSchema).min(1).max(500, 'At most 500 entities in one call.') }),
  output: z.object({ value: z.array(z.object({ entityId: z.string(), by: z.array(holder) })) }),
});

const heldByOne = z.object({
  maintenanceWindowId: z.string(),
  /** The number of devices of the maintenance, including those of its location, selection or filter. */
  devices: z.int(),
  /** The open matches of these devices that belong to the maintenance; 0 while it is not running. */
  matches: z.int(),
  /** Those of `matches` whose actions wait for the end of the maintenance. */
  waiting: z.int(),
  /** The newest of `matches`. */
  first: z.array(z.object({ ruleMatchId: z.string(), label: z.string(), since: z.string(), waits: z.boolean() })),
});
export type MaintenanceHeld = z.infer<typeof heldByOne>;

export const devicesInMaintenance = defineList({
  name: 'GetDevicesInMaintenance',
  path: '/v1/devices/GetDevicesInMaintenance(maintenanceWindowId={maintenanceWindowId})',
  access: { area: 'Devices', verb: 'view' },
  about:
    'The devices of a maintenance of a filter or a selection: those that matched the filter when it started and since, or are in the selection; after its end, all that were in it meanwhile.',
  of: 'devices',
  input: z.object({ maintenanceWindowId: guidSchema }),
});

export const maintenanceHeld = defineAction({
  name: 'maintenanceHeld',
  method: 'POST',
  path: '/v1/maintenance/held',
  reads: true,
  access: { area: 'Maintenance', verb: 'view' },
  about: 'What these maintenances hold now.',
  input: z.object({ ids: z.array(guidSchema).min(1).max(100, 'At most 100 maintenances in one call.') }),
  output: z.object({ value: z.array(heldByOne) }),
});

export const endMaintenance = defineAction({
  name: 'endMaintenance',
  method: 'POST',
  path: '/v1/maintenance/end/{id}',
  access: { area: 'Maintenance', verb: 'edit' },
  about: 'Ends a maintenance now, also one that has not begun. What it holds runs within seconds if it is still open.',
  input: z.object({ id: guidSchema }),
});

const collision = z.object({
  /** A maintenance, a change (approved or not), a rule of type Maintenance, or a change freeze, which is about every change. */
  kind: z.enum(['window', 'change', 'rule', 'freeze']),
  id: z.string(),
  name: z.string(),
  /** Null for a rule, which recurs. */
  from: z.string().nullable(),
  until: z.string().nullable(),
  /** The work unit of the change. */
  workUnitId: z.number().nullable(),
  publicWorkUnitId: z.number().nullable(),
  /** The number of devices of the planned change that this entry affects too. */
  devices: z.int(),
  /** The names of the first of these devices. */
  first: z.array(z.string()),
});
export type PlanCollision = z.infer<typeof collision>;

const instant = (name: string) => z.iso.datetime({ offset: true, error: `${name} must be a date and time, as in 2026-05-01T08:00:00Z.` });

export const planCollisions = defineAction({
  name: 'planCollisions',
  method: 'POST',
  path: '/v1/maintenance/collisions',
  reads: true,
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'What else happens in this time: change freezes and, to these devices, other changes that are not over, maintenances, and maintenance rules.',
  input: z.object({
    tenantId: guidSchema,
    deviceIds: z.array(guidSchema).max(1_000, 'At most 1000 devices in one call.'),
    from: instant('from'),
    until: instant('until'),
    /** The change that is planned. */
    workUnitId: z.int().optional(),
  }),
  output: z.object({ value: z.array(collision) }),
});

const reviewedDevice = z.object({
  deviceId: z.string(),
  name: z.string(),
  /** Matches that opened before the change: in a period as long as the change, or earlier if they are still open. */
  before: z.int(),
  /** Matches that opened during the change, and those of `during` that the change did not expect. */
  during: z.int(),
  unexpected: z.int(),
  /** Matches that opened since the end of the change. */
  after: z.int(),
  /** Matches that are open now. */
  open: z.int(),
  lastPacket: z.string().nullable(),
  /**
   * Whether the device has reported since the end of the change or, until then, within the last five minutes; null before the
   * start of the change.
   */
  reports: z.boolean().nullable(),
  /** Packages whose status on the device has changed since the start of the change. */
  versions: z.array(z.object({ package: z.string(), version: z.string().nullable(), status: z.string(), at: z.string() })),
});

const review = z.object({
  plannedStart: z.string().nullable(),
  plannedFinish: z.string().nullable(),
  /** When the change became InProgress, and when it was resolved, closed or canceled. */
  actualStart: z.string().nullable(),
  actualFinish: z.string().nullable(),
  devices: z.array(reviewedDevice),
  /** The number of devices of the plan that are not listed. */
  leftOut: z.int(),
});
export type ChangeReview = z.infer<typeof review>;

export const changeReview = defineAction({
  name: 'changeReview',
  method: 'GET',
  path: '/v1/workunits/{workUnitId}/changeReview',
  access: { area: 'WorkUnits', verb: 'view' },
  about: 'Compares the plan of a change with what packets, matches and installations of its devices say.',
  input: z.object({ workUnitId: z.coerce.number({ error: 'workUnitId is a number.' }).int().positive() }),
  output: review,
});
