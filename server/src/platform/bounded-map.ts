/** A map of at most `size` entries, for caches. */

/** One of this many new entries takes the place of an old one while the map is full. */
const replacedOf = 8;

/**
 * When it is full, most new entries are not kept, and the others replace the oldest ones. A cache that always kept the newest entries would
 * answer nothing for keys that come in turn and are a few more than `size`: each would be dropped just before it is used again.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #size: number;
  readonly #onDrop: (key: K, value: V) => void;
  #refused = 0;

  /** `onDrop` is called with the entry that a new one replaces. */
  constructor(size: number, onDrop: (key: K, value: V) => void = () => undefined) {
    this.#size = size;
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Keeps an entry, if there is room or its turn; returns whether it is kept. */
  set(key: K, value: V): boolean {
    if (this.#entries.size >= this.#size && !this.#entries.has(key)) {
      this.#refused = (this.#refused + 1) % replacedOf;
      if (this.#refused !== 0) return false;
      for (const [oldest, dropped] of this.#entries) {
        this.#entries.delete(oldest);
        this.#onDrop(oldest, dropped);
        break;
      }
    }
    this.#entries.set(key, value);
    return true;
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
