/** Calls that switch a row between enabled and disabled, and return the changed row. */
import { z } from 'zod';
import { defineAction, rowOf } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const toggleRule = defineAction({
  name: 'toggleRule',
  method: 'POST',
  path: '/v1/rules/toggledisabled/{id}',
  access: { area: 'Rules', verb: 'edit' },
  about: 'Enables a disabled rule, or disables an enabled one. Answers the rule.',
  input: z.object({ id: guidSchema }),
  output: rowOf('rules'),
});

export const toggleTenant = defineAction({
  name: 'toggleTenant',
  method: 'POST',
  path: '/v1/tenants/toggledisabled/{id}',
  access: { area: 'Tenants', verb: 'edit' },
  about: 'Enables a disabled tenant, or disables an enabled one: its people and agents are refused at once. Answers the tenant.',
  input: z.object({ id: guidSchema }),
  output: rowOf('tenants'),
});
