/** What an administrator does first in a new installation. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

export const firstStepKinds = ['customer', 'mailServer', 'machine', 'rule', 'colleague'] as const;
export type FirstStepKind = (typeof firstStepKinds)[number];

export const firstSteps = defineAction({
  name: 'firstSteps',
  method: 'GET',
  path: '/v1/installation/firstSteps',
  access: 'signed-in',
  about:
    'The first steps of a new installation, each with whether it is done. Empty when all are done, when the caller has dismissed them, and for callers who may not edit the settings of all tenants.',
  input: z.object({}),
  output: z.object({ value: z.array(z.object({ kind: z.enum(firstStepKinds), isDone: z.boolean() })) }),
});

export const dismissFirstSteps = defineAction({
  name: 'dismissFirstSteps',
  method: 'POST',
  path: '/v1/installation/firstSteps/dismiss',
  access: { area: 'Settings', verb: 'edit' },
  about: 'No longer shows the first steps to the caller. For people who may edit the settings of all tenants.',
  input: z.object({}),
});
