import { expect, it } from 'vitest';
import { endOfName, openNameAt } from './open-name.ts';

const at = (marked: string) => {
  const caret = marked.indexOf('|');
  const text = marked.slice(0, caret) + marked.slice(caret + 1);
  const open = openNameAt(text, caret);
  return { text, open };
};

it.each([
  ['{|', ''],
  ['a {Dev|', 'Dev'],
  ['{"a":"{Secret:pa|"}', 'Secret:pa'],
  ['{Title} {Metrics.C|', 'Metrics.C'],
])('finds the placeholder that is typed in %s', (marked, typed) => expect(at(marked).open?.typed).toBe(typed));

it.each(['|', '{Title}|', '{a b|', '{"a|', 'x|{'])('finds none in %s', (marked) => expect(at(marked).open).toBeUndefined());

it.each([
  ['a {Dev| b', '{Dev'],
  ['{Ti|tle} x', '{Title}'],
  ['{Ti|tle', '{Ti'],
  ['"{|"', '{'],
  ['a {Ti|tle|no title} b', '{Title|no title}'],
])('of %s it replaces %s', (marked, replaced) => {
  const { text, open } = at(marked);
  if (!open) throw new Error('There is no placeholder.');
  expect(text.slice(open.from, endOfName(text, open))).toBe(replaced);
});
