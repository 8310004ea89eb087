import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import type { Device } from '../use-device.ts';

/** What is unusual about a device, with what to do. */
export function DeviceNotices({ device }: { device: Device }) {
  return (
    <>
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
