/** Numbers of devices per installed version over time, from counts that are stored each day. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { guidSchema } from '../../resource.ts';

export const versionsOverTime = defineAction({
  name: 'GetVersionsOverTime',
  method: 'GET',
  path: '/v1/complianceReport/GetVersionsOverTime(days={days})',
  access: { area: 'Devices', verb: 'view' },
  about:
    'How many devices had each version of a package, for the last `days` days (UTC) that were counted. A day without a count is not in the answer; the current one is counted until it ends. Without `packageId` the package with most devices.',
  input: z.object({
    days: z.coerce.number().int().min(1).max(400),
    tenantId: z.optional(guidSchema),
    packageId: z.optional(guidSchema),
  }),
  output: z.object({
    packages: z
      .array(z.object({ packageId: z.string(), packageName: z.string() }))
      .describe('Those that were installed in this time, most devices first.'),
    packageId: z.string().nullable(),
    versions: z.array(z.string()).describe('The newest version first.'),
    days: z
      .array(z.object({ day: z.iso.date(), devices: z.array(z.int()) }))
      .describe('Devices of each version on each day, in the order of `versions`.'),
  }),
});
