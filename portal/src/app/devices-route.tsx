import { useSearchParams } from 'react-router';
import { onDemand } from '../components/on-demand.tsx';
import { DevicesPage } from '../features/devices/devices-page.tsx';

const { Component: OperationsPanel } = onDemand(() =>
  import('../features/device-operations/device-operations-panel.tsx').then((module) => module.DeviceOperationsPanel),
);

/** The devices, and a panel with the operations of one device. */
export function DevicesRoute() {
  const [params] = useSearchParams();
  const deviceId = params.get('operations');
  return (
    <>
      {deviceId && <OperationsPanel key={deviceId} deviceId={deviceId} />}
      <DevicesPage />
    </>
  );
}
