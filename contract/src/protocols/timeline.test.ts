/** Durations of the API. */
import { expect, it } from 'vitest';
import { secondsOf } from './timeline.ts';

it('counts a duration in seconds', () => {
  expect(['00:00:07', '00:02:00', '26:00:00', '01:01:01', '01:30', '02', ''].map(secondsOf)).toEqual([
    7, 120, 93_600, 3_661, 5_400, 7_200, 0,
  ]);
});
