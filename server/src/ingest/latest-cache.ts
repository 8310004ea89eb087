/**
 * A cache of the latest packets of entities, so that a batch does not read them first. It may be out of date: each write names
 * the packet that it builds on, and the database refuses the write when that packet is no longer the latest.
 */
import type { LatestPacketState } from '../rules/run/evaluate-entity.ts';

export interface LatestCache {
  /** Runs `work` while no other batch of this process has one of these entities. */
  exclusive<T>(ids: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Returns null if the entity has no packet yet, and undefined if the entity is not in the cache. */
  get(id: string): LatestPacketState | null | undefined;
  set(id: string, latest: LatestPacketState | null): void;
  forget(ids: readonly string[]): void;
  /** Records that another process writes these entities too: batches with these entities read under lock for a minute. */
  contest(ids: readonly string[]): void;
  isContested(ids: readonly string[]): boolean;
}

const maxEntries = 50_000;
const contestedForMs = 60_000;

export function newLatestCache(): LatestCache {
  const latest = new Map<string, LatestPacketState | null>();
  const contested = new Map<string, number>();
  const busy = new Map<string, Promise<void>>();

  function forget(ids: readonly string[]): void {
    for (const id of ids) latest.delete(id);
  }

  return {
    async exclusive(ids, work) {
      for (;;) {
        const others = new Set(ids.map((id) => busy.get(id)).filter((item) => item !== undefined));
        if (others.size === 0) break;
        await Promise.all(others);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const id of ids) busy.set(id, promise);
      try {
        return await work();
      } finally {
        for (const id of ids) busy.delete(id);
        resolve();
      }
    },
    get: (id) => latest.get(id),
    set(id, value) {
      if (latest.size >= maxEntries && !latest.has(id)) latest.delete(latest.keys().next().value ?? '');
      latest.set(id, value);
    },
    forget,
    contest(ids) {
      forget(ids);
      if (contested.size > maxEntries) contested.clear();
      for (const id of ids) contested.set(id, Date.now() + contestedForMs);
    },
    isContested(ids) {
      if (contested.size === 0) return false;
      const now = Date.now();
      return ids.some((id) => {
        const until = contested.get(id);
        if (until === undefined) return false;
        if (until < now) contested.delete(id);
        return until >= now;
      });
    },
  };
}
