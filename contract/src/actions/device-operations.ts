/** Calls on the operations of devices beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { permission, runOperations } from '../permissions.ts';
import { guidSchema } from '../resource.ts';
import { checkedFields } from '../rules/checked-when.ts';
const byId = z.object({ id: guidSchema });

export const operationLogList = defineList({
  name: 'deviceOperationLogs',
  path: '/v1/deviceOperations/{id}/logs',
  access: { area: 'Devices', verb: 'view' },
  about: 'The log entries of one operation of a device, newest first.',
  of: 'deviceLogs',
  input: byId,
});

export const latestRunList = defineList({
  name: 'latestOperationRuns',
  path: '/v1/devices/{id}/latestOperationRuns',
  access: { area: 'Devices', verb: 'view' },
  about: 'The latest run of each operation of a device.',
  of: 'operationRuns',
  input: byId,
});

const calls = {
  enqueueOnDemand: 'Requests a run of an operation on demand, which its agent starts within seconds. A repeated call is harmless.',
  dequeueOnDemand: 'Withdraws a requested run that has not started.',
};

const queue = (name: string, method: 'GET' | 'POST', call: keyof typeof calls) =>
  defineAction({
    name,
    method,
    path: `/v1/deviceOperations/{id}/${call}`,
    access: { anyOf: [permission('Devices', 'edit'), runOperations] },
    about: calls[call],
    input: byId,
    output: rowOf('deviceOperations'),
  });

/** The specification uses GET although these calls change data; the portal uses POST. Repeating a call is harmless. */
export const enqueueByGet = queue('enqueueOnDemandByGet', 'GET', 'enqueueOnDemand');
export const enqueue = queue('enqueueOnDemand', 'POST', 'enqueueOnDemand');
export const dequeueByGet = queue('dequeueOnDemandByGet', 'GET', 'dequeueOnDemand');
export const dequeue = queue('dequeueOnDemand', 'POST', 'dequeueOnDemand');

const idList = z
  .string({ error: 'At least one operation is required.' })
  .transform((text) => [...new Set(text.split(',').map((id) => id.trim().toLowerCase()))].filter(Boolean))
  .refine((list) => list.length > 0, 'At least one operation is required.')
  .refine((list) => list.length <= 200, 'At most 200 operations at once.')
  .refine((list) => list.every((id) => guidSchema.safeParse(id).success), 'Please enter a valid GUID.');

const targetDevice = z
  .string({ error: 'A target device is required.' })
  .min(1, 'A target device is required.')
  .transform((id) => id.toLowerCase())
  .refine((id) => guidSchema.safeParse(id).success, 'Please enter a valid GUID.');

export const cloneOperations = defineAction({
  name: 'cloneDeviceOperations',
  method: 'POST',
  path: '/v1/deviceOperations/clone',
  access: { area: 'Devices', verb: 'create' },
  about: 'Copies operations to another device.',
  input: z
    .object({
      fromDeviceId: guidSchema,
      toDeviceId: targetDevice,
      deviceOperationIdsToClone: idList,
    })
    .refine((v) => v.fromDeviceId !== v.toDeviceId, {
      path: ['toDeviceId'],
      message: 'The target device must differ from the source device.',
    }),
  output: z.object({ message: z.string(), value: z.array(rowOf('deviceOperations')) }),
});

export const addCheck = defineAction({
  name: 'addCheck',
  method: 'POST',
  path: '/v1/devices/{id}/addCheck',
  access: { area: 'Devices', verb: 'create' },
  about:
    'Adds an operation that runs at once, together with a rule that opens a work unit when its result is as said: both or neither. Where a rule opens units for every check that is Down, that rule is answered instead of another one. Needs the permission to create rules too.',
  repeatable: true,
  input: byId.extend({
    operationId: guidSchema,
    label: z.string().min(1, 'Label is required.').max(200, 'Label is at most 200 characters.'),
    frequencyTypeId: z.int().default(2),
    interval: z.optional(z.string()),
    parameters: z.optional(z.array(z.record(z.string(), z.unknown())).max(100)),
    ...checkedFields,
  }),
  output: z.object({ deviceOperation: rowOf('deviceOperations'), rule: rowOf('rules') }),
});
