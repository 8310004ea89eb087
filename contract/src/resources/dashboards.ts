import { z } from 'zod/mini';
import { defineResource, f, guidSchema, one, optional } from '../resource.ts';
import { asOneLine } from '../text-checks.ts';

/** Columns of a dashboard's grid, and maximums: row of a tile, tiles, series of a chart, hours of a chart. */
export const dashboardLimits = { columns: 12, rows: 500, tiles: 60, series: 10, hours: 24 * 90 } as const;

/** Who besides the owner may open a dashboard, and who may change it. */
export const dashboardSharing = ['Only me', 'Everybody sees it', 'Everybody changes it'] as const;

const wholeNumber = (name: string, from: number, to: number) =>
  z.int({ error: `${name} is a whole number.` }).check(z.gte(from, `${name} is at least ${from}.`), z.lte(to, `${name} is at most ${to}.`));

const tileSeries = z.object({
  entityId: guidSchema,
  /** A metric name as in `POST /v1/series`. */
  metric: z.string().check(z.minLength(1, 'Please choose a metric.'), z.maxLength(200, 'A metric has at most 200 characters.')),
  label: z.string().check(...asOneLine('A label'), z.maxLength(300, 'A label has at most 300 characters.')),
});
export type TileSeries = z.infer<typeof tileSeries>;

/** The fields that every tile has: id, title, place and size. */
const placed = {
  id: z.string().check(z.regex(/^[\w-]{1,40}$/, 'The id of a tile has 1 to 40 letters, digits, _ or -.')),
  /** The title of the tile; when empty, the tile shows the usual name of its kind. */
  title: z.string().check(...asOneLine('The title of a tile'), z.maxLength(100, 'The title of a tile has at most 100 characters.')),
  x: wholeNumber('x', 0, dashboardLimits.columns - 1),
  y: wholeNumber('y', 0, dashboardLimits.rows),
  w: wholeNumber('w', 1, dashboardLimits.columns),
  h: wholeNumber('h', 1, 20),
};

/** The kinds of tiles that show a list or a summary of the tenant; other tiles show series. */
const listTileKinds = ['units', 'matches', 'devices', 'compliance', 'versions'] as const;
const tile = z.discriminatedUnion(
  'kind',
  [
    z.object({ ...placed, kind: z.literal('number'), series: z.array(tileSeries).check(z.length(1, 'A number has one series.')) }),
    z.object({
      ...placed,
      kind: z.literal('chart'),
      series: z
        .array(tileSeries)
        .check(
          z.minLength(1, 'A chart has at least one series.'),
          z.maxLength(dashboardLimits.series, `A chart has at most ${dashboardLimits.series} series.`),
        ),
      hours: wholeNumber('hours', 1, dashboardLimits.hours),
    }),
    z.object({ ...placed, kind: z.literal(listTileKinds) }),
  ],
  { error: `The kind of a tile is one of number, chart, ${listTileKinds.join(', ')}.` },
);
export type DashboardTile = z.infer<typeof tile>;

const tiles = () =>
  z.array(tile).check(
    z.maxLength(dashboardLimits.tiles, `A dashboard has at most ${dashboardLimits.tiles} tiles.`),
    z.refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'Each tile has an id of its own.'),
    z.refine(
      (all) => all.every(({ x, w }) => x + w <= dashboardLimits.columns),
      `A tile ends within the ${dashboardLimits.columns} columns.`,
    ),
  );

/** Tiles that people arranged: for themselves, or for everybody in the tenant. */
export const dashboards = defineResource({
  name: 'dashboards',
  label: 'Dashboard',
  plural: 'Dashboards',
  key: 'dashboardId',
  title: 'name',
  area: 'Visualizations',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  // Private dashboards belong to their people.
  portable: { by: ['tenantId', 'name'], except: ['sharing', 'Only me'], after: ['deviceOperations'] },
  fields: {
    dashboardId: f.key('Dashboard ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    sharing: f.choice('Shared with', dashboardSharing, { initial: 'Only me' }),
    tiles: f.json('Tiles', tiles, { initial: [] as DashboardTile[] }),
    /** The person who created the dashboard; null when a token did. */
    ownerId: optional(f.guid('Owner', { write: 'never' })),
    createdBy: f.person('Made by', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
