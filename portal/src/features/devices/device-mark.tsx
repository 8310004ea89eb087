import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { Chip } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { MaintenanceChip } from '../../entities/maintenance/maintenance-mark.tsx';
import { useMaintenanceOf } from '../../entities/maintenance/use-maintenance.ts';
import { isTraced, type Device } from './use-device.ts';
import './device-panels.css';

/** Shows the most urgent unusual state of a device; two marks would leave no room for the name. */
export function DeviceMark({ device }: { device: Device }) {
  const now = useNow();
  const holders = useMaintenanceOf(device.deviceId);
  if (device.cutOffOn)
    return (
      <Chip tone="danger" title={t.access.isCutOffHint}>
        {t.access.isCutOff}
      </Chip>
    );
  if (holders.length > 0) return <MaintenanceChip holders={holders} />;
  if (device.otherMachineOn)
    return (
      <Chip tone="warn" title={t.access.otherMachineHint}>
        {t.access.otherMachine}
      </Chip>
    );
  if (device.restartAgentFlag)
    return (
      <Chip tone="warn" title={t.restart.flaggedHint}>
        {t.restart.flagged}
      </Chip>
    );
  if (device.clockSkewSeconds)
    return (
      <Chip tone="warn" title={t.clock.hint}>
        {t.clock.off(device.clockSkewSeconds)}
      </Chip>
    );
  return isTraced(device, now) && <Chip tone="info">{t.tracing.mark}</Chip>;
}

/** The mark beside the name of a device; on a phone the list shows the mark below the name instead. */
export function MarkBesideName({ device }: { device: Device }) {
  const isPhone = usePhone();
  return (
    !isPhone && (
      <span className="device-mark">
        <DeviceMark device={device} />
      </span>
    )
  );
}
