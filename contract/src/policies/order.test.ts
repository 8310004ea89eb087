import { expect, it } from 'vitest';
import fc from 'fast-check';
import { rankMax, ranksInOrder, type RankedPolicy } from './order.ts';

const named = (...ranks: number[]): RankedPolicy[] => ranks.map((rank, at) => ({ policyId: `p${at}`, rank, isFixed: false }));
const after = (order: readonly RankedPolicy[]) => {
  const ranks = ranksInOrder(order);
  return ranks && order.map(({ policyId, rank }) => ranks.get(policyId) ?? rank);
};

it('changes only the policy that moves, where there is room', () => {
  expect(after(named(10, 30, 20, 40))).toEqual([10, 30, 35, 40]);
  expect(ranksInOrder(named(10, 20, 30))).toEqual(new Map());
});

it('gives policies of one rank different ones, and makes room', () => {
  expect(new Set(after(named(100, 100, 100))).size).toBe(3);
  expect(after(named(1, 2, 1))).toHaveLength(3);
});

it('leaves fixed ranks alone, or says that there is no room', () => {
  const fixed = (order: RankedPolicy[], ...at: number[]) => order.map((policy, index) => ({ ...policy, isFixed: at.includes(index) }));
  expect(after(fixed(named(50, 10, 60), 0, 2))).toEqual([50, 55, 60]);
  expect(after(fixed(named(50, 10, 51), 0, 2))).toBeUndefined();
  expect(after(fixed(named(1, 5, 1), 2))).toBeUndefined();
});

it('always ends in the order that was asked for, within the limits', () => {
  const policy = fc.record({ rank: fc.integer({ min: 1, max: rankMax }), isFixed: fc.boolean() });
  fc.assert(
    fc.property(fc.array(policy, { maxLength: 40 }), (list) => {
      const order = list.map((item, at) => ({ policyId: `p${at}`, ...item }));
      const ranks = after(order);
      if (!ranks) return order.some(({ isFixed }) => isFixed);
      const rises = ranks.every((rank, at) => at === 0 || rank > (ranks[at - 1] ?? 0));
      const stays = order.every(({ rank, isFixed }, at) => !isFixed || ranks[at] === rank);
      return rises && stays && ranks.every((rank) => rank >= 1 && rank <= rankMax);
    }),
  );
});
