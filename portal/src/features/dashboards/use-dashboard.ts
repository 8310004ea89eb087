/** Addresses and owners of dashboards, and creating a dashboard, with starter tiles or as a copy. */
import { useNavigate } from 'react-router';
import { dashboardTexts as t } from '@cloudfit/contract/messages/dashboards.en.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { dashboards, type DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useCurrentUser, useMay, usePermissions } from '../../api/lookups.ts';
import { createRow } from '../../api/row-calls.ts';
import { useCommand } from '../../calls/command.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import type { Dashboard } from './dashboards.view.tsx';

export const editParam = 'edit';
/** In place of the id of a dashboard: the state of all customers. */
export const customersId = 'customers';
export const addressOf = ({ tenantId, dashboardId }: Pick<Dashboard, 'tenantId' | 'dashboardId'>) =>
  `/${tenantId}/dashboards/${dashboardId}`;
export const kioskOf = ({ tenantId, dashboardId }: Pick<Dashboard, 'tenantId' | 'dashboardId'>) => `/${tenantId}/kiosk/${dashboardId}`;

/** Whether the person may decide who sees the dashboard: its owner, or somebody who may edit the settings of the tenant. */
export function useIsOwner(row: Dashboard): boolean {
  const { data: me } = useCurrentUser();
  const { data: permissions } = usePermissions();
  return (me !== undefined && me.personId === row.ownerId) || (permissions?.has(permission('Settings', 'edit')) ?? false);
}

const chartSeries = 5;

/** A chart of the CPU of the first devices that report it. */
async function starterChart(tenantId: string): Promise<DashboardTile[]> {
  const { rows } = await fetchPage(devices, {
    filter: `${eq(devices, 'tenantId', tenantId)} and ${eq(devices, 'enabled', true)}`,
    expand: ['packet'],
    top: 50,
  });
  const series = rows
    .filter(({ packet }) => typeof packet?.message.Metrics?.['Cpu'] === 'number')
    .slice(0, chartSeries)
    .map(({ deviceId, name }) => ({ entityId: deviceId, metric: 'Cpu', label: name }));
  if (series.length === 0) return [];
  return [{ id: 'cpu', kind: 'chart', title: t.starter.cpu, x: 0, y: 2, w: 6, h: 4, hours: 6, series }];
}

/** Returns a function that builds the tiles of a new dashboard, as far as the person's permissions allow. */
function useStarterTiles() {
  const may = useMay();
  return async (tenantId: string): Promise<DashboardTile[]> => [
    ...(may('Devices', 'view') ? ([{ id: 'devices', kind: 'devices', title: '', x: 0, y: 0, w: 4, h: 2 }] as const) : []),
    ...(may('Devices', 'view') ? ([{ id: 'versions', kind: 'versions', title: '', x: 4, y: 0, w: 4, h: 2 }] as const) : []),
    ...(may('Compliance', 'view') ? ([{ id: 'compliance', kind: 'compliance', title: '', x: 8, y: 0, w: 4, h: 2 }] as const) : []),
    ...(may('Devices', 'view') && may('Packets', 'view') ? await starterChart(tenantId) : []),
    ...(may('WorkUnits', 'view') ? ([{ id: 'units', kind: 'units', title: '', x: 6, y: 2, w: 3, h: 4 }] as const) : []),
    ...(may('Rules', 'view') ? ([{ id: 'matches', kind: 'matches', title: '', x: 9, y: 2, w: 3, h: 4 }] as const) : []),
  ];
}

/** Creates a dashboard with starter tiles, or with the tiles of dashboard `from`, and opens it for editing. */
export function useMakeDashboard(tenantId: string) {
  const navigate = useNavigate();
  const starterTiles = useStarterTiles();
  const { run, isBusy } = useCommand(
    async (from: Pick<Dashboard, 'name' | 'tiles' | 'variables'> | undefined) => {
      const values = from
        ? { name: t.copied(from.name).slice(0, 200), tiles: from.tiles, variables: from.variables }
        : { name: t.newName, tiles: await starterTiles(tenantId) };
      return createRow(dashboards, { ...values, tenantId });
    },
    { refreshes: [dashboards.name] },
  );
  const make = async (from?: Pick<Dashboard, 'name' | 'tiles' | 'variables'>) => {
    const created = await run(from);
    if (created) await navigate(`${addressOf(created.answer)}?${editParam}=1`);
  };
  return { make, isBusy };
}
