/** A side panel about one device, shown when the device has loaded. */
import type { ReactNode } from 'react';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { CopyId } from '../../components/chips.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useDevice, type Device } from './use-device.ts';

/** Props of every panel of a device. */
export interface DevicePanelProps {
  deviceId: string;
  onClose: (options?: { saved?: boolean }) => void;
}

interface KnownDeviceProps extends DevicePanelProps {
  children: (device: Device) => ReactNode;
}

/** Renders `children` with the device, or a panel with the reason why the device could not be read. */
export function KnownDevice({ deviceId, onClose, children }: KnownDeviceProps) {
  const { data: device, error, refetch } = useDevice(deviceId);
  if (device) return children(device);
  return <MissingRow label={devices.label} error={error} onRetry={() => void refetch()} onClose={() => onClose()} />;
}

interface DeviceSidePanelProps {
  device: Device;
  title: string;
  tabs?: ReactNode;
  footer: ReactNode;
  onClose: DevicePanelProps['onClose'];
  children: ReactNode;
}

export function DeviceSidePanel({ device, title, tabs, footer, onClose, children }: DeviceSidePanelProps) {
  return (
    <SidePanel
      title={title}
      meta={<CopyId id={device.deviceId} label={devices.fields.deviceId.label} />}
      tabs={tabs}
      footer={footer}
      onClose={() => onClose()}
    >
      {children}
    </SidePanel>
  );
}
