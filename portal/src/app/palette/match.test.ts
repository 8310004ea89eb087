import { expect, it } from 'vitest';
import { bestMatches } from './match.ts';

const screens = ['Work Units', 'WorkUnit Communications', 'Devices', 'Pending Devices', 'Work Unit Protocols', 'Work Unit Settings'];
const best = (typed: string) => bestMatches(typed, screens, (item) => item);

it('finds by the beginning, by a word, by initials and by all words', () => {
  expect(best('dev')).toEqual(['Devices', 'Pending Devices']);
  expect(best('wup')).toEqual(['Work Unit Protocols']);
  expect(best('unit set')).toEqual(['Work Unit Settings']);
  expect(best('set unit')).toEqual(['Work Unit Settings']);
});

it('keeps the order of the list where nothing is typed', () => {
  expect(best('  ')).toEqual(screens);
});

it('answers nothing for what is not there, and not more than asked for', () => {
  expect(best('zebra')).toEqual([]);
  expect(bestMatches('work', screens, (item) => item, 2)).toHaveLength(2);
});
