/** Calls about maintenance: what is in it now, what it holds, and its early end. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** What holds an entity: a maintenance, the window of an approved change, or a rule of type Maintenance. */
const holder = z.object({
  kind: z.enum(['window', 'change', 'rule']),
  /** Of the maintenance or the rule. */
  id: z.string(),
  name: z.string(),
  /** Null for a rule, which recurs. */
  until: z.string().nullable(),
  /** Of the change. */
  workUnitId: z.number().nullable(),
  publicWorkUnitId: z.number().nullable(),
  /** Whether only matches that the change expects are held. */
  expectedOnly: z.boolean(),
});
export type MaintenanceHolder = z.infer<typeof holder>;

/** Which of these devices, device operations and blocks are in maintenance now, and by what. Others are not in the answer. */
export const maintenanceNow = defineAction({
  name: 'maintenanceNow',
  method: 'POST',
  path: '/v1/maintenance/now',
  access: { area: 'Devices', verb: 'view' },
  input: z.object({ entityIds: z.array(guidSchema).min(1).max(500, 'At most 500 entities in one call.') }),
  output: z.object({ value: z.array(z.object({ entityId: z.string(), by: z.array(holder) })) }),
});

const heldByOne = z.object({
  maintenanceWindowId: z.string(),
  /** Its devices, those of its location too. */
  devices: z.int(),
  /** Open matches in it; 0 when it is not running. */
  matches: z.int(),
  /** Of these matches, those whose actions wait for the end. */
  waiting: z.int(),
  /** The first of these matches. */
  first: z.array(z.object({ ruleMatchId: z.string(), label: z.string(), since: z.string(), waits: z.boolean() })),
});
export type MaintenanceHeld = z.infer<typeof heldByOne>;

/** What these maintenances hold now. */
export const maintenanceHeld = defineAction({
  name: 'maintenanceHeld',
  method: 'POST',
  path: '/v1/maintenance/held',
  access: { area: 'Maintenance', verb: 'view' },
  input: z.object({ ids: z.array(guidSchema).min(1).max(100, 'At most 100 maintenances in one call.') }),
  output: z.object({ value: z.array(heldByOne) }),
});

/** Ends a maintenance now, also one that has not begun. What it holds runs within seconds if it is still open. */
export const endMaintenance = defineAction({
  name: 'endMaintenance',
  method: 'POST',
  path: '/v1/maintenance/end/{id}',
  access: { area: 'Maintenance', verb: 'edit' },
  input: z.object({ id: guidSchema }),
});
