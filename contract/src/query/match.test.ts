import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { bindFilter } from './bind-filter.ts';
import { filterCases, findSample, linked, sampleRows, samples } from './cases.ts';
import { matches } from './match.ts';
import { print } from './print.ts';

describe('filters in memory', () => {
  it.each(filterCases)('%s', (text, ids) => {
    const tree = bindFilter(samples, text, findSample);
    expect(
      linked(sampleRows)
        .filter((row) => matches(tree, row))
        .map((row) => row['id']),
    ).toEqual(ids);
  });

  it.each(filterCases)('prints back to the same tree: %s', (text) => {
    const tree = bindFilter(samples, text, findSample);
    expect(bindFilter(samples, print(tree), findSample)).toEqual(tree);
  });

  it('takes the time that the caller names as now', () => {
    const tree = bindFilter(samples, "made ge now() sub duration'P1D'", findSample);
    expect(matches(tree, { made: '2026-05-01T00:00:00Z' }, new Date('2026-05-01T12:00:00Z'))).toBe(true);
    expect(matches(tree, { made: '2026-05-01T00:00:00Z' }, new Date('2026-05-03T12:00:00Z'))).toBe(false);
  });

  it.each([
    'size div 0 eq 1',
    'ratio mod 0 eq 1',
    'total mul 9223372036854775807 gt 0',
    'ratio mul 1e308 mul 1e308 gt 0',
    "maxdatetime() add duration'P1D' gt made",
  ])('refuses what cannot be evaluated: %s', (text) => {
    const tree = bindFilter(samples, text, findSample);
    expect(() => matches(tree, { ...sampleRows[0] })).toThrow(ApiError);
  });
});
