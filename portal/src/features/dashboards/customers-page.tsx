/** The state of all customers that the person sees, those that need somebody first. */
import { Link, useParams } from 'react-router';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { failureText } from '../../api/client.ts';
import { usePageTitle } from '../../components/page-title.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { clockTime } from '../../theme/times.ts';
import { CustomersBoard } from './customers-board.tsx';
import { useCustomers } from './use-customers.ts';
import { customersId, kioskOf } from './use-dashboard.ts';
import { useIsStale } from './wall-frame.tsx';

const t = dashboardTexts.customers;

export function CustomersPage() {
  const { tenantId = '' } = useParams();
  usePageTitle(t.title);
  const { data, error, readAt } = useCustomers();
  const isStale = useIsStale(readAt);
  return (
    <>
      <div className="dash-head">
        <h2>{t.title}</h2>
        {readAt > 0 && (
          <span className={isStale ? 'tile-stale' : 'tile-scope'}>
            {dashboardTexts.wall.asOf(clockTime(new Date(readAt).toISOString()))}
          </span>
        )}
        <span className="grow" />
        <Link className="btn small primary" to={kioskOf({ tenantId, dashboardId: customersId })} title={dashboardTexts.kioskHint}>
          {dashboardTexts.kiosk}
        </Link>
      </div>
      {data ? (
        <CustomersBoard customers={data.value} hasLinks />
      ) : error ? (
        <ErrorState title={t.failed} text={failureText(error)} />
      ) : (
        <Skeleton width="40%" />
      )}
    </>
  );
}
