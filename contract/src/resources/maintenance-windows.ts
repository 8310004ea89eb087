import { z } from 'zod/mini';
import { defineResource, f, guidSchema, one, optional } from '../resource.ts';

/** The maximum number of devices that one maintenance lists by id. */
export const maintenanceDevicesMax = 1_000;

/** The maximum number of devices that a filter of a maintenance matches when it is started. */
export const filteredDevicesMax = 25_000;

/** The maximum length of a maintenance in days. A recurring maintenance is a rule of type Maintenance. */
export const maintenanceDaysMax = 92;

const ids = (max: number, message: string) => z.array(guidSchema).check(z.maxLength(max, message));

export const maintenanceWindows = defineResource({
  name: 'maintenanceWindows',
  label: 'Maintenance',
  plural: 'Maintenance Windows',
  about:
    'A maintenance for a time: it holds the actions of matches of its devices, or of the devices of its location, selection or filter, until it is over. That of an approved change holds the matches that the change expects.',
  key: 'maintenanceWindowId',
  title: 'reason',
  area: 'Maintenance',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'endsAt desc',
  fields: {
    maintenanceWindowId: f.key('Maintenance ID'),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    reason: f.text('Why', { required: true, max: 500, input: 'text', search: true, message: 'Please say why.' }),
    /** Default: now. */
    startsAt: f.timestamp('From', { write: 'create' }),
    endsAt: f.timestamp('Until', { required: true }),
    deviceIds: f.json('Devices', () => ids(maintenanceDevicesMax, `A maintenance has at most ${maintenanceDevicesMax} devices.`), {
      initial: [] as string[],
      write: 'create',
    }),
    locationId: optional(f.ref('Location', 'locations', { write: 'create' })),
    /**
     * The filter of a maintenance, which covers all devices that match when it starts or while it runs; no device leaves the
     * maintenance before its end.
     */
    deviceFilter: optional(f.text('Devices of a filter', { max: 4_000, write: 'create' })),
    /** Covers the devices of the selection while they are in it. */
    deviceSelectionId: optional(f.ref('Selection', 'deviceSelections', { write: 'create' })),
    workUnitId: optional(f.refNumber('Work unit', 'workUnits', { write: 'create' })),
    isChange: f.boolean('Of an approved change', { write: 'never' }),
    /** The rules whose matches are held; null for all rules. */
    ruleIds: optional(f.json('Expected rules', () => ids(200, 'At most 200 rules.'), { write: 'never' })),
    holdsSilence: f.boolean('Silence and states are expected', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Started by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    location: one('locations', 'locationId'),
    deviceSelection: one('deviceSelections', 'deviceSelectionId'),
    workUnit: one('workUnits', 'workUnitId'),
  },
});
