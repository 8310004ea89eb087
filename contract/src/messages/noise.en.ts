/** Texts of the page that says how much each rule costs people. */
import type { RuleNoise } from '../noise/calls.ts';
import type { NoiseAdvice } from '../noise/advice.ts';

const percent = (part: number, all: number): number => Math.round((100 * part) / all);

const advice: Record<NoiseAdvice, (noise: RuleNoise) => string> = {
  flapping: ({ flapping, changesPerHour, timeMatching, clearMinutes, clearMatches, matches }) =>
    `${flapping === 1 ? '1 device or block flaps' : `${flapping} devices or blocks flap`}: up to ${changesPerHour} changes an hour, matching ${percent(timeMatching, 1)} % of the time. “Clear for” ${clearMinutes} min would have left ${clearMatches} of ${matches} matches.`,
  single: ({ single, matches }) =>
    `${percent(single, matches)} % of its matches were a single hit. Requiring several in a row would leave them out.`,
  returning: ({ returning, matches }) =>
    `${percent(returning, matches)} % of its matches began again soon after they had ended. A longer or sliding lifetime, or a recovery condition, would join them.`,
  idle: ({ idle, ended }) =>
    `${idle} of ${ended} units were closed without work on them. Lower the severity, or run its actions without a unit.`,
};

export const noiseTexts = {
  title: 'Noise of rules',
  words: 'noisy alerts fatigue cost worst rules',
  text: 'Rules with matches in this time; those whose units nobody worked on come first.',
  period: 'Period',
  days: (days: number) => `${days} days`,
  columns: {
    rule: 'Rule',
    matches: 'Matches',
    units: 'Work units',
    repeats: 'Came back',
    idle: 'Closed without work',
    hours: 'Person-hours',
    advice: 'What would help',
  },
  disabled: 'Disabled',
  idleOf: (idle: number, ended: number) => `${idle} of ${ended}`,
  subjects: (count: number) => (count === 1 ? 'on 1 device or block' : `on ${count} devices or blocks`),
  advice,
  nothing: 'Nothing stands out.',
  backtest: 'Try it in a backtest',
  backtestOf: (rule: string) => `Try it in a backtest of ${rule}`,
  none: 'No rule has matched in this time',
  noneText: 'Choose a longer period, or look at the rules: they may be disabled.',
  failed: 'The noise of the rules could not be read.',
} as const;
