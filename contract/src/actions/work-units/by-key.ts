/** Work units that other systems open, find and close by a key of their own, each by one call. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { limits } from '../../limits.ts';
import { guidSchema } from '../../resource.ts';
import { asLines, asOneLine } from '../../text-checks.ts';

const ofLength = (max: number, checks: ReturnType<typeof asOneLine>, label: string) => {
  const error = `${label} is text of 1 to ${max} characters.`;
  return z
    .string({ error })
    .check(...checks)
    .min(1, error)
    .max(max, error);
};
const line = (label: string, max: number) => ofLength(max, asOneLine(label), label);
const lines = (label: string, max: number) => ofLength(max, asLines(label), label);

/** What names a unit: the tenant, by default the only one of the caller; the system; and its name for what is wrong. */
const unitKey = {
  tenantId: z.optional(guidSchema),
  source: line('source', 100).describe('The system that reports, such as icinga.'),
  key: line('key', 200).describe('Its name for what is wrong, such as web-1/disk.'),
};

const note = z.optional(lines('note', limits.noteLength));

export const openByKey = defineAction({
  name: 'openWorkUnitByKey',
  method: 'POST',
  path: '/v1/workUnits/byKey/open',
  access: { area: 'WorkUnits', verb: 'create' },
  about:
    'Opens a work unit with the fields in `workUnit`, unless the one of this key is open: then that one is answered, with `opened` false, and nothing of it changes. `note` is added to either. Without a type, the unit is an incident.',
  input: z.object({ ...unitKey, note, workUnit: z.record(z.string(), z.unknown()).meta({ additionalProperties: true }) }),
  output: z.object({ opened: z.boolean(), workUnit: rowOf('workUnits') }),
  repeatable: true,
});

export const findByKey = defineAction({
  name: 'findWorkUnitByKey',
  method: 'GET',
  path: '/v1/workUnits/byKey',
  access: { area: 'WorkUnits', verb: 'view' },
  about: 'The newest work unit of a key, open or ended; 404 when there is none.',
  input: z.object(unitKey),
  output: rowOf('workUnits'),
});

export const closeByKey = defineAction({
  name: 'closeWorkUnitByKey',
  method: 'POST',
  path: '/v1/workUnits/byKey/close',
  access: { area: 'WorkUnits', verb: 'edit' },
  about:
    'Resolves the open work unit of a key, also one that nobody has acknowledged, with a `note` and a `resolution`. When none is open, nothing changes, and `closed` is false.',
  input: z.object({ ...unitKey, note, resolution: z.optional(lines('resolution', 4_000)) }),
  output: z.object({ closed: z.boolean(), workUnit: rowOf('workUnits').nullable() }),
});
