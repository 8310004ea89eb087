/** The actions of a device besides its form: the same in its row and at the top of its panel. */
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { useMay } from '../../api/lookups.ts';
import type { MenuEntry } from '../../components/overlay/floating-props.ts';
import { whyAddress } from '../../entities/explanations/addresses.ts';
import { changeAccess } from './change-access.ts';
import { restartAgent } from './restart-agent.ts';
import type { Device } from './use-device.ts';
import type { OpenDevicePanel } from './use-device-panels.ts';

export type DeviceActions = (device: Device) => readonly MenuEntry[];

/**
 * Returns Admit Again for a device that is cut off, or as which another machine tried to register; and Replace Key and Cut Off
 * for a device that is not cut off; Retire for one whose agent was not told yet to uninstall itself.
 */
function accessActions(device: Device, mayDelete: boolean): readonly MenuEntry[] {
  const entry = (id: 'cutOff' | 'admit' | 'replaceKey' | 'uninstall', icon: 'lock' | 'check' | 'refresh' | 'trash') => ({
    id,
    label: t.access[id].action,
    icon,
    danger: id === 'cutOff' || id === 'uninstall',
    run: () => void changeAccess[id](device),
  });
  return [
    ...(device.cutOffOn || device.otherMachineOn ? [entry('admit', 'check')] : []),
    ...(device.cutOffOn ? [] : [entry('replaceKey', 'refresh'), entry('cutOff', 'lock')]),
    ...(mayDelete && !device.uninstallOn ? [entry('uninstall', 'trash')] : []),
  ];
}

export function useDeviceActions(open: OpenDevicePanel): DeviceActions {
  const may = useMay();
  const navigate = useNavigate();
  return useMemo(
    () => (device) => [
      ...(may(devices.area, 'edit')
        ? [
            {
              id: 'restart',
              label: t.restart.action,
              icon: 'refresh' as const,
              disabled: device.restartAgentFlag === true,
              run: () => void restartAgent(device),
            },
            { id: 'tracing', label: t.tracing.action, icon: 'pending' as const, run: () => open('tracing', device.deviceId) },
          ]
        : []),
      { id: 'operations', label: t.operations.action, icon: 'actions', run: () => open('operations', device.deviceId) },
      { id: 'installations', label: t.installations.action, icon: 'packages', run: () => open('installations', device.deviceId) },
      { id: 'logs', label: t.logs.action, icon: 'report', run: () => open('logs', device.deviceId) },
      ...(may(packets.area, 'view')
        ? [{ id: 'packets', label: t.packets.action, icon: 'blocks' as const, run: () => open('packets', device.deviceId) }]
        : []),
      ...(may('Rules', 'view')
        ? [
            {
              id: 'why',
              label: whyTexts.title,
              icon: 'info' as const,
              run: () => void navigate(whyAddress(device.tenantId, { entityId: device.deviceId })),
            },
          ]
        : []),
      ...(may(devices.area, 'edit') ? accessActions(device, may(devices.area, 'delete')) : []),
    ],
    [may, navigate, open],
  );
}
