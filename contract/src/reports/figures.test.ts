import { expect, it } from 'vitest';
import { reportTexts } from '../messages/reports.en.ts';
import { figureText, type FigureWriter } from './figures.ts';

const to: FigureWriter = { texts: reportTexts, number: String, duration: String, personName: (name) => name };
const shareText = (met: number, breached: number) => {
  const times = { units: met + breached, medianSeconds: null, p90Seconds: null, met, breached };
  return figureText('resolveMet', { opened: 0, open: 0, unacknowledged: 0, acknowledge: times, resolve: times }, to);
};

it.each([
  [0, 0, '—'],
  [1_000, 0, '100 % (1000 of 1000)'],
  [999, 1, '99 % (999 of 1000)'],
  [1, 999, '1 % (1 of 1000)'],
  [0, 7, '0 % (0 of 7)'],
  [2, 1, '67 % (2 of 3)'],
])('says of %i met and %i breached that a level was met by %s', (met, breached, text) => {
  expect(shareText(met, breached)).toBe(text);
});
