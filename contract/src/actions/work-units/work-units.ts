/** Calls about work units beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { permission, type Permission } from '../../permissions.ts';
import { guidSchema } from '../../resource.ts';

const workUnitId = z.coerce.number().int().positive();

export const historyEntry = z.object({
  id: z.number(),
  detail: z.string(),
  created: z.string(),
  createdBy: z.string(),
  isExternalNote: z.boolean(),
  isFromCustomer: z.boolean(),
  /** Whether the entry says that something did not work. */
  isWarning: z.boolean(),
  historyType: z.string().nullable(),
  historyUrl: z.string().nullable(),
  field: z.string().nullable(),
  oldValue: z.string().nullable(),
  newValue: z.string().nullable(),
  /** Of a note that came by mail: its sender, what was found about the sender, and the file with the whole mail. */
  mailFrom: z.string().nullish(),
  mailChecks: z.string().nullish(),
  mailFileId: z.string().nullish(),
  /** The number of the merged unit that the entry is of; none for an entry of the unit itself. */
  mergedNumber: z.number().optional(),
});

/** A unit that is merged with another: `isInto` is the one that stays, the others are its duplicates. */
const mergedUnit = z.object({ workUnitId: z.number(), publicWorkUnitId: z.number(), title: z.string(), isInto: z.boolean() });

export const workUnitHistory = defineAction({
  name: 'GetWorkUnitHistoryRecords',
  method: 'GET',
  path: '/v1/workunits/GetWorkUnitHistoryRecords(workUnitId={workUnitId})',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Notes and history, newest first, with those of the duplicates that are merged into the unit; `merges` names these, and the unit that it is merged into.',
  input: z.object({ workUnitId }),
  output: z.object({ value: z.array(historyEntry), merges: z.array(mergedUnit).optional() }),
});

export const workUnitAt = defineAction({
  name: 'GetWorkUnitAt',
  method: 'GET',
  path: '/v1/workunits/GetWorkUnitAt(workUnitId={workUnitId},entryId={entryId})',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'The unit right after an entry of its feed. `names` maps the ids that the unit referred to, then or now, to their names. 404 when the audit has no entry of that time that the caller may see.',
  input: z.object({ workUnitId, entryId: z.coerce.number().int().positive() }),
  output: z.object({ unit: rowOf('workUnits'), names: z.record(z.string(), z.string()) }),
});

export const openOverTime = defineAction({
  name: 'GetOpenOverTime',
  method: 'GET',
  path: '/v1/workunits/GetOpenOverTime(days={days},minutes={minutes})',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    "Counts the open units of a tenant, or of all tenants of the caller, at the end of each of the last `days` days, by the severity and state that they had then. `minutes` is the caller's UTC offset; days begin by it.",
  input: z.object({
    days: z.coerce.number().int().min(1).max(92),
    minutes: z.coerce.number().int().min(-840).max(840),
    tenantId: z.optional(guidSchema),
  }),
  output: z.object({
    value: z.array(z.object({ day: z.iso.date(), severityId: z.string(), stateId: z.string(), n: z.number() })),
  }),
});

/** One of these permissions is needed to list assignment groups. Requesters (`view:mine`) do not assign work units. */
export const choosesGroups: readonly Permission[] = [
  permission('WorkUnits', 'view'),
  permission('WorkUnits', 'create'),
  permission('WorkUnits', 'edit'),
  permission('Tenants', 'view'),
];

export const assignmentGroups = defineAction({
  name: 'assignmentGroups',
  method: 'GET',
  path: '/v1/tenants/{id}/assignmentGroups',
  access: { anyOf: choosesGroups },
  about: 'The groups of a tenant to which work units can be assigned.',
  input: z.object({ id: guidSchema }),
  output: z.array(z.string()),
});
