/** Wakes the long polls of this process when a device changes: by notifications, and by a check of all polled devices every 1.5 s. */
import type { Database } from '../../../db/connection.ts';

export interface DeviceWatch {
  /** Resolves when the device may have changed since `version`, after `waitMs`, or when `signal` aborts. */
  changed(deviceId: string, version: number, waitMs: number, signal?: AbortSignal): Promise<void>;
  /** Aborted when this process stops watching, so that open polls answer. */
  closed: AbortSignal;
  close(): Promise<void>;
}

interface Waiter {
  version: number;
  wake: () => void;
}

const sweepMs = 1_500;
const guid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** One per process. */
export async function watchDevices(database: Database, onError: (error: unknown) => void): Promise<DeviceWatch> {
  const waiters = new Map<string, Set<Waiter>>();
  const db = database.scoped('all');
  const closing = new AbortController();

  function wake(deviceId: string, isNews: (waiter: Waiter) => boolean): void {
    for (const waiter of waiters.get(deviceId) ?? []) if (isNews(waiter)) waiter.wake();
  }

  // Detects writes that sent no notification, and notifications that were lost while the listener reconnected.
  async function sweep(): Promise<void> {
    const ids = [...waiters.keys()];
    if (ids.length === 0) return;
    const rows = await db.query<{ device_id: string; version: number }>({
      name: 'device-versions',
      text: 'select device_id, version + operations_version as version from device where device_id = any($1::uuid[]) and not is_deleted',
      values: [ids],
    });
    const versions = new Map(rows.map((row) => [row.device_id, row.version]));
    for (const id of ids) wake(id, (waiter) => waiter.version !== versions.get(id));
  }

  let sweeping = false;
  const timer = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    void sweep()
      .catch(onError)
      .finally(() => (sweeping = false));
  }, sweepMs);

  const unlisten = await database
    .listen('devices', (payload) => {
      for (const id of payload.match(guid) ?? []) wake(id.toLowerCase(), () => true);
    })
    .catch((error: unknown) => {
      clearInterval(timer);
      throw error;
    });

  return {
    changed: (deviceId, version, waitMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || closing.signal.aborted) return resolve();
        const waiter: Waiter = { version, wake: finish };
        const timeout = setTimeout(finish, waitMs);
        const same = waiters.get(deviceId) ?? new Set();
        waiters.set(deviceId, same.add(waiter));
        signal?.addEventListener('abort', finish);
        function finish(): void {
          clearTimeout(timeout);
          signal?.removeEventListener('abort', finish);
          same.delete(waiter);
          if (same.size === 0 && waiters.get(deviceId) === same) waiters.delete(deviceId);
          resolve();
        }
      }),
    closed: closing.signal,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      for (const same of waiters.values()) for (const waiter of same) waiter.wake();
      await unlisten();
    },
  };
}
