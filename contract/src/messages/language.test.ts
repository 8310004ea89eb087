import { expect, it } from 'vitest';
import { acceptedLanguage } from './language.ts';

it.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB, de;q=0.9', 'en'],
  ['fr, de;q=0.4, en;q=0.3', 'de'],
  ['en;q=0.3, DE ; Q=0.9', 'de'],
  ['de;q=0, en;q=0.1', 'en'],
  ['*', 'en'],
  ['fr', undefined],
  ['de;q=wrong', undefined],
  ['', undefined],
  [undefined, undefined],
] as const)('%s accepts %s', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language);
});
