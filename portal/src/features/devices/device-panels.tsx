import { onDemand } from '../../components/on-demand.tsx';
import type { DevicePanelProps } from './device-panel.tsx';
import type { DevicePanel } from './use-device-panels.ts';

/** The code of each panel is loaded when it first opens. */
const panels = {
  tracing: onDemand(() => import('./tracing-panel.tsx').then((module) => module.TracingPanel)).Component,
  installations: onDemand(() => import('./installations-panel.tsx').then((module) => module.InstallationsPanel)).Component,
  logs: onDemand(() => import('./logs-panel.tsx').then((module) => module.LogsPanel)).Component,
  packets: onDemand(() => import('./packets-panel.tsx').then((module) => module.PacketsPanel)).Component,
};

/** The open panel of a device. The panel of its operations belongs to the feature `device-operations`. */
export function DevicePanels({ name, ...props }: DevicePanelProps & { name: DevicePanel | undefined }) {
  const Panel = name && name !== 'operations' ? panels[name] : undefined;
  return Panel && <Panel key={`${name} ${props.deviceId}`} {...props} />;
}
