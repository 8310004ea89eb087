/** What the tiles of a dashboard show: one call for all, with the values of the variables that the address names. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { readTiles } from '@cloudfit/contract/calls.ts';
import {
  valuesOf,
  variableKinds,
  type DashboardTile,
  type VariableKind,
  type VariableValues,
} from '@cloudfit/contract/resources/dashboards.ts';
import { callQuery } from '../../api/call.ts';
import type { Dashboard } from './dashboards.view.tsx';
import { pollMs, usePace } from './use-pace.ts';

/** What a tile of a kind shows rows of, by which a change of one is shown soon. */
const entitiesOf: Readonly<Record<DashboardTile['kind'], readonly string[]>> = {
  number: ['packets'],
  chart: ['packets'],
  units: ['workUnits'],
  matches: ['ruleMatches'],
  devices: ['devices', 'packets'],
  versions: ['packageVersions'],
  compliance: ['controlStatuses'],
  customers: ['workUnits', 'tenants', 'packets'],
};

export type TilesReading = CallOutput<typeof readTiles>;

export interface TilesRead {
  data: TilesReading | undefined;
  isError: boolean;
  /** When the data came, by the clock of this browser. */
  readAt: number;
}

/** The parameter of the address that has the value of a variable. */
export const paramOf = (kind: VariableKind): string => `v.${kind}`;

export function valuesIn(params: URLSearchParams, { variables }: Pick<Dashboard, 'variables'>): VariableValues {
  const chosen = Object.fromEntries(
    variableKinds.flatMap((kind) => (params.has(paramOf(kind)) ? [[kind, params.get(paramOf(kind)) ?? '']] : [])),
  );
  return valuesOf(variables, chosen);
}

/** The values of a dashboard's variables: those of the address, otherwise its defaults. */
export function useValues(row: Pick<Dashboard, 'variables'>): VariableValues {
  const [params] = useSearchParams();
  return useMemo(() => valuesIn(params, row), [params, row]);
}

/** Place and title of a tile do not change what it shows, so that moving a tile reads nothing again. */
const anywhere = { x: 0, y: 0, w: 1, h: 1, title: '' };

export function tilesQuery(tenantId: string, tiles: readonly DashboardTile[], variables: VariableValues) {
  return callQuery(readTiles, { tenantId, tiles: tiles.map((tile): DashboardTile => ({ ...tile, ...anywhere })), variables });
}

export function useTiles(tenantId: string, tiles: readonly DashboardTile[], variables: VariableValues): TilesRead {
  const { data, isError, dataUpdatedAt, errorUpdatedAt, refetch } = useQuery({
    ...tilesQuery(tenantId, tiles, variables),
    enabled: tiles.length > 0,
    staleTime: pollMs / 2,
    placeholderData: keepPreviousData,
  });
  usePace({
    read: () => void refetch(),
    endedAt: Math.max(dataUpdatedAt, errorUpdatedAt),
    entities: tiles.flatMap(({ kind }) => entitiesOf[kind]),
  });
  return { data, isError, readAt: dataUpdatedAt };
}
