import { describe, expect, it } from 'vitest';
import { silenceMs, type Gap } from './facts.ts';

const entity = { id: 'e1', kind: 'device' as const, tenantId: 't1' };
/** Returns the silence at time 1,000 (ms), with the latest packet at 100 and these outages of the installation. */
const silence = (...gaps: [from: number, until: number][]) =>
  silenceMs({
    entity,
    packet: { timestamp: 1_000, message: {} },
    previous: { timestamp: 100 },
    gaps: gaps.map(([from, until]): Gap => ({ from, until })),
  });

describe('silence', () => {
  it('is counted from the latest packet, and unknown without one', () => {
    expect(silence()).toBe(900);
    expect(silenceMs({ entity, packet: { timestamp: 1_000, message: {} }, previous: { timestamp: 100 } })).toBe(900);
    expect(silenceMs({ entity, packet: { timestamp: 1_000, message: {} } })).toBeUndefined();
  });

  it('leaves out outages', () => {
    expect(silence([200, 300])).toBe(800);
    expect(silence([900, 950])).toBe(850);
    expect(silence([200, 300], [800, 900])).toBe(700);
    expect(silence([200, 600], [300, 400], [500, 700])).toBe(400);
    expect(silence([100, 1_000])).toBe(0);
  });

  it('is not lengthened by an outage before the latest packet', () => {
    expect(silence([10, 50])).toBe(900);
    expect(silence([10, 100])).toBe(900);
    expect(silence([10, 101])).toBe(899);
  });

  it('is not shortened by an outage that has not begun', () => {
    expect(silence([1_000, 2_000])).toBe(900);
    expect(silence([1_500, 2_000])).toBe(900);
    expect(silence([999, 2_000])).toBe(899);
  });
});
