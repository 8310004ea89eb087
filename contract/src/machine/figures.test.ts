import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figure, fitFigures, increase, percentOf } from './figures.ts';

describe('a counter', () => {
  const limit = 2 ** 32;

  it('grows, starts again after 32 bits, or was reset', () => {
    expect(increase(10, 15)).toBe(5);
    expect(increase(4_294_967_000, 500)).toBe(796);
    expect(increase(1_000_000, 5)).toBeUndefined();
    expect(increase(5_000_000_000, 100)).toBeUndefined();
    expect(increase(undefined, 5)).toBeUndefined();
  });

  it('agrees with a counter of 32 bits that counts one by one', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(4_000), (below, count) => {
        const start = limit - 2_500 + below - 2_500;
        let slow = start % limit;
        for (let n = 0; n < count; n++) slow = slow + 1 === limit ? 0 : slow + 1;
        expect(increase(start % limit, slow)).toBe(count);
      }),
    );
  });
});

describe('figures', () => {
  it('without a value are missing, and names have no characters that control a terminal', () => {
    expect([...figure('A', undefined, 0), ...figure('B', Number.NaN, 0), ...figure('C', percentOf(5, 0), 0)]).toEqual([]);
    expect(figure('Disk /a\nb', 1.26, 0)).toEqual([{ name: 'Disk /a?b', value: 1.3, rank: 0 }]);
    // Half of a character would make the server refuse the packet.
    expect(figure(`${'x'.repeat(199)}😀`, 1, 0)[0]?.name).toBe(`${'x'.repeat(199)}\ufffd`);
  });

  it('fit into a packet by importance, and the packet says what is missing', () => {
    const all = [...figure('Cpu 0', 1, 3), ...figure('Disk /', 2, 1), ...figure('Cpu', 3, 0), ...figure('Cpu 1', 4, 3)];
    expect(fitFigures(all, 4)).toMatchObject({ message: undefined });
    const { metrics, message } = fitFigures(all, 3);
    expect(Object.keys(metrics)).toEqual(['Cpu', 'Disk /', 'Cpu 0']);
    expect(message).toBe('1 of 4 figures do not fit into a packet, among them Cpu 1.');
  });
});
