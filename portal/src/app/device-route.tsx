import { useSearchParams } from 'react-router';
import { DeviceOperations, DeviceOperationsPanel } from '../features/device-operations/device-operations-panel.tsx';
import { DevicePage } from '../features/devices/device-page.tsx';

/** The page of one device, and the panel with the device's operations, which the menu of the page opens. */
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
