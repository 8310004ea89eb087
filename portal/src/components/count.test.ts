import { expect, it } from 'vitest';
import { countText } from './count.ts';

it('groups thousands', () => {
  expect([0, 7, 999, 1_000, 12_345, 1_002_000].map(countText)).toEqual(['0', '7', '999', '1,000', '12,345', '1,002,000']);
});
