/** Reads a dashboard and what its tiles show while the code of its page loads, so that both render sooner. */
import type { LoaderFunctionArgs } from 'react-router';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { queryClient } from '../../api/query-client.ts';
import { hasToken } from '../../api/session.ts';
import { rowQuery } from '../../rows/use-rows.ts';
import { customersId } from './use-dashboard.ts';
import { tilesQuery, valuesIn } from './use-tiles.ts';

/** Maximum time in milliseconds for which the previous page stays visible while the data loads. */
const maxMs = 250;

async function readTilesOf(id: string, address: URL): Promise<void> {
  const row = await queryClient.fetchQuery(rowQuery(dashboards, id));
  if (row.tiles.length > 0) await queryClient.prefetchQuery(tilesQuery(row.tenantId, row.tiles, valuesIn(address.searchParams, row)));
}

/** Starts to read the dashboard before its page renders. Errors are ignored here: the page reads again, and reports them. */
export async function loadDashboard({ params, request }: LoaderFunctionArgs): Promise<null> {
  const id = (params['dashboardId'] ?? '').toLowerCase();
  if (!hasToken() || id === customersId) return null;
  const read = readTilesOf(id, new URL(request.url)).catch(() => undefined);
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, maxMs))]);
  return null;
}
