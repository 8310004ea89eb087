import { deviceLogList } from '@cloudfit/contract/calls.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { LogList } from '../../entities/logs/log-list.tsx';
import { DeviceSidePanel, KnownDevice, type DevicePanelProps } from './device-panel.tsx';

const t = deviceTexts.logs;

export function LogsPanel({ deviceId, onClose }: DevicePanelProps) {
  return (
    <KnownDevice deviceId={deviceId} onClose={onClose}>
      {(device) => (
        <DeviceSidePanel
          device={device}
          title={t.of(device.name)}
          onClose={onClose}
          footer={<Button onClick={() => onClose()}>{en.common.close}</Button>}
        >
          <div className="body">
            <LogList of={deviceLogList} id={deviceId} withOperations noneText={t.noneText} />
          </div>
        </DeviceSidePanel>
      )}
    </KnownDevice>
  );
}
