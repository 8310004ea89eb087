import { expect, it } from 'vitest';
import { findCrowdedTitles } from './titles.ts';

const linesOf = (source: string) => findCrowdedTitles('a.test.ts', source);

it('refuses three ids in one title, in each form of text', () => {
  expect(linesOf("it('[WU-001] [WU-002][WU-003] saves', () => {});")).toEqual([1]);
  expect(linesOf("it.each([\n  ['[WU-001] [WU-002] of [WU-003]', 1],\n])('%s', () => {});")).toEqual([2]);
  expect(linesOf('\n\nit(`[WU-001] ${name} [WU-002] [WU-003]`, () => {});')).toEqual([3]);
});

it('lets two ids pass, one that is named twice, and those of several parts', () => {
  expect(linesOf("it('[WU-001] [WU-002] saves', () => {});")).toEqual([]);
  expect(linesOf("it('[WU-001] [WU-002] as [WU-001] saves', () => {});")).toEqual([]);
  expect(linesOf("await proves('[WU-001] a', f);\nawait proves('[WU-002] b', f);\nawait proves('[WU-003] c', f);")).toEqual([]);
});
