/** New ranks for policies in another order, with as few changes as possible. */

export const rankMax = 1_000;

export interface RankedPolicy {
  policyId: string;
  rank: number;
  /** Whether its rank must stay. */
  isFixed: boolean;
}

/** The places that may keep their rank: with room for all between them, and as many as possible. Undefined if a fixed one cannot. */
function stayingPlaces(order: readonly RankedPolicy[]): number[] | undefined {
  // Two may both stay if there are enough ranks between them, which is so where rank minus place does not fall.
  const slack = order.map(({ rank }, at) => rank - at);
  const fits = (at: number) => {
    const rank = order[at]?.rank ?? 0;
    return rank > at && rankMax - rank >= order.length - 1 - at;
  };
  const best: { count: number; before: number }[] = [];
  const fixedUpTo: number[] = [];
  let fixed = 0;
  for (const [at, { isFixed }] of order.entries()) {
    fixedUpTo.push(fixed);
    if (isFixed) fixed += 1;
    best.push({ count: -1, before: -1 });
    if (!fits(at)) continue;
    for (let before = -1; before < at; before += 1) {
      const earlier = before === -1 ? { count: 0 } : best[before];
      if (!earlier || earlier.count < 0 || (before >= 0 && (slack[before] ?? 0) > (slack[at] ?? 0))) continue;
      // No fixed one may lie between two that stay.
      const passed = (fixedUpTo[at] ?? 0) - (before === -1 ? 0 : (fixedUpTo[before] ?? 0) + (order[before]?.isFixed ? 1 : 0));
      if (passed > 0) continue;
      const entry = best[at];
      if (entry && earlier.count + 1 > entry.count) best[at] = { count: earlier.count + 1, before };
    }
  }
  const lastFixed = order.findLastIndex(({ isFixed }) => isFixed);
  let end = -1;
  for (const [at, { count }] of best.entries())
    if (at >= lastFixed && count > 0 && (end === -1 || count > (best[end]?.count ?? 0))) end = at;
  if (end === -1) return lastFixed === -1 ? [] : undefined;
  const places: number[] = [];
  for (let at = end; at >= 0; at = best[at]?.before ?? -1) places.unshift(at);
  return places;
}

/** The ranks that differ afterwards, by policy; undefined if there is no room between policies whose rank must stay. */
export function ranksInOrder(order: readonly RankedPolicy[]): Map<string, number> | undefined {
  const stays = stayingPlaces(order);
  if (!stays) return undefined;
  const ranks = new Map<string, number>();
  const edges = [...stays, order.length];
  let [lastAt, last] = [-1, 0];
  for (const at of edges) {
    const next = order[at]?.rank ?? rankMax + 1;
    const places = at - lastAt;
    for (let place = lastAt + 1; place < at; place += 1) {
      const policy = order[place];
      if (policy) ranks.set(policy.policyId, last + Math.floor(((next - last) * (place - lastAt)) / places));
    }
    [lastAt, last] = [at, next];
  }
  for (const { policyId, rank } of order) if (ranks.get(policyId) === rank) ranks.delete(policyId);
  return ranks;
}
