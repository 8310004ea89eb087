import { useSearchParams } from 'react-router';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../api/lookups.ts';
import { onDemand } from '../components/on-demand.tsx';
import { SelectionActions } from '../features/campaigns/selection-actions.tsx';
import { DevicesPage } from '../features/devices/devices-page.tsx';

const { Component: OperationsPanel } = onDemand(() =>
  import('../features/device-operations/device-operations-panel.tsx').then((module) => module.DeviceOperationsPanel),
);

const onSelected = (tenantId: string, selected: readonly string[]) => <SelectionActions tenantId={tenantId} selected={selected} />;

/** The devices, what can be done on many of them, and a panel with the operations of one device. */
export function DevicesRoute() {
  const mayEdit = useMay()(devices.area, 'edit');
  const [params] = useSearchParams();
  const deviceId = params.get('operations');
  return (
    <>
      {deviceId && <OperationsPanel key={deviceId} deviceId={deviceId} />}
      <DevicesPage onSelected={mayEdit ? onSelected : undefined} />
    </>
  );
}
