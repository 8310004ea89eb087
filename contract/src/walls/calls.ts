/** Calls of dashboards: what tiles show, the state of all customers, and links that need no sign-in. */
import { z } from 'zod';
import { defineAction, rowOf } from '../action.ts';
import { severities } from '../enums.ts';
import { guidSchema } from '../resource.ts';
import { tilesSchema, variableKinds, variableValues } from '../resources/dashboards.ts';

/** How a customer is, the worst first. `Unseen`: the caller may not see enough of it to say so. */
export const customerStates = ['Down', 'Impaired', 'AtRisk', 'Unseen', 'Quiet'] as const;
export type CustomerState = (typeof customerStates)[number];

/** The hours of the trend of a customer. */
export const trendHours = 24;

const amount = z.nullable(z.int());
const customer = z.object({
  tenantId: z.string(),
  name: z.string(),
  state: z.enum(customerStates),
  /** Open work units by severity, without snoozed ones; null without the right to see work units there. */
  open: z.nullable(z.record(z.enum(severities), z.int())),
  /** Units of which a service level is over, and those of which one warns. */
  breached: amount,
  warned: amount,
  /** Enabled devices, and those of them that are silent; null without the rights to see devices and packets there. */
  devices: amount,
  silent: amount,
  /** When the latest packet of a device came. */
  lastData: z.nullable(z.string()),
  /** Open units at each hour of the last day, the last now, without units that are snoozed now; null as `open`. */
  trend: z.nullable(z.array(z.int())),
  /** The change request that began last; null without one, and without the right to see work units there. */
  lastChange: z.nullable(z.object({ title: z.string(), at: z.string() })),
  /** Names of those who are on call now; null without the right to see schedules there, or without a schedule. */
  onCall: z.nullable(z.array(z.string())),
});
export type Customer = z.infer<typeof customer>;

export const customersNow = defineAction({
  name: 'customersNow',
  method: 'GET',
  path: '/v1/customers',
  access: { area: 'Visualizations', verb: 'view' },
  about: 'The state of each enabled tenant that the caller sees, those that need somebody first.',
  input: z.object({ tenantGroupId: z.optional(guidSchema) }),
  output: z.object({ asOf: z.string(), value: z.array(customer) }),
});

/** A bucket as in `POST /v1/series`: start, minimum, average, maximum, last, number. */
const bucket = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.int()]);
const line = z.object({ entityId: z.string(), metric: z.string(), label: z.string(), buckets: z.array(bucket), gap: z.number() });
const times = { from: z.number(), to: z.number(), step: z.number() };

const shown = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('number'), ...times, line: z.nullable(line) }),
  z.object({ kind: z.literal('chart'), ...times, lines: z.array(line) }),
  z.object({
    kind: z.literal('units'),
    count: z.int(),
    bySeverity: z.record(z.enum(severities), z.int()),
    rows: z.array(
      z.object({
        workUnitId: z.number(),
        publicWorkUnitId: z.number(),
        tenantId: z.string(),
        title: z.string(),
        severityId: z.enum(severities),
        created: z.string(),
      }),
    ),
  }),
  z.object({
    kind: z.literal('matches'),
    count: z.int(),
    rows: z.array(z.object({ ruleMatchId: z.string(), tenantId: z.string(), label: z.string(), created: z.string() })),
  }),
  z.object({ kind: z.literal('devices'), reporting: z.int(), silent: z.int(), disabled: z.int(), names: z.array(z.string()) }),
  z.object({ kind: z.literal('versions'), current: z.int(), outdated: z.int() }),
  z.object({ kind: z.literal('compliance'), statuses: z.array(z.object({ status: z.string(), n: z.int() })) }),
  z.object({ kind: z.literal('customers'), value: z.array(customer) }),
]);
export type TileShown = z.infer<typeof shown>;

/** `Denied`: the reader may not see this, or not what limits it. `Failed`: the server could not read it. */
export const tileStates = ['Shown', 'Denied', 'Failed'] as const;

const tileAnswer = z.object({
  id: z.string(),
  state: z.enum(tileStates),
  /** What limits the tile, by name; without parts it is all that the reader may see. */
  scope: z.array(z.object({ kind: z.enum(variableKinds), name: z.string() })),
  /** How many tenants the scope has for the reader, and which if it is one. */
  tenants: z.int(),
  tenantId: z.nullable(z.string()),
  /** One part, or with `repeat` one for each tenant, by name. */
  parts: z.array(z.object({ tenantId: z.nullable(z.string()), name: z.nullable(z.string()), shown })),
});
export type TileAnswer = z.infer<typeof tileAnswer>;

const tilesAnswer = {
  /** The time of the reading. */
  asOf: z.string(),
  /** Names of the values of the variables. */
  names: z.array(z.object({ kind: z.enum(variableKinds), name: z.string() })),
  tiles: z.array(tileAnswer),
};
export type TilesAnswer = { asOf: string; names: { kind: (typeof variableKinds)[number]; name: string }[]; tiles: TileAnswer[] };

export const readTiles = defineAction({
  name: 'readTiles',
  method: 'POST',
  path: '/v1/dashboards/readTiles',
  reads: true,
  access: { area: 'Visualizations', verb: 'view' },
  about: 'What tiles show to the caller now, saved or not. `tenantId` is the tenant of their dashboard.',
  input: z.object({ tenantId: guidSchema, tiles: tilesSchema(), variables: z.optional(variableValues) }),
  output: z.object(tilesAnswer),
});

export const makeDashboardLink = defineAction({
  name: 'makeDashboardLink',
  method: 'POST',
  path: '/v1/dashboardLinks/make',
  noStore: true,
  access: { area: 'Visualizations', verb: 'create' },
  about:
    'Makes an address that shows one dashboard without sign-in, with the present rights of the caller. Only this answer contains `generatedToken`.',
  input: z.object({
    dashboardId: guidSchema,
    name: z.string(),
    expires: z.string(),
    /** Networks that may open it, such as 10.1.0.0/16; empty for all. */
    networks: z.array(z.string()).default([]),
    variables: z.optional(variableValues),
  }),
  output: z.object({ link: rowOf('dashboardLinks'), generatedToken: z.string() }),
});

export const endDashboardLink = defineAction({
  name: 'endDashboardLink',
  method: 'POST',
  path: '/v1/dashboardLinks/{id}/end',
  access: { area: 'Visualizations', verb: 'edit' },
  about: 'Ends a link at once. A repeated call changes nothing.',
  input: z.object({ id: guidSchema }),
  output: rowOf('dashboardLinks'),
});

export const idleDashboardLinks = defineAction({
  name: 'idleDashboardLinks',
  method: 'GET',
  path: '/v1/dashboards/{id}/idleLinks',
  access: { area: 'Visualizations', verb: 'view' },
  about:
    'The links of a dashboard that have not ended and show nothing, because the person who made them may not show the dashboard any more.',
  input: z.object({ id: guidSchema }),
  output: z.object({ dashboardLinkIds: z.array(z.string()) }),
});

export const readWall = defineAction({
  name: 'readWall',
  method: 'POST',
  path: '/v1/wall',
  reads: true,
  noStore: true,
  access: 'anonymous',
  limit: 'wall',
  about: 'The dashboard of a link and what its tiles show now, with the present rights of the person who made the link.',
  input: z.object({ token: z.string().max(100) }),
  output: z.object({
    name: z.string(),
    tenantName: z.string(),
    expires: z.string(),
    tiles: tilesSchema(),
    reading: z.object(tilesAnswer),
  }),
});
