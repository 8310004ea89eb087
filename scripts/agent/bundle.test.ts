import { expect, it } from 'vitest';
import { bundle } from './bundle.mjs';

it('has no syntax that the oldest Node of an executable does not know', async () => {
  const code = await bundle('1.0.0');
  expect(code.length).toBeGreaterThan(100_000);
  expect(/\b(?:await )?using [\w$]+ ?=/.exec(code)?.[0]).toBeUndefined();
});
