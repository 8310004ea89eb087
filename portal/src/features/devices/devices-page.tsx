import { useMemo, useState, type ComponentType, type ReactNode } from 'react';
import { Link } from 'react-router';
import { addDevicesTexts } from '@cloudfit/contract/messages/add-devices.en.ts';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { useMay } from '../../api/lookups.ts';
import { selectedKeys, useSelection, type WholeList } from '../../hooks/use-selection.ts';
import { ImportButton } from '../../entities/list-import/import-button.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { useDeviceActions } from './device-actions.ts';
import { DevicePanels } from './device-panels.tsx';
import { deviceTabs } from './device-tabs.tsx';
import { devicesView } from './devices.view.tsx';
import { useDevicePanels } from './use-device-panels.ts';

function PendingLinks() {
  const { tenantId } = useScope();
  const may = useMay();
  if (!tenantId || !may(pendingDevices.area, 'view')) return null;
  return (
    <>
      {may('Tokens', 'create') && may(pendingDevices.area, 'create') && (
        <Link className="btn" to={`/${tenantId}/pendingdevices?add=new`}>
          {addDevicesTexts.title}
        </Link>
      )}
      <Link className="btn" to={`/${tenantId}/pendingdevices`}>
        {t.promote}
      </Link>
    </>
  );
}

interface DevicesPageProps {
  Operations: ComponentType<{ deviceId: string }>;
  /**
   * Renders the actions for the selected devices of a tenant: listed devices, or all devices of a filter. Without this
   * function, devices cannot be selected.
   */
  onSelected?: ((tenantId: string, selected: readonly string[] | WholeList) => ReactNode) | undefined;
}

/** The list is rendered last, so that the panel of an opened device covers another open panel, such as its logs. */
export function DevicesPage({ Operations, onSelected }: DevicesPageProps) {
  const { tenantId } = useScope();
  // The selection belongs to one tenant, because another tenant has other devices.
  const [value, onChange] = useSelection(`${devices.name} ${tenantId}`);
  const [all, setAll] = useState<WholeList>();
  const whole = useMemo(() => ({ value: all, onChange: setAll }), [all]);
  const keys = selectedKeys(value);
  const selected = all ?? (keys.length > 0 ? keys : undefined);
  const { name, deviceId, open, close } = useDevicePanels();
  const actions = useDeviceActions(open);
  const view = useMemo(() => devicesView(actions, deviceTabs(Operations, 'panel')), [actions, Operations]);
  return (
    <>
      <DevicePanels name={name} deviceId={deviceId} onClose={close} />
      <ListPage
        view={view}
        bar={
          <>
            <ImportButton list="devices" area={devices.area} />
            <PendingLinks />
          </>
        }
        {...(onSelected && tenantId ? { selection: { value, onChange, whole, acts: selected && onSelected(tenantId, selected) } } : {})}
      />
    </>
  );
}
