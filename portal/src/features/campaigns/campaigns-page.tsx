/** The campaigns of a tenant; each opens as a page of its own. */
import { useMemo } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../../api/lookups.ts';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { campaignsView, type Campaign } from './campaigns.view.tsx';
import '../../resource/list-page.css';

const address = listAddress(campaignsView);

export function CampaignsPage() {
  const { tenantId } = useParams();
  const navigate = useNavigate();
  const may = useMay();
  const { open } = usePanel();
  const screen = useListScreen(campaignsView, useListState(address));
  const opening = useMemo(() => {
    // The campaign of a policy of several tenants opens in the tenant where the person is.
    const pageOf = (campaign: Campaign) => `/${campaign.tenantId ?? tenantId}/campaigns/${campaign.campaignId}`;
    return { href: pageOf, open: (campaign: Campaign) => void navigate(pageOf(campaign)) };
  }, [navigate, tenantId]);
  const { state, change } = screen;
  return (
    <div className="page">
      <ListToolbar
        screen={screen}
        open={open}
        bar={
          may(devices.area, 'edit') && (
            <Link className="btn" to={`/${tenantId}/devices`}>
              {t.toDevices}
            </Link>
          )
        }
      >
        <FilterBar listing={campaignsView} state={state} onChange={change} />
      </ListToolbar>
      <div className="page-middle">
        <ListGrid screen={screen} opening={opening} />
      </div>
      <ListPager screen={screen} />
    </div>
  );
}
