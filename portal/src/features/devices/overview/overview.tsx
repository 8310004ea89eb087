/** A device at a glance: its health, its charts, what is open, and what runs on it. */
import { labelOf, operatingSystems } from '@cloudfit/contract/enums.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { durationText } from '../../../components/chart/number-text.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useAddress } from '../../../hooks/use-address.ts';
import { panelPrefix } from '../../../hooks/use-panel.ts';
import { referencedName } from '../../../rows/cells.tsx';
import { HealthChip } from '../health-chip.tsx';
import type { Device } from '../use-device.ts';
import { pageTabParam } from '../use-device-panels.ts';
import { usePacket } from '../use-packet.ts';
import { LogCard, MachineCard, NowCard, OperationsCard, SoftwareCard } from './cards.tsx';
import { DeviceCharts } from './charts.tsx';
import { DeviceNotices } from './notices.tsx';
import './overview.css';

const t = deviceTexts.overview;

/** The state of the device in one line. */
export function StatusLine({ device }: { device: Device }) {
  const { data: packet } = usePacket(device.deviceId);
  const { Metrics = {}, Properties = {} } = packet?.message ?? {};
  const uptime = Metrics['Uptime'] ?? Metrics['UptimeSeconds'];
  const parts = [
    device.operatingSystemId === 0 ? undefined : labelOf(operatingSystems, device.operatingSystemId),
    referencedName(devices, 'locationId', device),
    Properties['AgentVersion'] ? t.agentVersion(String(Properties['AgentVersion'])) : undefined,
    uptime === undefined ? undefined : t.up(durationText(uptime)),
  ].filter((part) => part !== undefined);
  return (
    <p className="device-status" aria-label={t.status}>
      <HealthChip device={device} />
      <span className="muted">
        {parts.join(' · ')}
        {packet && (
          <>
            {parts.length > 0 && ' · '}
            <RelativeTime value={packet.timestamp} />
          </>
        )}
      </span>
    </p>
  );
}

interface OverviewProps {
  device: Device;
  place: 'panel' | 'page';
}

/** Returns a function that opens another tab of the panel or page. */
function useOpenTab(place: OverviewProps['place']): (tab: string) => void {
  const change = useAddress();
  return (tab) =>
    change(
      (next) => {
        next.set(place === 'page' ? pageTabParam : 'tab', tab);
        return undefined;
      },
      { now: true },
    );
}

export function Overview({ device, place }: OverviewProps) {
  const { deviceId } = device;
  const open = useOpenTab(place);
  return (
    <div className="device-overview">
      <DeviceNotices device={device} />
      <div className="device-columns">
        <div className="device-main">
          <DeviceCharts deviceId={deviceId} prefix={place === 'panel' ? panelPrefix : ''} />
          <OperationsCard deviceId={deviceId} onAll={() => open('operations')} />
        </div>
        <div className="device-side">
          <NowCard device={device} />
          <MachineCard device={device} />
          <SoftwareCard deviceId={deviceId} onAll={() => open('installations')} />
          <LogCard deviceId={deviceId} onAll={() => open('logs')} />
        </div>
      </div>
    </div>
  );
}
