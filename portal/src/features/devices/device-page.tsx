/** The page of one device, with an address of its own. Its settings open beside it. */
import { useMemo, type ComponentType } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { CopyLink } from '../../components/copy-link.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { Tabs } from '../../components/tabs.tsx';
import { whyAddress } from '../../entities/explanations/addresses.ts';
import { WhyLink } from '../../entities/explanations/why-link.tsx';
import { MaintainButton } from '../../entities/maintenance/maintain-button.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ResourcePanel } from '../../resource/resource-panel.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { useDeviceActions } from './device-actions.ts';
import { DevicePanels } from './device-panels.tsx';
import { deviceTabs, StatusLine, type PlacedDevice } from './device-tabs.tsx';
import { devicesView } from './devices.view.tsx';
import { pageTabParam, useDevicePanels } from './use-device-panels.ts';
import { Loaded } from '../../calls/loaded.tsx';
import './device-panels.css';

const idBase = 'device';
/** The address parameter that opens the settings on this page; the list of devices uses `id` for its panel. */
const editParam = 'edit';

interface DevicePageProps {
  Operations: ComponentType<{ deviceId: string }>;
}

function DeviceBody({ device, Operations }: DevicePageProps & { device: PlacedDevice }) {
  const mayEdit = useMay()(devices.area, 'edit');
  const tabs = useMemo(() => deviceTabs(Operations, 'page'), [Operations]);
  const panels = useDevicePanels();
  const actions = useDeviceActions(panels.open);
  const view = useMemo(() => {
    const { tabs: _tabs, ...rest } = devicesView(actions, tabs);
    return { ...rest, panelParam: editParam };
  }, [actions, tabs]);
  const { id: edited, open, close } = usePanel(editParam);
  const [params] = useSearchParams();
  const change = useAddress();
  const all = [tabs.first, ...tabs.others];
  const tab = all.find(({ id }) => id === params.get(pageTabParam)) ?? tabs.first;
  const choose = (id: string) =>
    change(
      (next) => {
        if (id === tabs.first.id) next.delete(pageTabParam);
        else next.set(pageTabParam, id);
        return undefined;
      },
      { now: true },
    );
  return (
    <>
      <div className="device-head">
        <h2 className="ellipsis" title={device.name}>
          {device.name}
        </h2>
        <span className="grow">
          <StatusLine device={device} />
        </span>
        <WhyLink button to={whyAddress(device.tenantId, { entityId: device.deviceId })} of={device.name} />
        <MaintainButton look="small" target={{ tenantId: device.tenantId, deviceIds: [device.deviceId] }} what={device.name} />
        <CopyLink />
        {mayEdit && (
          <Button small icon="edit" onClick={() => open(device.deviceId)}>
            {t.overview.edit}
          </Button>
        )}
        <MenuButton small look="plain" icon="more" label={en.common.rowActions(device.name)} entries={actions(device)} />
      </div>
      <Tabs idBase={idBase} label={device.name} value={tab.id} onChange={choose} items={all.map(({ id, label }) => ({ id, label }))} />
      <div role="tabpanel" id={`${idBase}-panel`} aria-labelledby={`${idBase}-${tab.id}`} tabIndex={0} className="device-tab">
        <tab.Body row={device} />
      </div>
      <DevicePanels name={panels.name} deviceId={panels.deviceId} onClose={panels.close} />
      {edited && <ResourcePanel key={edited} view={view} id={edited} row={device} onClose={() => close()} />}
    </>
  );
}

export function DevicePage({ Operations }: DevicePageProps) {
  const { deviceId = '', tenantId = '' } = useParams();
  usePageTitle(t.title);
  const query = useRow(devices, deviceId.toLowerCase(), { expand: ['location', 'tenant', 'subscription'] });
  const { label } = devices;
  return (
    <div className="device-page">
      <Link className="device-back" to={`/${tenantId}/devices`}>
        {t.overview.back}
      </Link>
      <Loaded query={query} small={false} failed={en.failure.row(label)} missing={en.failure.rowNotFound(label)}>
        {(device) => <DeviceBody key={device.deviceId} device={device} Operations={Operations} />}
      </Loaded>
    </div>
  );
}
