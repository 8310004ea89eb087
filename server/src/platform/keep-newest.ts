/** Adds an entry to a cache of at most `max` entries; drops the oldest entry if the cache is full. */
export function keepNewest<K, V>(cache: Map<K, V>, max: number, key: K, value: V): void {
  // Maps keep the order of insertion, so the entry must be inserted again to be the newest.
  cache.delete(key);
  for (const oldest of cache.keys()) {
    if (cache.size < max) break;
    cache.delete(oldest);
  }
  cache.set(key, value);
}
