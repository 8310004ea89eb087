import { useSearchParams } from 'react-router';
import { DeviceOperations, DeviceOperationsPanel } from '../features/device-operations/device-operations-panel.tsx';
import { DevicePage } from '../features/devices/device-page.tsx';

/** The page of one device, with the panel of its operations that its menu opens. */
export function DeviceRoute() {
  const [params] = useSearchParams();
  const deviceId = params.get('operations');
  return (
    <>
      <DevicePage Operations={DeviceOperations} />
      {deviceId && <DeviceOperationsPanel key={deviceId} deviceId={deviceId} />}
    </>
  );
}
