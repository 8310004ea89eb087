import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { exactTime } from '../../../theme/times.ts';
import { MaintenanceNotice } from '../../../entities/maintenance/maintenance-mark.tsx';
import type { Device } from '../use-device.ts';

/** Unusual states of a device, each with what to do. */
export function DeviceNotices({ device }: { device: Device }) {
  return (
    <>
      <MaintenanceNotice entityId={device.deviceId} tenantId={device.tenantId} />
      {device.uninstallOn && (
        <p className="notice">
          {device.uninstalledOn
            ? t.access.isUninstalled(exactTime(device.uninstalledOn))
            : t.access.isUninstalling(exactTime(device.uninstallOn))}
        </p>
      )}
      {device.cutOffOn && !device.uninstallOn && (
        <p className="notice">
          {t.access.isCutOff}. {t.access.isCutOffHint}
        </p>
      )}
      {device.otherMachineOn && <p className="notice">{t.access.otherMachineHint}</p>}
      {Boolean(device.clockSkewSeconds) && (
        <p className="notice">
          {t.clock.off(device.clockSkewSeconds ?? 0)}. {t.clock.hint}
        </p>
      )}
    </>
  );
}
