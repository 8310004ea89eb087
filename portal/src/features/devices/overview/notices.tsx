import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { MaintenanceNotice } from '../../../entities/maintenance/maintenance-mark.tsx';
import type { Device } from '../use-device.ts';

/** Unusual states of a device, each with what to do. */
export function DeviceNotices({ device }: { device: Device }) {
  return (
    <>
      <MaintenanceNotice entityId={device.deviceId} tenantId={device.tenantId} />
      {device.cutOffOn && (
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
