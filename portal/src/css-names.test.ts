import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const files = globSync('**/*.css', { cwd: import.meta.dirname });

/** The classes that a file styles wherever they are: those with which a selector begins. */
const classesOf = (file: string): string[] =>
  [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/^\.([a-z][\w-]*)(?=\s*\{|,$)/gm)].map(([, name = '']) => name);

it('gives a class to one folder: the styles of every screen that was visited stay in the page', () => {
  const folders = new Map<string, Set<string>>();
  for (const file of files) for (const name of classesOf(file)) folders.set(name, (folders.get(name) ?? new Set()).add(dirname(file)));
  expect(folders.size).toBeGreaterThan(300);
  expect([...folders].filter(([, of]) => of.size > 1).map(([name, of]) => [name, [...of]])).toEqual([]);
});
