/** Tries a rule of several tenants on the record of each, one tenant after the other. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { backtestLimits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { backtestInput, backtestRule, backtestStates } from '../actions/backtest.ts';

/** What the draft, or the saved rule, would have done: at one tenant, or in sum. */
const counts = z.object({
  matches: z.int(),
  entities: z.int(),
  /** Null in sum when a tenant has too many matches to add up. */
  workUnits: z.nullable(z.int()),
  calls: z.nullable(z.int()),
});

const difference = z.object({ same: z.int(), added: z.int(), removed: z.int() });

const figures = z.object({
  draft: counts,
  /** Null where there is no saved rule to compare with. */
  inForce: z.nullable(counts),
  difference: z.nullable(difference),
});

const timeline = z.array(z.object({ from: z.string(), matches: z.int() }));

export type BacktestCounts = z.infer<typeof counts>;
export type BacktestFigures = z.infer<typeof figures>;

export const backtestOfTenants = z.object({
  id: z.string(),
  isOver: z.boolean(),
  /** Progress from 0 to 1. */
  progress: z.number(),
  packets: z.number(),
  createdBy: z.string(),
  created: z.string(),
  /** Of the tenants whose backtest is done. */
  sum: figures.extend({ tenants: z.int(), timeline, inForceTimeline: z.nullable(timeline) }),
  /** In the order in which they are tried. */
  tenants: z.array(
    z.object({
      tenantId: z.string(),
      name: z.string(),
      /** The backtest of this tenant, with its matches. */
      runId: z.string(),
      state: z.enum(backtestStates),
      /** Why it was not tried: the rule does not hold there, or enough packets had been read before. */
      leftOut: z.nullable(z.enum(['off', 'packets'])),
      error: z.nullable(z.string()),
      /** Null until it is done. */
      figures: z.nullable(figures),
    }),
  ),
  /** Limitations of the results, in words, each with the number of tenants whose result has it. */
  notes: z.array(z.object({ text: z.string(), tenants: z.int() })),
});

export type BacktestOfTenants = z.infer<typeof backtestOfTenants>;

const access = { area: 'Rules', verb: 'view' } as const;
const ofBatch = z.object({ id: guidSchema });

export const startBacktestOfTenants = defineAction({
  name: 'startBacktestOfTenants',
  method: 'POST',
  path: '/v1/rules/backtest/tenants',
  access,
  about: `Starts a backtest of a rule of several tenants: at each tenant where it holds and the caller may view rules, by name, one after the other, until ${backtestLimits.packetsOfTenants} packets are read. Each is tried with the exceptions of the saved rule. Answers its id.`,
  input: backtestInput.omit({ rule: true, entityIds: true }).extend({
    rule: backtestRule.omit({ tenantId: true, subscriptionId: true }).meta({ additionalProperties: true }),
    /** The group of the rule; null or absent for all tenants. */
    tenantGroupId: z.nullish(guidSchema),
  }),
  output: z.object({ id: z.string() }),
});

export const getBacktestOfTenants = defineAction({
  name: 'getBacktestOfTenants',
  method: 'GET',
  path: '/v1/rules/backtest/tenants/{id}',
  access,
  about: 'How far a backtest over tenants is, with the result of each tenant and in sum; it is stored for a week.',
  input: ofBatch,
  output: backtestOfTenants,
});

export const stopBacktestOfTenants = defineAction({
  name: 'stopBacktestOfTenants',
  method: 'POST',
  path: '/v1/rules/backtest/tenants/{id}/stop',
  access,
  about: 'Stops a backtest over tenants. The results of tenants that are done stay.',
  input: ofBatch,
  output: backtestOfTenants,
});
