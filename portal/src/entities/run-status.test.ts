import { expect, it } from 'vitest';
import { toneOfRun } from './run-status.ts';

it('shows a check that could not look neither as well nor as down', () => {
  expect(['Success', 'Unknown', 'Failed', 'Refused', 'of a newer server'].map(toneOfRun)).toEqual([
    'ok',
    'unknown',
    'danger',
    'danger',
    'plain',
  ]);
});
