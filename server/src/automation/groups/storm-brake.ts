/**
 * Counts new matches per rule and tenant: if there are too many in a minute, further matches become one group for each rule of the
 * tenant.
 */

import { tenantStormLimit } from '@cloudfit/contract/resources/rules.ts';

const slotMs = 10_000;
const slots = 6;
const maxKeys = 20_000;

interface Count {
  /** The number of the newest slot. */
  newest: number;
  bySlot: number[];
}

/** Counts in this process only: the limit decides when a group begins; the database permits one accepting group per key. */
export class StormBrake {
  readonly #counts = new Map<string, Count>();

  /** Counts a new match, and returns the number of matches within the minute before it. */
  #add(key: string, now: number): number {
    const slot = Math.floor(now / slotMs);
    let count = this.#counts.get(key);
    if (!count) {
      if (this.#counts.size >= maxKeys) this.#prune(slot);
      count = { newest: slot, bySlot: Array.from({ length: slots }, () => 0) };
      this.#counts.set(key, count);
    }
    for (let next = Math.max(count.newest, slot - slots) + 1; next <= slot; next += 1) count.bySlot[next % slots] = 0;
    count.newest = Math.max(count.newest, slot);
    const before = count.bySlot.reduce((sum, item) => sum + item, 0);
    count.bySlot[slot % slots] = (count.bySlot[slot % slots] ?? 0) + 1;
    return before;
  }

  #prune(slot: number): void {
    for (const [key, { newest }] of this.#counts) if (newest <= slot - slots) this.#counts.delete(key);
    if (this.#counts.size >= maxKeys) this.#counts.clear();
  }

  /** Counts a new match, and returns whether it is above the limit. */
  isOver({ ruleId, tenantId, limit }: { ruleId: string; tenantId: string; limit: number }, now: number): boolean {
    const ofRule = this.#add(`${tenantId} ${ruleId}`, now);
    const ofTenant = this.#add(tenantId, now);
    // If a rule's limit is higher than its tenant's, only its own limit applies.
    return ofRule >= limit || (limit <= tenantStormLimit && ofTenant >= tenantStormLimit && ofRule > 0);
  }
}
