/** The latest packet of a device, and the rule matches of the device. */
import { Link } from 'react-router';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packetTexts } from '@cloudfit/contract/messages/packets.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { useMay } from '../../api/lookups.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/states.tsx';
import { Matches } from '../../entities/matches/matches.tsx';
import { PacketDetails } from '../../entities/packets/packet-details.tsx';
import { PanelTabs, tabPanelProps, usePanelTab } from '../../resource/panel-tabs.tsx';
import { useList } from '../../rows/use-rows.ts';
import type { PanelTab } from '../../resource/view.ts';
import { DeviceSidePanel, KnownDevice, type DevicePanelProps } from './device-panel.tsx';
import { packetPollMs } from './use-packet.ts';

const t = deviceTexts.packets;

interface DeviceKey {
  deviceId: string;
}

const MatchesBody = ({ row }: { row: DeviceKey }) => <Matches of={{ subjectId: row.deviceId }} />;
const others: readonly PanelTab<DeviceKey>[] = [{ id: 'ruleMatches', label: t.tabs.matches, Body: MatchesBody }];
const tabs = { form: t.tabs.packet, others };

function LatestPacket({ deviceId }: { deviceId: string }) {
  const mayView = useMay()(packets.area, 'view');
  const latest = useList(packets, { filter: eq(packets, 'entityId', deviceId), top: 1 }, { pollMs: packetPollMs, enabled: mayView });
  if (!mayView) return <ErrorState title={en.auth.deniedTitle} text={packetTexts.forbidden} />;
  return (
    <Loaded query={latest} failed={packetTexts.failed} small={false}>
      {({ rows }) => <PacketDetails packet={rows[0]} />}
    </Loaded>
  );
}

export function PacketsPanel({ deviceId, onClose }: DevicePanelProps) {
  const [tab, choose] = usePanelTab(others);
  return (
    <KnownDevice deviceId={deviceId} onClose={onClose}>
      {(device) => (
        <DeviceSidePanel
          device={device}
          title={t.of(device.name)}
          onClose={onClose}
          tabs={<PanelTabs tabs={tabs} label={t.action} value={tab?.id} onChange={choose} />}
          footer={
            <>
              <Button onClick={() => onClose()}>{en.common.close}</Button>
              <span className="grow" />
              <Link className="link" to={`/${device.tenantId}/packets/${deviceId}`}>
                {t.open}
              </Link>
            </>
          }
        >
          <div className="body" key={tab?.id ?? ''} {...tabPanelProps(tab)}>
            {tab ? <tab.Body row={{ deviceId }} /> : <LatestPacket deviceId={deviceId} />}
          </div>
        </DeviceSidePanel>
      )}
    </KnownDevice>
  );
}
