import { z } from 'zod/mini';
import { defineResource, f, guidSchema, many, one, optional } from '../resource.ts';
import { asOneLine } from '../text-checks.ts';

/** Columns of a dashboard's grid, and maximums: row of a tile, tiles, series of a chart, hours of a chart. */
export const dashboardLimits = { columns: 12, rows: 500, tiles: 60, series: 10, hours: 24 * 90 } as const;

/** Who besides the owner may open a dashboard, and who may change it. */
export const dashboardSharing = ['Only me', 'Everybody sees it', 'Everybody changes it'] as const;

const wholeNumber = (name: string, from: number, to: number) =>
  z.int({ error: `${name} is a whole number.` }).check(z.gte(from, `${name} is at least ${from}.`), z.lte(to, `${name} is at most ${to}.`));

const metricName = z.string().check(z.minLength(1, 'Please choose a metric.'), z.maxLength(200, 'A metric has at most 200 characters.'));

const tileSeries = z.object({
  entityId: guidSchema,
  /** A metric name as in `POST /v1/series`. */
  metric: metricName,
  label: z.string().check(...asOneLine('A label'), z.maxLength(300, 'A label has at most 300 characters.')),
});
export type TileSeries = z.infer<typeof tileSeries>;

/** What a dashboard lets people choose at its top. Each tile says which of it applies to the tile. */
export const variableKinds = ['tenant', 'group', 'selection', 'location', 'tag'] as const;
export type VariableKind = (typeof variableKinds)[number];

/** Chosen values by kind; an absent one limits nothing. */
export type VariableValues = Partial<Record<VariableKind, string | undefined>>;

/** How a tile's scope and a title name a variable of the dashboard. */
export const variableIn = (kind: VariableKind): string => `{${kind}}`;

const tag = z.string().check(
  ...asOneLine('A tag'),
  z.refine((text) => text.trim() !== '', 'A tag is not empty.'),
  z.maxLength(200, 'A tag has at most 200 characters.'),
  z.refine((text) => !text.includes(','), 'Please give one tag, without a comma.'),
);
const rowOrVariable = (kind: VariableKind) =>
  z.optional(z.union([guidSchema, z.literal(variableIn(kind))], { error: `${kind} of a scope is an id, or ${variableIn(kind)}.` }));

/**
 * What a tile shows: the rows that meet all parts. Without parts these are the rows of all tenants that the reader may see. A part is
 * a row's id, or the variable of the dashboard, such as `{tenant}`.
 */
const scope = z.strictObject({
  tenant: rowOrVariable('tenant'),
  group: rowOrVariable('group'),
  selection: rowOrVariable('selection'),
  location: rowOrVariable('location'),
  tag: z.optional(tag),
});
export type TileScope = z.infer<typeof scope>;

/** Values of variables as people choose them, for the address and for calls. */
export const variableValues = z.strictObject({
  tenant: z.optional(guidSchema),
  group: z.optional(guidSchema),
  selection: z.optional(guidSchema),
  location: z.optional(guidSchema),
  tag: z.optional(tag),
});

/** The parts of a scope with the values of its variables; a variable without a value limits nothing. */
export function appliedScope(of: TileScope, values: VariableValues): VariableValues {
  const applied: VariableValues = {};
  for (const kind of variableKinds) {
    const value = of[kind] === variableIn(kind) ? values[kind] : of[kind];
    if (value !== undefined) applied[kind] = value;
  }
  return applied;
}

/** A title with the names of what is chosen in place of its variables. */
export function titled(title: string, nameOf: (kind: VariableKind) => string): string {
  return title.replaceAll(/\{(tenant|group|selection|location|tag)\}/g, (_all, kind: VariableKind) => nameOf(kind));
}

/** The fields that every tile has: id, title, place, size and scope. */
const placed = {
  id: z.string().check(z.regex(/^[\w-]{1,40}$/, 'The id of a tile has 1 to 40 letters, digits, _ or -.')),
  /** The title of the tile; when empty, the tile shows the usual name of its kind. */
  title: z.string().check(...asOneLine('The title of a tile'), z.maxLength(100, 'The title of a tile has at most 100 characters.')),
  x: wholeNumber('x', 0, dashboardLimits.columns - 1),
  y: wholeNumber('y', 0, dashboardLimits.rows),
  w: wholeNumber('w', 1, dashboardLimits.columns),
  h: wholeNumber('h', 1, 20),
  /** Absent: the tenant of the dashboard. */
  scope: z.optional(scope),
  /** Whether each tenant of the scope has a part of its own in the tile. */
  repeat: z.optional(z.boolean()),
};

/** The kinds of tiles that show a list or a summary of rows; other tiles show series. */
const listTileKinds = ['units', 'matches', 'devices', 'compliance', 'versions', 'customers'] as const;
/** What has no device cannot be limited to some. */
const withoutDevices: readonly string[] = ['compliance', 'customers'];
const deviceParts = ['selection', 'location', 'tag'] as const;
/** Kinds of tiles that may be limited to devices, and of those that may be repeated for each tenant. */
export const isOfDevices = (kind: string): boolean => !withoutDevices.includes(kind) && kind !== 'number';
export const isRepeatable = (kind: string): boolean => kind !== 'number' && kind !== 'chart' && kind !== 'customers';
const tile = z.discriminatedUnion(
  'kind',
  [
    z.object({ ...placed, kind: z.literal('number'), series: z.array(tileSeries).check(z.length(1, 'A number has one series.')) }),
    z.object({
      ...placed,
      kind: z.literal('chart'),
      series: z.array(tileSeries).check(z.maxLength(dashboardLimits.series, `A chart has at most ${dashboardLimits.series} series.`)),
      /** Without series: the metric, of up to ten devices of the scope. */
      metric: z.optional(metricName),
      hours: wholeNumber('hours', 1, dashboardLimits.hours),
    }),
    z.object({ ...placed, kind: z.literal(listTileKinds) }),
  ],
  { error: `The kind of a tile is one of number, chart, ${listTileKinds.join(', ')}.` },
);
export type DashboardTile = z.infer<typeof tile>;

export const tilesSchema = () =>
  z.array(tile).check(
    z.maxLength(dashboardLimits.tiles, `A dashboard has at most ${dashboardLimits.tiles} tiles.`),
    z.refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'Each tile has an id of its own.'),
    z.refine(
      (all) => all.every(({ x, w }) => x + w <= dashboardLimits.columns),
      `A tile ends within the ${dashboardLimits.columns} columns.`,
    ),
    z.refine(
      (all) => all.every((tile) => tile.kind !== 'chart' || tile.series.length > 0 || tile.metric !== undefined),
      'A chart has at least one series, or a metric of the devices of its scope.',
    ),
    z.refine(
      (all) => all.every(({ kind, scope }) => isOfDevices(kind) || !deviceParts.some((part) => scope?.[part] !== undefined)),
      'Only tiles about devices, work units and matches are limited by a selection, a location or a tag.',
    ),
  );

/** A variable with the value that applies until somebody chooses another; an empty value limits nothing. */
const variables = () =>
  z
    .array(
      z.object({
        kind: z.literal(variableKinds, { error: `A variable is one of ${variableKinds.join(', ')}.` }),
        value: z
          .string()
          .check(...asOneLine('The value of a variable'), z.maxLength(200, 'The value of a variable has at most 200 characters.')),
      }),
    )
    .check(
      z.refine((all) => new Set(all.map(({ kind }) => kind)).size === all.length, 'Each variable is there once.'),
      z.refine(
        (all) => all.every(({ kind, value }) => value === '' || variableValues.safeParse({ [kind]: value }).success),
        'The value of a variable is the id of a row, or a tag.',
      ),
    );

/** The values that apply: those that are chosen, of variables that the dashboard has, otherwise its defaults. */
export function valuesOf(of: readonly { kind: VariableKind; value: string }[], chosen: VariableValues): VariableValues {
  const values: VariableValues = {};
  for (const { kind, value } of of) {
    const applied = chosen[kind] ?? value;
    if (applied !== '') values[kind] = applied;
  }
  return values;
}

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
  portable: {
    by: ['tenantId', 'name'],
    except: ['sharing', 'Only me'],
    after: ['deviceOperations', 'tenantGroups', 'deviceSelections', 'locations'],
  },
  fields: {
    dashboardId: f.key('Dashboard ID'),
    name: f.text('Name', { required: true, search: true }),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    sharing: f.choice('Shared with', dashboardSharing, { initial: 'Only me' }),
    tiles: f.json('Tiles', tilesSchema, { initial: [] as DashboardTile[] }),
    variables: f.json('Variables', variables, { initial: [] as { kind: VariableKind; value: string }[] }),
    /** The person who created the dashboard; null when a token did. */
    ownerId: optional(f.guid('Owner', { write: 'never' })),
    createdBy: f.person('Made by', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
    modifiedBy: f.person('Modified by', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId'), links: many('dashboardLinks', 'dashboardId') },
});
