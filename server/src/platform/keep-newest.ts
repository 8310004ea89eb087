/** Adds an entry to a cache of at most `max` entries; the oldest one is dropped when it is full. */
export function keepNewest<K, V>(cache: Map<K, V>, max: number, key: K, value: V): void {
  // Maps keep insertion order.
  cache.delete(key);
  for (const oldest of cache.keys()) {
    if (cache.size < max) break;
    cache.delete(oldest);
  }
  cache.set(key, value);
}
