/** Each number of an advisory lock has one owner. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { advisoryLocks } from './advisory-locks.ts';

const source = join(import.meta.dirname, '..');

it('is listed, different from the others, and used by one file', () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.test\.ts$|advisory-locks\.ts$/.test(file));
  const texts = files.map((file) => [file, readFileSync(join(source, file), 'utf8')] as const);
  for (const name of Object.keys(advisoryLocks))
    expect([name, texts.filter(([, text]) => new RegExp(String.raw`\badvisoryLocks\.${name}\b`).test(text)).length]).toEqual([name, 1]);
  // A number that is written at its statement is in no list, so nobody sees that another has it.
  const written = /pg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\(\d+/;
  expect(texts.filter(([, text]) => written.test(text)).map(([file]) => file)).toEqual([]);
});
