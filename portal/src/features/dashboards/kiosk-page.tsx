/** A dashboard, or all customers, on a wall screen of somebody who is signed in. */
import { useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { failureText } from '../../api/client.ts';
import { useTenants } from '../../api/lookups.ts';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { Board } from './board.tsx';
import { CustomersBoard } from './customers-board.tsx';
import { useCustomers } from './use-customers.ts';
import type { Dashboard } from './dashboards.view.tsx';
import { addressOf, customersId } from './use-dashboard.ts';
import { useTiles, useValues } from './use-tiles.ts';
import { useIsStale, WallFrame } from './wall-frame.tsx';
import { LoadFailure } from '../../rows/load-failure.tsx';

const t = dashboardTexts.wall;

function Leave() {
  const { dashboardId = '', tenantId = '' } = useParams();
  const { search } = useLocation();
  return (
    <Link className="btn small" to={addressOf({ tenantId, dashboardId }) + search}>
      {t.leave}
    </Link>
  );
}

function DashboardWall({ row }: { row: Dashboard }) {
  const read = useTiles(row.tenantId, row.tiles, useValues(row));
  const isStale = useIsStale(read.readAt);
  const { data: tenants = [] } = useTenants();
  const tenant = tenants.find(({ tenantId }) => tenantId === row.tenantId)?.name;
  const about = [tenant, ...(read.data?.names ?? []).map(({ name }) => name)].filter(Boolean).join(' · ');
  return (
    <WallFrame title={row.name} about={about} readAt={read.readAt} actions={<Leave />}>
      <Board tiles={row.tiles} read={read} heading="h2" isStale={isStale} />
    </WallFrame>
  );
}

function CustomersWall() {
  const { data, error, readAt } = useCustomers();
  const isStale = useIsStale(readAt);
  return (
    <WallFrame title={dashboardTexts.customers.title} readAt={readAt} actions={<Leave />}>
      {data ? (
        <div className={isStale ? 'customers-page stale' : 'customers-page'}>
          <h2 className="visually-hidden">{dashboardTexts.customers.sum}</h2>
          <CustomersBoard customers={data.value} hasLinks />
        </div>
      ) : error ? (
        <ErrorState title={dashboardTexts.customers.failed} text={failureText(error)} />
      ) : (
        <Skeleton width="40%" />
      )}
    </WallFrame>
  );
}

function OneWall({ dashboardId }: { dashboardId: string }) {
  const { data: row, error, refetch } = useRow(dashboards, dashboardId);
  // Data that was read once stays on the screen, whatever happens to the connection.
  const [shown, setShown] = useState(row);
  if (row && row !== shown) setShown(row);
  if (shown) return <DashboardWall row={shown} />;
  return (
    <WallFrame title={undefined} readAt={0} actions={<Leave />}>
      {error ? <LoadFailure query={{ error, refetch }} failed={dashboardTexts.failed} /> : <Skeleton width="40%" />}
    </WallFrame>
  );
}

export function KioskPage() {
  const { dashboardId = '' } = useParams();
  usePageTitle(t.title);
  return dashboardId === customersId ? <CustomersWall /> : <OneWall dashboardId={dashboardId.toLowerCase()} />;
}
