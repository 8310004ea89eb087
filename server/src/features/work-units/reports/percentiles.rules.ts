/** Percentiles of times that the database has packed as int4, one after another. */

/** The times of packed bytes. */
export function unpacked(packed: readonly Buffer[]): Int32Array {
  const times = new Int32Array(packed.reduce((length, part) => length + part.length, 0) / 4);
  const bytes = Buffer.from(times.buffer);
  let at = 0;
  for (const part of packed) at += part.copy(bytes, at);
  // PostgreSQL writes the first byte first, the processors on which Node runs the last.
  bytes.swap32();
  return times;
}

/**
 * The smallest time that this share of the times does not exceed (nearest rank); null without times. Orders the times as far as it
 * needs (quickselect), because sorting a million takes longer than reading them.
 */
export function percentileOf(times: Int32Array, share: number): number | null {
  const rank = Math.max(0, Math.ceil(share * times.length) - 1);
  const timeAt = (at: number): number => times[at] ?? 0;
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const pivot = timeAt((low + high) >> 1);
    let [left, right] = [low, high];
    while (left <= right) {
      while (timeAt(left) < pivot) left += 1;
      while (timeAt(right) > pivot) right -= 1;
      if (left > right) break;
      const swapped = timeAt(left);
      times[left] = timeAt(right);
      times[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return times[rank] ?? null;
}
