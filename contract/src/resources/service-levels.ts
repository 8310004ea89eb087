import { z } from 'zod/mini';
import { severities } from '../enums.ts';
import { holidays, restriction, timeZone } from '../on-call/hours-fields.ts';
import type { Restriction } from '../on-call/shifts.ts';
import { defineResource, f, many, one, optional } from '../resource.ts';
import { clockKinds, clockStates, type ClockPeriod } from '../service-levels/clocks.ts';
import type { WorkingHours } from '../service-levels/working-time.ts';

/** When people work: the hours that count for service levels. */
export const workingCalendars = defineResource({
  name: 'workingCalendars',
  label: 'Working Calendar',
  plural: 'Working Calendars',
  about: 'Working hours and holidays in a time zone, by which service levels count. One without a tenant is for all tenants.',
  key: 'workingCalendarId',
  title: 'name',
  area: 'WorkUnits.ServiceLevels',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    workingCalendarId: f.key('Working calendar ID'),
    name: f.text('Name', { required: true, search: true }),
    timeZone,
    hours: f.json(
      'Working hours',
      () =>
        z
          .array(restriction())
          .check(z.minLength(1, 'A calendar has at least one line of working hours.'), z.maxLength(20, 'A calendar has at most 20 lines.')),
      { required: true, initial: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }] as Restriction[], input: 'multiline' },
    ),
    holidays,
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), serviceLevels: many('serviceLevels', 'workingCalendarId') },
});

const minutes = (label: string, help: string) => optional(f.int(label, { min: 1, max: 525_600, help }));

/** How soon a unit is acknowledged, answered and resolved. Of the levels that fit a unit, the most specific one holds. */
export const serviceLevels = defineResource({
  name: 'serviceLevels',
  label: 'Service Level',
  plural: 'Service Levels',
  about:
    'Targets for work units. Of the levels that fit a unit one holds: one that names its tenant before others, then its category, its severity, its type.',
  key: 'serviceLevelId',
  title: 'name',
  area: 'WorkUnits.ServiceLevels',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    serviceLevelId: f.key('Service level ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    workUnitTypeId: optional(f.refNumber('Work Unit Type', 'workUnitTypes', { help: 'Empty: all types' })),
    workUnitCategoryId: optional(f.ref('Category', 'workUnitCategories', { help: 'Empty: all categories' })),
    severityId: optional(f.choice('Severity', severities, { help: 'Empty: all severities' })),
    acknowledgeMinutes: minutes('Minutes to acknowledge', 'From when the unit is opened; empty: no target'),
    firstAnswerMinutes: minutes('Minutes to first answer', 'Until an external note or a public communication; empty: no target'),
    resolveMinutes: minutes('Minutes to resolve', 'From when the unit is opened; empty: no target'),
    nextUpdateMinutes: minutes('Minutes to next update', 'From each answer to the customer; empty: no target'),
    warnPercent: f.int('Warns at percent', { min: 1, max: 100, initial: 75, help: 'Of the time of each target' }),
    workingCalendarId: optional(f.ref('Working Calendar', 'workingCalendars', { help: 'Empty: all hours count' })),
    pausesOnHold: f.boolean('Paused on hold', { initial: true }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitType: one('workUnitTypes', 'workUnitTypeId'),
    workUnitCategory: one('workUnitCategories', 'workUnitCategoryId'),
    workingCalendar: one('workingCalendars', 'workingCalendarId'),
  },
});

const never = { write: 'never' } as const;
/** Only the server writes these, so clients need no schema. */
const calendarOfClock = () => z.object({ timeZone: z.string(), hours: z.array(restriction()), holidays: z.array(z.string()) });
const clockPeriod = () => z.object({ from: z.number(), to: z.nullable(z.number()) });

/** A clock of a work unit with the terms of the level that held when it began, and when it ran. */
export const workUnitClocks = defineResource({
  name: 'workUnitClocks',
  label: 'Clock',
  plural: 'Clocks of work units',
  about: 'What a service level promised for a work unit, when its clock ran, and whether the promise was kept.',
  key: 'workUnitClockId',
  title: 'levelName',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list'],
  orderBy: 'started desc',
  fields: {
    workUnitClockId: f.serial('Clock ID'),
    workUnitId: f.bigint('Work unit ID', never),
    tenantId: f.ref('Tenant', 'tenants', never),
    kind: f.choice('Kind', clockKinds, never),
    state: f.choice('State', clockStates, never),
    serviceLevelId: f.guid('Service level ID', never),
    levelName: f.text('Service Level', never),
    targetMinutes: f.int('Minutes', never),
    warnPercent: f.int('Warns at percent', never),
    pausesOnHold: f.boolean('Paused on hold', never),
    /** The working hours that count; null: all time does. */
    calendar: optional(f.json<WorkingHours>('Working hours', calendarOfClock, never)),
    started: f.timestamp('Started', never),
    ended: optional(f.timestamp('Ended', never)),
    /** Of a clock that runs or is breached. */
    dueAt: optional(f.timestamp('Due', never)),
    warnAt: optional(f.timestamp('Warns at', never)),
    warned: optional(f.timestamp('Warned', never)),
    breached: optional(f.timestamp('Breached', never)),
    /** Working time in milliseconds that an earlier clock brought along. */
    carriedMs: f.bigint('Milliseconds before', never),
    /** When it ran: epoch milliseconds; the last one has no end while it runs. */
    periods: f.json<readonly ClockPeriod[]>('Ran', () => z.array(clockPeriod()), never),
  },
  relations: { tenant: one('tenants', 'tenantId'), workUnit: one('workUnits', 'workUnitId') },
});
