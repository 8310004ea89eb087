import { z } from 'zod/mini';
import { holidayUses, rotationUnits, type Layer } from '../on-call/shifts.ts';
import { holidays, isDate, restriction, timeZone } from '../on-call/hours-fields.ts';
import { permission } from '../permissions.ts';
import { defineResource, f, guidSchema, many, one, optional } from '../resource.ts';
import { asOneLine } from '../text-checks.ts';

const localTime = (message: string, noDate: string) =>
  z.string({ error: message }).check(
    z.regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/, message),
    z.refine((text) => isDate(text.slice(0, 10)), noDate),
  );

const layer = (): z.ZodMiniType<Layer> =>
  z.object({
    name: z
      .string()
      .check(
        ...asOneLine('The name of a layer'),
        z.minLength(1, 'A layer needs a name.'),
        z.maxLength(100, 'The name of a layer is at most 100 characters.'),
      ),
    people: z.array(guidSchema).check(z.maxLength(100, 'A layer has at most 100 people.')),
    start: localTime(
      'The start of a layer is a local date and time such as 2026-05-04T09:00.',
      'The start of a layer is not a valid date.',
    ),
    until: z.optional(
      localTime('The end of a layer is a local date and time such as 2026-05-04T09:00.', 'The end of a layer is not a valid date.'),
    ),
    unit: z.literal(rotationUnits, { error: `A turn lasts ${rotationUnits.join(', ')}.` }),
    every: z
      .int({ error: 'The length of a turn is a whole number.' })
      .check(z.gte(1, 'A turn lasts at least 1.'), z.lte(1_000, 'A turn lasts at most 1000.')),
    restrictions: z.array(restriction()).check(z.maxLength(20, 'A layer has at most 20 restrictions.')),
    holidays: z.literal(holidayUses, { error: `On holidays a layer is ${holidayUses.join(', ')}.` }),
  }) as z.ZodMiniType<Layer>;

/** Who takes turns on call: layers of rotations in one time zone. */
export const onCallSchedules = defineResource({
  name: 'onCallSchedules',
  label: 'On-Call Schedule',
  plural: 'On-Call Schedules',
  key: 'onCallScheduleId',
  title: 'name',
  area: 'OnCall',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    onCallScheduleId: f.key('On-call schedule ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { max: 4_000, search: true })),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    timeZone,
    /** The layers in their order: the first one that has somebody on call decides. */
    layers: f.json('Layers', () => z.array(layer()).check(z.maxLength(10, 'A schedule has at most 10 layers.')), {
      initial: [] as Layer[],
      input: 'multiline',
    }),
    holidays,
    /** Whether those on call are told of customers who ask to be called back. */
    takesCallBacks: f.boolean('Takes Call Backs'),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), overrides: many('onCallOverrides', 'onCallScheduleId') },
});

/** A person who, for some time, is on call in place of the person whom the schedule names. */
export const onCallOverrides = defineResource({
  name: 'onCallOverrides',
  label: 'Override',
  plural: 'Overrides',
  key: 'onCallOverrideId',
  title: 'reason',
  area: 'OnCall.Overrides',
  // Whoever may view schedules may also view the overrides of these schedules.
  viewedWith: [permission('OnCall', 'view')],
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'delete'],
  orderBy: 'startsAt desc',
  portable: { by: ['onCallScheduleId', 'personId', 'startsAt', 'endsAt'], imported: 'only' },
  fields: {
    onCallOverrideId: f.key('Override ID'),
    onCallScheduleId: f.ref('Schedule', 'onCallSchedules', { required: true, write: 'create' }),
    /** The tenant of the schedule. */
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    personId: f.ref('Person', 'people', { required: true, write: 'create' }),
    startsAt: f.timestamp('From', { required: true, write: 'create' }),
    endsAt: f.timestamp('Until', { required: true, write: 'create' }),
    reason: optional(f.text('Reason', { max: 500, input: 'text', write: 'create' })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    schedule: one('onCallSchedules', 'onCallScheduleId'),
    person: one('people', 'personId'),
  },
});
