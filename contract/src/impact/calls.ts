/** What a change of a rule, action, protocol, package or custom field touches, before it is saved. */
import { z } from 'zod';
import { backtestRule } from '../actions/backtest.ts';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** Entities whose changes touch rows of other entities; `tenants` stands for the custom fields of a tenant. */
export const impactEntities = ['rules', 'actionDefinitions', 'protocols', 'packages', 'packageVersions', 'tenants'] as const;

/** Kinds of touched rows. `devices...`: the devices that a rule selects before and after its change, gains and loses. */
export const impactKinds = [
  'tenants',
  'devicesBefore',
  'devicesAfter',
  'devicesGained',
  'devicesLost',
  'openMatches',
  'endingMatches',
  'heldMatches',
  'units',
  'executions',
  'rules',
  'protocols',
  'waitingSteps',
  'installations',
  'unitsWithValue',
] as const;
export type ImpactKind = (typeof impactKinds)[number];

const item = z.object({ id: z.string(), name: z.string(), tenantId: z.string().nullable() });

const group = z.object({
  kind: z.enum(impactKinds),
  /** For a custom field: the column that stores it. */
  field: z.string().optional(),
  count: z.int(),
  /** The first rows by name or time. */
  first: z.array(item),
});
export type ImpactGroup = z.infer<typeof group>;

export const impactOf = defineAction({
  name: 'impactOf',
  method: 'POST',
  path: '/v1/impact/{entity}/{id}',
  reads: true,
  access: {
    anyOf: [
      'CloudFit.CFS.Rules:view',
      'CloudFit.CFS.ActionDefinitions:view',
      'CloudFit.CFS.WorkUnits.Protocols:view',
      'CloudFit.CFS.Packages:view',
      'CloudFit.CFS.Tenants:view',
    ],
  },
  about: 'Lists what the change touches, as far as the caller may view it. Groups that are empty are left out, except devices of rules.',
  input: z.object({
    entity: z.enum(impactEntities),
    id: guidSchema,
    change: z.enum(['update', 'delete']).default('update'),
    /** The rule as it would be saved; without it, the saved rule. */
    rule: backtestRule
      .extend({ tenantId: z.nullish(guidSchema), tenantGroupId: z.nullish(guidSchema) })
      .meta({ additionalProperties: true })
      .optional(),
    enabled: z.boolean().default(true),
    /** For a tenant: the names of the custom fields that change, such as workUnitFieldDef3. */
    fields: z.array(z.string().max(100)).max(50).default([]),
  }),
  output: z.object({ groups: z.array(group) }),
});
