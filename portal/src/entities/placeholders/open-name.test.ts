import { expect, it } from 'vitest';
import { openNameAt, withName } from './open-name.ts';

const at = (marked: string) => {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
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
  ['a {Dev| b', '{DeviceName}', 'a {DeviceName}| b'],
  ['{Ti|tle} x', '{Label}', '{Label}| x'],
  ['{Ti|tle', '{Label}', '{Label}|tle'],
  ['"{|"', '{Metrics.', '"{Metrics.|"'],
])('replaces %s by %s', (marked, inserted, target) => {
  const { text, open } = at(marked);
  if (!open) throw new Error('There is no placeholder.');
  const { text: next, caret } = withName(text, open, inserted);
  expect(`${next.slice(0, caret)}|${next.slice(caret)}`).toBe(target);
});
