/** Switches a row between enabled and disabled and answers the changed row. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const row = z.record(z.string(), z.unknown());

export const toggleRule = defineAction({
  name: 'toggleRule',
  method: 'POST',
  path: '/v1/rules/toggledisabled/{id}',
  access: { area: 'Rules', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: row,
});

export const toggleTenant = defineAction({
  name: 'toggleTenant',
  method: 'POST',
  path: '/v1/tenants/toggledisabled/{id}',
  access: { area: 'Tenants', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: row,
});
