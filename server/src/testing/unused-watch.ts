/** A watch for tests in which no agent waits for its configuration. */
import type { DeviceWatch } from '../features/devices/agent/device-watch.ts';

export const unusedWatch: DeviceWatch = {
  changed: () => Promise.reject(new Error('Not called here.')),
  reading: () => (state) => ({ ...state, trustChanges: 0 }),
  latestRead: () => undefined,
  closed: new AbortController().signal,
  close: () => Promise.resolve(),
};
