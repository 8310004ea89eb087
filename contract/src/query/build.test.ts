import { workUnits } from '../resources/work-units.ts';
import { limits } from '../limits.ts';
import { describe, expect, it } from 'vitest';
import { bindFilter } from './bind-filter.ts';
import { and, compare, contains, eq, literal, notContains, oneOf, or, searchFilter } from './build.ts';
import { findSample, sampleRows, samples } from './cases.ts';
import { matches } from './match.ts';

function idsOf(text: string | undefined): number[] {
  if (text === undefined) return sampleRows.map((row) => row.id);
  const tree = bindFilter(samples, text, findSample);
  return sampleRows.filter((row) => matches(tree, { ...row })).map((row) => row.id);
}

describe('filter texts', () => {
  it('joins what is given', () => {
    expect(and(undefined, eq(samples, 'name', "O'Hara"), undefined)).toBe("name eq 'O''Hara'");
    expect(and(or(eq(samples, 'size', 5), eq(samples, 'size', 7)), 'active')).toBe('(size eq 5 or size eq 7) and active');
    expect(and()).toBeUndefined();
  });

  it.each([
    ['guid', 'ABCDEF01-0000-4000-8000-000000000001', 'abcdef01-0000-4000-8000-000000000001'],
    ['guid', 'abc', undefined],
    ['timestamp', '2026-01-01', '2026-01-01T00:00:00Z'],
    ['timestamp', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z'],
    ['time', '00:05:00', "duration'PT300S'"],
    ['int', ' 12 ', '12'],
    ['int', '1.5', undefined],
    ['decimal', '1.5', '1.5'],
    ['boolean', true, 'true'],
    ['text', null, 'null'],
  ] as const)('writes a literal of kind %s from %s', (kind, value, expected) => {
    expect(literal(kind, value)).toBe(expected);
  });

  it('builds conditions that select what people expect', () => {
    expect(idsOf(contains(samples, 'name', 'ALPHA'))).toEqual([1, 7]);
    expect(idsOf(notContains(samples, 'note', 'A'))).toEqual([1, 4, 6]);
    expect(idsOf(compare(samples, 'made', 'ge', '2026-01-01'))).toEqual([1, 2]);
    expect(idsOf(oneOf(samples, 'size', [5, '-5', null, 'x']))).toEqual([1, 2, 6]);
    expect(idsOf(oneOf(samples, 'name', ['beta']))).toEqual([2]);
    expect(idsOf(oneOf(samples, 'name', []))).toEqual([]);
  });
});

describe('search', () => {
  it('looks into the search fields without case', () => {
    expect(searchFilter(samples, ' AL% ')).toBe("contains(folded(name),'al%') or contains(folded(note),'al%')");
    expect(idsOf(searchFilter(samples, 'ALPHA'))).toEqual([1, 7]);
    expect(idsOf(searchFilter(samples, '\u00c9CLAIR'))).toEqual([4]);
  });

  it('looks into numbers and GUIDs when the text is one', () => {
    expect(searchFilter(samples, '5')).toBe("contains(folded(name),'5') or contains(folded(note),'5') or size eq 5");
    expect(idsOf(searchFilter(samples, 'AAAAAAAA-0000-4000-8000-000000000001'))).toEqual([1, 3]);
  });

  it('looks for the beginning of a long text, so that the filter of many fields fits into an address', () => {
    for (const text of ['\u00e4 %'.repeat(500), '\u{1F525}'.repeat(500)]) {
      const filter = searchFilter(workUnits, text, false, ['tenant/name', 'workUnitId', 'publicWorkUnitId']) ?? '';
      expect(encodeURIComponent(filter).length).toBeLessThan(limits.urlLength);
      expect(filter.isWellFormed()).toBe(true);
    }
  });

  it('compares whole values for an exact match', () => {
    expect(searchFilter(samples, 'Alpha', true)).toBe("folded(name) eq 'alpha' or folded(note) eq 'alpha'");
    expect(idsOf(searchFilter(samples, 'alph', true))).toEqual([]);
  });

  it('looks into further fields and related texts', () => {
    expect(idsOf(searchFilter(samples, 'south', false, ['owner/name']))).toEqual([2, 5]);
    expect(idsOf(searchFilter(samples, '3', true, ['id']))).toEqual([3]);
  });

  it('is no filter for an empty text', () => {
    expect(searchFilter(samples, '  ')).toBeUndefined();
  });
});
