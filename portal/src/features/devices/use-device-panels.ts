/** Which panel beside the list of devices is open, and for which device: the address has `?logs={deviceId}`, for example. */
import { useSearchParams } from 'react-router';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

const names = ['tracing', 'installations', 'operations', 'logs', 'packets'] as const;
export type DevicePanel = (typeof names)[number];

export type OpenDevicePanel = (name: DevicePanel, deviceId: string) => void;

export function useDevicePanels() {
  const [params] = useSearchParams();
  const { open, close } = usePanelParams(names);
  const name = names.find((name) => params.has(name));
  return { name, deviceId: name ? (params.get(name) ?? '') : '', open: open as OpenDevicePanel, close };
}

/** The parameter of the device page for its tab; `tab` belongs to the panel that may cover the page. */
export const pageTabParam = 'part';
