import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { Chip } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { isTraced, type Device } from './use-device.ts';

/** What is unusual about a device now, beside its name. */
export function DeviceMarks({ device }: { device: Device }) {
  const now = useNow();
  return (
    <>
      {device.restartAgentFlag && (
        <Chip tone="warn" title={t.restart.flaggedHint}>
          {t.restart.flagged}
        </Chip>
      )}
      {isTraced(device, now) && <Chip tone="info">{t.tracing.mark}</Chip>}
    </>
  );
}
