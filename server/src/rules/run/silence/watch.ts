/** When the silence of each entity is to be looked at next. A sweep takes those that are due, and looks at no others. */
import type { EntityState } from '../evaluate-entity.ts';
import { silenceSweepMs } from '../silence.ts';

/** What is known of the silence of an entity. */
export interface Watched {
  tenantId: string;
  /**
   * The latest packet as it was read, if the next one is announced (see `silence_over`): then the entity need not be read again. Null for
   * an entity that never reported.
   */
  latest?: { packetId: string | null; at: number; memory: EntityState['memory'] | null };
  /** When a hit of a rule counts again in its open match, by the id of the rule. */
  next?: ReadonlyMap<string, number>;
}

interface WatchEntry extends Watched {
  slot: number;
}

/** The entities of one share, by the sweep for which they are due. */
export class SilenceWatch {
  readonly #entries = new Map<string, WatchEntry>();
  readonly #slots = new Map<number, string[]>();
  /** The first slot that no sweep has taken. */
  #from = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): Watched | undefined {
    return this.#entries.get(id);
  }

  /** Watches an entity, or watches it otherwise. `due`: infinite when only a change of it or of the rules matters. */
  put(id: string, watched: Watched, due: number): void {
    const slot = Math.max(this.#from, Math.ceil(due / silenceSweepMs));
    if (this.#entries.get(id)?.slot !== slot && slot < Infinity) {
      const others = this.#slots.get(slot);
      if (others) others.push(id);
      else this.#slots.set(slot, [id]);
    }
    this.#entries.set(id, { ...watched, slot });
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  deleteTenant(tenantId: string): void {
    for (const [id, entry] of this.#entries) if (entry.tenantId === tenantId) this.#entries.delete(id);
  }

  /** Returns the entities that are due at a time. The caller puts or deletes each of them. */
  takeDue(now: number): Set<string> {
    const ids = new Set<string>();
    const to = Math.floor(now / silenceSweepMs);
    const take = (slot: number): void => {
      for (const id of this.#slots.get(slot) ?? []) if (this.#entries.get(id)?.slot === slot) ids.add(id);
      this.#slots.delete(slot);
    };
    // At first, and after a long pause, there are fewer slots than times.
    if (to - this.#from > this.#slots.size) for (const slot of [...this.#slots.keys()].filter((slot) => slot <= to)) take(slot);
    else for (let slot = this.#from; slot <= to; slot += 1) take(slot);
    this.#from = Math.max(this.#from, to + 1);
    return ids;
  }
}
