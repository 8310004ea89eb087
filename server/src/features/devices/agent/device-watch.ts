/**
 * Wakes the long polls of this process when a device changes: by notifications, and by a sweep of all polled devices every
 * 1,500 ms. Changes of trusted publishers are announced by notifications only.
 */
import type { Database } from '../../../db/connection.ts';
import { keepNewest } from '../../../platform/keep-newest.ts';

/** The configuration of a device at its last read. */
export interface SeenConfiguration {
  registrationId: string;
  tenantId: string;
  /** The hash of the configuration; `rowVersion` is the sum of the versions of the device's row and operations. */
  version: string;
  rowVersion: number;
  clockSkewSeconds: number | null;
  /** The process of the agent that registered last. */
  instanceId: string | null;
  /** The number of changes of trusted publishers that this process had seen before the read. */
  trustChanges: number;
}

type SeenDevice = Pick<SeenConfiguration, 'tenantId' | 'rowVersion' | 'trustChanges'>;

export interface DeviceWatch {
  /** Resolves when the device may have changed since it was read, after `waitMs`, or when `signal` aborts. */
  changed(deviceId: string, device: SeenDevice, waitMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Registers a read before it begins. Call the returned function with the result, which is cached for a few seconds unless the
   * device changes.
   */
  reading(deviceId: string): (state: Omit<SeenConfiguration, 'trustChanges'>) => SeenConfiguration;
  /** The result of a recent read, if no change was announced since. */
  latestRead(deviceId: string): SeenConfiguration | undefined;
  /** Aborted when this process stops watching, so that open polls end. */
  closed: AbortSignal;
  close(): Promise<void>;
}

interface Waiter extends SeenDevice {
  wake: () => void;
}

interface CachedRead {
  result?: SeenConfiguration;
  readMs: number;
}

const sweepMs = 1_500;
/**
 * Milliseconds for which a read is cached. An agent polls again right after an answer; this poll uses the cached read unless a
 * change was announced.
 */
const keptMs = 10_000;
const maxKept = 20_000;
/**
 * The number of agents that are woken at once. If more devices change, their agents are woken in groups of this size, 3,000
 * within 1.2 s, so that requests of people are served in between.
 */
const wokenAtOnce = 50;
const pauseMs = 20;
const guid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Starts the watch; one per process. */
export async function watchDevices(database: Database, onError: (error: unknown) => void): Promise<DeviceWatch> {
  const waiters = new Map<string, Set<Waiter>>();
  const db = database.scoped('all');
  const closing = new AbortController();
  const reads = new Map<string, CachedRead>();
  const toWake = new Set<Waiter>();
  let pacing: NodeJS.Timeout | undefined;

  function wakeSome(): void {
    let left = wokenAtOnce;
    for (const waiter of toWake) {
      if (left-- === 0) break;
      toWake.delete(waiter);
      waiter.wake();
    }
    pacing = toWake.size > 0 ? setTimeout(wakeSome, pauseMs) : undefined;
  }

  function changedDevices(ids: readonly string[], isNews: (waiter: Waiter, deviceId: string) => boolean): void {
    const news: Waiter[] = [];
    for (const id of ids) {
      const waiting = [...(waiters.get(id) ?? [])].filter((waiter) => isNews(waiter, id));
      if (waiting.length > 0) reads.delete(id);
      news.push(...waiting);
    }
    if (news.length <= wokenAtOnce) for (const waiter of news) waiter.wake();
    else for (const waiter of news) toWake.add(waiter);
    if (toWake.size > 0) pacing ??= setTimeout(wakeSome, 0);
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
    changedDevices(ids, (waiter, id) => waiter.rowVersion !== versions.get(id));
  }

  let sweeping = false;
  const timer = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    void sweep()
      .catch(onError)
      .finally(() => (sweeping = false));
  }, sweepMs);

  function giveUp(error: unknown): never {
    clearInterval(timer);
    throw error;
  }

  let trustChanges = 0;
  function checkTrust(tenantIds: readonly string[]): void {
    trustChanges += 1;
    reads.clear();
    changedDevices([...waiters.keys()], ({ tenantId }) => tenantIds.length === 0 || tenantIds.includes(tenantId));
  }

  const stopTrust = await database.listen('publishers', (payload) => checkTrust(payload === '' ? [] : payload.split(','))).catch(giveUp);
  const stopDevices = await database
    .listen('devices', (payload) => {
      const ids = (payload.match(guid) ?? []).map((id) => id.toLowerCase());
      if (payload === '') reads.clear();
      for (const id of ids) reads.delete(id);
      changedDevices(ids, () => true);
    })
    .catch(giveUp);

  return {
    changed: (deviceId, device, waitMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || closing.signal.aborted || device.trustChanges !== trustChanges) return resolve();
        const waiter: Waiter = { ...device, wake: finish };
        const timeout = setTimeout(finish, waitMs);
        const same = waiters.get(deviceId) ?? new Set();
        waiters.set(deviceId, same.add(waiter));
        signal?.addEventListener('abort', finish);
        function finish(): void {
          clearTimeout(timeout);
          signal?.removeEventListener('abort', finish);
          toWake.delete(waiter);
          same.delete(waiter);
          if (same.size === 0 && waiters.get(deviceId) === same) waiters.delete(deviceId);
          resolve();
        }
      }),
    reading: (deviceId) => {
      const read: CachedRead = { readMs: performance.now() };
      const trustBefore = trustChanges;
      keepNewest(reads, maxKept, deviceId, read);
      // A change that is announced during the read removes `read`, so that the result is not cached.
      return (state) => (read.result = { ...state, trustChanges: trustBefore });
    },
    latestRead: (deviceId) => {
      const read = reads.get(deviceId);
      return read && performance.now() - read.readMs < keptMs ? read.result : undefined;
    },
    closed: closing.signal,
    close: async () => {
      clearInterval(timer);
      clearTimeout(pacing);
      closing.abort();
      for (const same of waiters.values()) for (const waiter of same) waiter.wake();
      await Promise.all([stopTrust(), stopDevices()]);
    },
  };
}
