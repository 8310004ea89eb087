/** Reads what the tiles of a dashboard show, each with the rights of the caller. Tiles fail apart from each other. */
import type { z } from 'zod';
import { readTiles, type TileAnswer, type TileShown, type TilesAnswer } from '@cloudfit/contract/walls/calls.ts';
import type { OneSeries, readSeries } from '@cloudfit/contract/actions/series/series.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { openStates, severities } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Area } from '@cloudfit/contract/permissions.ts';
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import {
  appliedScope,
  dashboardLimits,
  variableKinds,
  type DashboardTile,
  type TileSeries,
  type VariableValues,
} from '@cloudfit/contract/resources/dashboards.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { requireScope, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { list } from '../../../resources/list.ts';
import { servedOf } from '../../../resources/served.ts';
import { readCustomers } from './customers.ts';
import { rowsIn, scopeReader, type ReadScope } from './scope.ts';

/** Calls of other features that tiles read by. */
export interface TileCalls {
  readSeries: (
    ctx: Ctx,
    input: z.infer<typeof readSeries.input>,
  ) => Promise<{ from: string; to: string; step: number; series: OneSeries[] }>;
}

interface TilesToRead {
  tenantId: string;
  tiles: readonly DashboardTile[];
  variables: VariableValues;
}

type TileOf<Kind extends DashboardTile['kind']> = Extract<DashboardTile, { kind: Kind }>;
type ListTile = Exclude<DashboardTile, { kind: 'number' | 'chart' }>;

const listed = 12;
const namesListed = 5;
/** Customers of a repeated tile: with five severities each, their counts are one page. */
const partsMax = 100;
const numberHours = 6;
const numberPoints = 60;
const chartPoints = 200;

const areas: Readonly<Record<DashboardTile['kind'], Area>> = {
  number: 'Packets',
  chart: 'Packets',
  units: 'WorkUnits',
  matches: 'Rules',
  devices: 'Devices',
  versions: 'Devices',
  compliance: 'Compliance',
  customers: 'Visualizations',
};

const isOpenUnit = oneOf(workUnits, 'stateId', openStates);
const isOpenMatch = eq(ruleMatches, 'closed', null);
const isSilent = "(packet/timestamp lt now() sub duration'PT5M' or packet/timestamp eq null)";

type GroupName = 'severityId' | 'versionStatus' | 'status';
type Grouped = { tenantId?: string; n: number } & Partial<Record<GroupName, string>>;

/** A scope to read, and whether its rows are apart by tenant. */
interface TileRows {
  scope: ReadScope;
  isRepeated: boolean;
}

/** The query that counts the rows of a scope by a field and, if they are apart, by tenant. */
function countsOf({ isRepeated }: TileRows, filter?: string, by?: GroupName): string {
  const fields = [isRepeated ? 'tenantId' : undefined, by].filter((field) => field !== undefined).join(',');
  const counts = fields === '' ? 'aggregate($count as n)' : `groupby((${fields}),aggregate($count as n))`;
  return queryText({ apply: filter ? `filter(${filter})/${counts}` : counts, top: limits.pageMax });
}

/** The rows of a query of `countsOf`, whose columns no declaration has. */
const groupsIn = ({ value }: { value: readonly object[] }): readonly Grouped[] => value as readonly Grouped[];

/** A part of a tile for each tenant of `rows`, or one for all together. */
type PartOf = (tenantId: string | null) => TileShown | Promise<TileShown>;

const sumOf = (rows: readonly { n: number }[]): number => rows.reduce((sum, { n }) => sum + n, 0);
const ofTenant = <T extends { tenantId?: string }>(rows: readonly T[], tenantId: string | null): readonly T[] =>
  tenantId === null ? rows : rows.filter((row) => row.tenantId === tenantId);

async function unitsPart(ctx: Ctx, rowsOfTile: TileRows): Promise<PartOf> {
  const narrow = rowsIn.units(rowsOfTile.scope);
  const counts = groupsIn(await list(ctx, servedOf(workUnits), countsOf(rowsOfTile, isOpenUnit, 'severityId'), { narrow }));
  const query = queryText({ filter: isOpenUnit, orderBy: ['severityId asc', 'created desc'], top: listed });
  const rows = rowsOfTile.isRepeated
    ? []
    : (
        await list(ctx, servedOf(workUnits), query, {
          narrow,
          select: ['workUnitId', 'publicWorkUnitId', 'tenantId', 'title', 'severityId', 'created'],
        })
      ).value;
  return (tenantId) => {
    const mine = ofTenant(counts, tenantId);
    const bySeverity = Object.fromEntries(
      severities.map((severity) => [severity, sumOf(mine.filter(({ severityId }) => severityId === severity))]),
    );
    return { kind: 'units', count: sumOf(mine), bySeverity: bySeverity as Record<(typeof severities)[number], number>, rows };
  };
}

async function matchesPart(ctx: Ctx, rowsOfTile: TileRows): Promise<PartOf> {
  const narrow = rowsIn.matches(rowsOfTile.scope);
  const counts = groupsIn(await list(ctx, servedOf(ruleMatches), countsOf(rowsOfTile, isOpenMatch), { narrow }));
  const query = queryText({ filter: isOpenMatch, orderBy: 'created desc', top: listed });
  const rows = rowsOfTile.isRepeated
    ? []
    : (await list(ctx, servedOf(ruleMatches), query, { narrow, select: ['ruleMatchId', 'tenantId', 'label', 'created'] })).value;
  return (tenantId) => ({ kind: 'matches', count: sumOf(ofTenant(counts, tenantId)), rows });
}

async function devicesPart(ctx: Ctx, rowsOfTile: TileRows): Promise<PartOf> {
  requireScope(ctx, 'Packets', 'view');
  const narrow = rowsIn.devices(rowsOfTile.scope);
  const isEnabled = eq(devices, 'enabled', true);
  const all = groupsIn(await list(ctx, servedOf(devices), countsOf(rowsOfTile, isEnabled), { narrow }));
  const off = groupsIn(await list(ctx, servedOf(devices), countsOf(rowsOfTile, eq(devices, 'enabled', false)), { narrow }));
  const silent = groupsIn(await list(ctx, servedOf(devices), countsOf(rowsOfTile, and(isEnabled, isSilent)), { narrow }));
  const names = rowsOfTile.isRepeated
    ? []
    : (
        await list(ctx, servedOf(devices), queryText({ filter: and(isEnabled, isSilent), orderBy: 'name asc', top: namesListed }), {
          narrow,
          select: ['name'],
        })
      ).value;
  return (tenantId) => {
    const quiet = sumOf(ofTenant(silent, tenantId));
    return {
      kind: 'devices',
      reporting: Math.max(0, sumOf(ofTenant(all, tenantId)) - quiet),
      silent: quiet,
      disabled: sumOf(ofTenant(off, tenantId)),
      names: names.map(({ name }) => name),
    };
  };
}

async function versionsPart(ctx: Ctx, rowsOfTile: TileRows): Promise<PartOf> {
  const rows = groupsIn(
    await list(ctx, servedOf(complianceReport), countsOf(rowsOfTile, undefined, 'versionStatus'), {
      narrow: rowsIn.ofDevice(rowsOfTile.scope),
    }),
  );
  return (tenantId) => {
    const of = (status: string) => sumOf(ofTenant(rows, tenantId).filter(({ versionStatus }) => versionStatus === status));
    return { kind: 'versions', current: of('Current'), outdated: of('Outdated') };
  };
}

/** The Monday of a time's week in UTC, the day by which control statuses are stored. */
function mondayOf(now: Date): string {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return new Date(midnight - ((now.getUTCDay() + 6) % 7) * dayMs).toISOString();
}

async function compliancePart(ctx: Ctx, rowsOfTile: TileRows): Promise<PartOf> {
  const rows = groupsIn(
    await list(ctx, servedOf(controlStatuses), countsOf(rowsOfTile, `checkDate ge ${mondayOf(ctx.now())}`, 'status'), {
      narrow: rowsIn.tenants(rowsOfTile.scope),
    }),
  );
  return (tenantId) => {
    const mine = ofTenant(rows, tenantId);
    const statuses = [...new Set(mine.map(({ status = '' }) => status))].toSorted();
    return { kind: 'compliance', statuses: statuses.map((status) => ({ status, n: sumOf(mine.filter((row) => row.status === status)) })) };
  };
}

async function customersPart(ctx: Ctx, { scope }: TileRows): Promise<PartOf> {
  const value = await readCustomers(
    ctx,
    scope.tenants.map(({ id }) => id),
  );
  return () => ({ kind: 'customers', value });
}

const partsBy: Readonly<Record<ListTile['kind'], (ctx: Ctx, rowsOfTile: TileRows) => Promise<PartOf>>> = {
  units: unitsPart,
  matches: matchesPart,
  devices: devicesPart,
  versions: versionsPart,
  compliance: compliancePart,
  customers: customersPart,
};

async function listParts(ctx: Ctx, tile: ListTile, scope: ReadScope): Promise<TileAnswer['parts']> {
  const isRepeated = tile.repeat === true && tile.kind !== 'customers';
  const tenants = isRepeated ? scope.tenants.slice(0, partsMax) : scope.tenants;
  const part = await partsBy[tile.kind](ctx, { scope: { ...scope, tenants }, isRepeated });
  if (!isRepeated) return [{ tenantId: null, name: null, shown: await part(null) }];
  const parts = [];
  for (const { id, name } of tenants) parts.push({ tenantId: id, name, shown: await part(id) });
  return parts;
}

interface Lines {
  from: number;
  to: number;
  step: number;
  /** By entity and metric. */
  series: ReadonlyMap<string, OneSeries>;
}

const lineKey = ({ entityId, metric }: { entityId: string; metric: string }): string => `${entityId} ${metric}`;

async function readLines(
  ctx: Ctx,
  { readSeries: read }: TileCalls,
  targets: readonly { entityId: string; metric: string }[],
  hours: number,
  points: number,
): Promise<Lines> {
  const to = ctx.now();
  const from = new Date(to.getTime() - hours * 3_600_000);
  const empty: Lines = { from: from.getTime(), to: to.getTime(), step: (hours * 3_600_000) / points, series: new Map() };
  if (targets.length === 0) return empty;
  const requested = [
    ...new Map(
      targets.map(({ entityId, metric }) => [lineKey({ entityId, metric }), { entityId, metric, of: 'devices' as const }]),
    ).values(),
  ];
  try {
    const answer = await read(ctx, { from: from.toISOString(), to: to.toISOString(), points, series: requested, format: 'json' });
    return { ...empty, step: answer.step, series: new Map(answer.series.map((item) => [lineKey(item), item])) };
  } catch (error) {
    // Entities that are deleted, or that report something else, have no data.
    if (error instanceof ApiError && error.code === 'UnknownSeries') return empty;
    throw error;
  }
}

const lineOf = ({ series }: Lines, of: TileSeries) => {
  const item = series.get(lineKey(of));
  return item && item.buckets.length > 0 ? { ...of, buckets: item.buckets, gap: item.gap } : null;
};

/** The series of a chart: those that it names, or its metric of the devices of its scope. */
async function seriesOf(ctx: Ctx, tile: TileOf<'chart'>, scope: ReadScope): Promise<readonly TileSeries[]> {
  const { metric } = tile;
  if (tile.series.length > 0 || metric === undefined) return tile.series;
  const query = queryText({ filter: eq(devices, 'enabled', true), orderBy: 'name asc', top: dashboardLimits.series });
  const page = await list(ctx, servedOf(devices), query, { narrow: rowsIn.devices(scope), select: ['deviceId', 'name'] });
  return page.value.map(({ deviceId, name }) => ({ entityId: deviceId, metric, label: name }));
}

const timesOf = ({ from, to, step }: Lines) => ({ from, to, step });

/** Reads tiles for the caller. Values of variables must be valid; those that no tile uses have no effect. */
export async function readTilesFor(ctx: Ctx, calls: TileCalls, { tenantId, tiles, variables }: TilesToRead): Promise<TilesAnswer> {
  const scopeOf = scopeReader(ctx);
  const asOf = ctx.now().toISOString();
  const numbers = tiles.flatMap((tile) => (tile.kind === 'number' ? tile.series : []));
  let numberLines: Promise<Lines> | undefined;
  const read = async (tile: DashboardTile): Promise<TileAnswer> => {
    const base = { id: tile.id, scope: [], tenants: 0, tenantId: null, parts: [] };
    try {
      if (tile.kind === 'number') {
        numberLines ??= readLines(ctx, calls, numbers, numberHours, numberPoints);
        const lines = await numberLines;
        const [first] = tile.series;
        const line = first ? lineOf(lines, first) : null;
        return { ...base, state: 'Shown', parts: [{ tenantId: null, name: null, shown: { kind: 'number', ...timesOf(lines), line } }] };
      }
      const scope = await scopeOf(tile.scope ? appliedScope(tile.scope, variables) : { tenant: tenantId }, areas[tile.kind]);
      const answer = {
        ...base,
        state: 'Shown' as const,
        scope: [...scope.names],
        tenants: scope.tenants.length,
        tenantId: (scope.tenants.length === 1 && scope.tenants[0]?.id) || null,
      };
      if (tile.kind !== 'chart') return { ...answer, parts: await listParts(ctx, tile, scope) };
      const series = await seriesOf(ctx, tile, scope);
      const lines = await readLines(ctx, calls, series, tile.hours, chartPoints);
      const shown = { kind: 'chart' as const, ...timesOf(lines), lines: series.flatMap((item) => lineOf(lines, item) ?? []) };
      return { ...answer, parts: [{ tenantId: null, name: null, shown }] };
    } catch (error) {
      if (error instanceof ApiError && (error.code === 'Forbidden' || error.code === 'NotFound')) return { ...base, state: 'Denied' };
      if (!(error instanceof ApiError)) ctx.log.error({ err: error, tile: tile.id }, 'A tile of a dashboard could not be read.');
      return { ...base, state: 'Failed' };
    }
  };
  const answers: TileAnswer[] = [];
  // One after the other: a wall reads all the time, and leaves the connections to people.
  for (const tile of tiles) answers.push(await read(tile));
  const names = [];
  for (const kind of variableKinds) {
    const value = variables[kind];
    if (value === undefined) continue;
    const scope = await scopeOf({ [kind]: value }, 'Visualizations').catch(() => undefined);
    const name = scope?.names[0]?.name;
    if (name !== undefined) names.push({ kind, name });
  }
  return { asOf, names, tiles: answers };
}

export const tilesAction = (calls: TileCalls): ImplementedAction =>
  implement(readTiles, (ctx, { variables = {}, ...input }) => readTilesFor(ctx, calls, { ...input, variables }));
