import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { Chip } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { isTraced, type Device } from './use-device.ts';
import './device-panels.css';

/** What is unusual about a device now, beside its name. */
export function DeviceMarks({ device }: { device: Device }) {
  const now = useNow();
  const traced = isTraced(device, now);
  if (!device.restartAgentFlag && !traced) return null;
  return (
    <span className="device-marks">
      {device.restartAgentFlag && (
        <Chip tone="warn" title={t.restart.flaggedHint}>
          {t.restart.flagged}
        </Chip>
      )}
      {traced && <Chip tone="info">{t.tracing.mark}</Chip>}
    </span>
  );
}
