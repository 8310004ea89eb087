/** The dashboards of a tenant that the person may see; each opens as a page of its own. */
import { useMemo } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { dashboardTexts as t } from '@cloudfit/contract/messages/dashboards.en.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { dashboardsView, type Dashboard } from './dashboards.view.tsx';
import { addressOf, customersId, useMakeDashboard } from './use-dashboard.ts';
import '../../resource/list-page.css';

const address = listAddress(dashboardsView);

export function DashboardsPage() {
  const { tenantId = '' } = useParams();
  const navigate = useNavigate();
  const mayCreate = useMay()(dashboards.area, 'create');
  const { open } = usePanel();
  const screen = useListScreen(dashboardsView, useListState(address));
  const { make, isBusy } = useMakeDashboard(tenantId);
  const opening = useMemo(() => ({ href: addressOf, open: (row: Dashboard) => void navigate(addressOf(row)) }), [navigate]);
  return (
    <div className="page">
      <ListToolbar
        screen={screen}
        open={open}
        create={
          mayCreate ? (
            <Button look="primary" icon="plus" data-create disabled={isBusy} onClick={() => void make()}>
              {t.create}
            </Button>
          ) : (
            <span />
          )
        }
      >
        <Link className="btn" to={addressOf({ tenantId, dashboardId: customersId })} title={t.customers.hint}>
          {t.customers.title}
        </Link>
        <FilterBar listing={dashboardsView} state={screen.state} onChange={screen.change} />
      </ListToolbar>
      <div className="page-middle">
        <ListGrid screen={screen} opening={opening} />
      </div>
      <ListPager screen={screen} />
    </div>
  );
}
