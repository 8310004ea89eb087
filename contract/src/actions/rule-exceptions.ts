/** Calls that say how the rules of several are at one device, and at one tenant. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { exceptionPlaces, severities } from '../enums.ts';
import { guidSchema } from '../resource.ts';

const exception = z.object({
  ruleExceptionId: z.string(),
  appliesTo: z.enum(exceptionPlaces),
  /** The tag or the name that it is for. */
  target: z.string().nullable(),
  isOff: z.boolean(),
  ownValues: z.record(z.string(), z.string()).nullable(),
  matchLifetime: z.string().nullable(),
  severityId: z.enum(severities).nullable(),
  until: z.string().nullable(),
  reason: z.string(),
  modifiedBy: z.string(),
});

const ruleThere = z.object({
  ruleId: z.string(),
  name: z.string(),
  /** Whether the rule is of several tenants, so that this one inherits it. */
  isInherited: z.boolean(),
  /** The conditions in words, as they hold here. */
  conditions: z.string(),
  /** The exception that holds; null where the rule holds as for all. */
  exception: exception.nullable(),
  /** Exceptions that fit too and yield; for a tenant, those of parts of it. */
  others: z.array(exception),
});

export type RuleThere = z.infer<typeof ruleThere>;

export const exceptionsOfDevice = defineAction({
  name: 'exceptionsOfDevice',
  method: 'GET',
  path: '/v1/devices/{id}/ruleExceptions',
  access: { area: 'Rules', verb: 'view' },
  about: 'The rules of which an exception fits a device: the one that holds, and those that yield to it.',
  input: z.object({ id: guidSchema }),
  output: z.object({ rules: z.array(ruleThere) }),
});

export const rulesOfTenant = defineAction({
  name: 'rulesOfTenant',
  method: 'GET',
  path: '/v1/tenants/{id}/inheritedRules',
  access: { area: 'Rules', verb: 'view' },
  about: 'The enabled rules that a tenant inherits: as for all, with own values, or switched off, by whom and until when.',
  input: z.object({ id: guidSchema }),
  output: z.object({ rules: z.array(ruleThere), leftOut: z.int() }),
});
