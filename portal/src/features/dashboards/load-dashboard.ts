/** Reads a dashboard and the series of its number tiles while the code of its page loads, so that both render sooner. */
import type { LoaderFunctionArgs } from 'react-router';
import { permission } from '@cloudfit/contract/permissions.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { permissionsQuery } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { hasToken } from '../../api/session.ts';
import { sparklineQuery } from '../../entities/series/use-sparkline.ts';
import { rowQuery } from '../../rows/use-rows.ts';

/** Maximum time in milliseconds for which the previous page stays visible while the data loads. */
const maxMs = 250;

async function readTiles(id: string): Promise<void> {
  const [row, permissions] = await Promise.all([
    queryClient.fetchQuery(rowQuery(dashboards, id)),
    queryClient.ensureQueryData(permissionsQuery),
  ]);
  if (!permissions.includes(permission(packets.area, 'view'))) return;
  const lines = row.tiles.flatMap(({ kind, ...tile }) => (kind === 'number' && 'series' in tile ? tile.series.slice(0, 1) : []));
  await Promise.all(lines.map(({ entityId, metric }) => queryClient.prefetchQuery(sparklineQuery(entityId, metric))));
}

/** Starts to read the dashboard before its page renders. Errors are ignored here: the page reads again, and reports them. */
export async function loadDashboard({ params }: LoaderFunctionArgs): Promise<null> {
  if (!hasToken()) return null;
  const read = readTiles((params['dashboardId'] ?? '').toLowerCase()).catch(() => undefined);
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, maxMs))]);
  return null;
}
