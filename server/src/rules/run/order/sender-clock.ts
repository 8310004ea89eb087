/**
 * The clock of a sender, measured by the server: the offset is the receipt of a packet minus its time. A steady offset, of a clock
 * that is wrong or of an export that always takes as long, is corrected. A buffer that is sent after an outage has offsets that
 * shrink faster than time passes; it is evaluated at its own times. Pure.
 */

/** What is known of the clock of an entity's sender, in `latest_packet.rule_state`. Times are milliseconds. */
export interface SenderClock {
  /** The steady offset; absent for a clock that is right. Negative for one that is ahead. */
  offset?: number;
  /** The latest receipts whose offset was another one, each with its offset. */
  receipts?: readonly (readonly [received: number, offset: number])[];
}

/** A smaller offset counts as none: requests take time, and clocks differ a little. */
export const noticeableMs = 5_000;
/** The least time between two receipts that are compared: those of one moment say nothing about the pace. */
const apartMs = 1_000;
/** The number of receipts in a row whose agreement makes an offset steady, and the number that is kept. */
const enough = 3;
const storedReceipts = 5;

/** By how much offsets may differ from a steady one: exports are not punctual. */
function toleranceOf(offset: number): number {
  return Math.max(noticeableMs, Math.abs(offset) / 4);
}

function median(offsets: readonly number[]): number {
  const sorted = offsets.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/**
 * Returns the offset on which the last three receipts or more agree; undefined if they do not. The offsets must also differ by
 * less than half of the time between the receipts: those of a buffer shrink by more, because it is sent faster than it filled.
 */
function steadyOffset(receipts: NonNullable<SenderClock['receipts']>): number | undefined {
  for (let count = enough; count <= receipts.length; count += 1) {
    const last = receipts.slice(-count);
    const offsets = last.map(([, offset]) => offset);
    const offset = median(offsets);
    const spread = Math.max(...offsets) - Math.min(...offsets);
    const time = (last.at(-1)?.[0] ?? 0) - (last[0]?.[0] ?? 0);
    if (spread <= Math.min(toleranceOf(offset), time / 2)) return offset;
  }
  return undefined;
}

/**
 * Returns what is known after packets that were received together, of which the newest has this time; the same object if they say
 * nothing new. Undefined for a clock that is right.
 */
export function noteReceipt(clock: SenderClock | undefined, received: number, newest: number): SenderClock | undefined {
  const offset = received - newest;
  const knownOffset = clock?.offset ?? 0;
  if (Math.abs(offset - knownOffset) <= toleranceOf(knownOffset)) {
    if (!clock?.receipts) return clock;
    return clock.offset === undefined ? undefined : { offset: clock.offset };
  }
  const before = clock?.receipts ?? [];
  const last = before.at(-1);
  if (last && received - last[0] < apartMs) return clock;
  const receipts = [...before, [received, offset] as const].slice(-storedReceipts);
  const steady = steadyOffset(receipts);
  if (steady === undefined) return { ...clock, receipts };
  return Math.abs(steady) <= noticeableMs ? undefined : { offset: Math.round(steady) };
}

/** Returns when rules evaluate a packet: at its corrected time, and not after its receipt unless by a little. */
export function correctedTime(clock: SenderClock | undefined, timestamp: number, received: number): number {
  const offset = clock?.offset;
  if (offset !== undefined) return Math.min(timestamp + offset, received);
  return timestamp > received + noticeableMs ? received : timestamp;
}
