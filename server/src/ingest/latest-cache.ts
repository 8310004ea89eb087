/**
 * A cache of the latest packets of entities, so that a batch does not read them first. It may be out of date: each write names
 * the packet that it builds on, and the database refuses the write when that packet is no longer the latest.
 */
import { BoundedMap } from '../platform/bounded-map.ts';
import type { LatestPacketState } from '../rules/run/evaluate-entity.ts';

export interface LatestCache {
  /** Runs `work` while no other batch of this process has one of these entities. */
  exclusive<T>(ids: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Returns null if the entity has no packet yet, and undefined if the entity is not in the cache. */
  get(id: string): LatestPacketState | null | undefined;
  set(id: string, latest: LatestPacketState | null): void;
  forget(ids: readonly string[]): void;
  /**
   * Records that another process writes entities of this one. For a minute batches read the latest packets again, because a
   * balancer that spreads requests spreads those of most entities, and a write that is refused costs much more than a read.
   */
  noteSharing(): void;
  isShared(): boolean;
}

const sharedForMs = 60_000;

/** `size`: the maximum number of entities. */
export function newLatestCache(size: number): LatestCache {
  const latest = new BoundedMap<string, LatestPacketState | null>(size);
  const busy = new Map<string, Promise<void>>();
  let sharedUntil = 0;

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
    set: (id, value) => latest.set(id, value),
    forget(ids) {
      for (const id of ids) latest.delete(id);
    },
    noteSharing() {
      sharedUntil = Date.now() + sharedForMs;
    },
    isShared: () => Date.now() < sharedUntil,
  };
}
