import { expect, it } from 'vitest';
import type { RuleNoise } from './calls.ts';
import { adviceFor } from './advice.ts';

const quiet: RuleNoise = {
  ruleId: 'r',
  name: 'Hot',
  enabled: true,
  matches: 20,
  single: 0,
  returning: 0,
  subjects: 3,
  flapping: 0,
  changesPerHour: 0,
  timeMatching: 0,
  clearMinutes: 0,
  clearMatches: 20,
  units: 6,
  repeats: 0,
  ended: 6,
  idle: 0,
  minutes: 60,
};

it('advises from half of the matches or of the ended units on, the largest share first', () => {
  expect(adviceFor(quiet)).toEqual([]);
  expect(adviceFor({ ...quiet, single: 10, returning: 9, idle: 2 })).toEqual(['single']);
  expect(adviceFor({ ...quiet, single: 10, returning: 15, idle: 6 })).toEqual(['idle', 'returning', 'single']);
});

it('advises first to wait until a fault that flaps is clear, where that joins matches', () => {
  const flaps = { ...quiet, flapping: 1, clearMatches: 5, returning: 15, single: 12 };
  expect(adviceFor(flaps)).toEqual(['flapping', 'single']);
  expect(adviceFor({ ...flaps, clearMatches: 20 })).toEqual(['returning', 'single']);
});

it('says nothing of a few matches or units', () => {
  expect(adviceFor({ ...quiet, matches: 9, single: 9, returning: 9, ended: 4, idle: 4 })).toEqual([]);
  expect(adviceFor({ ...quiet, matches: 0, ended: 0 })).toEqual([]);
});
