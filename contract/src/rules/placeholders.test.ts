import { expect, it } from 'vitest';
import { extraParameters, placeholderProblem, unknownPlaceholders } from './placeholders.ts';

it('lets through known names, readings, secrets, parameters and braces that are no placeholder', () => {
  const text =
    '{RuleName} {Metrics.Disk_free} {States.Service} {Properties.Site} {Secret:hook} {secret:hook} {Team} { viewer { login } } {"a":1} {}';
  expect(unknownPlaceholders(text, ['Team'])).toEqual([]);
  expect(placeholderProblem(text, ['Team'])).toBeUndefined();
});

it.each([
  ['{PublicWorkunitId}', ' Did you mean {PublicWorkUnitId}?'],
  ['{Devicename}', ' Did you mean {DeviceName}?'],
  ['{DeviceNam}', ' Did you mean {DeviceName}?'],
  ['{metrics.Disk_free}', ' Did you mean {Metrics.Disk_free}?'],
  ['{Teem}', ' Did you mean {Team}?'],
  ['{Zzzzzzzz}', ' These exist: Team, RuleName, RuleId'],
])('refuses %s with the names that exist and the nearest', (text, expected) => {
  expect(unknownPlaceholders(`a ${text} b ${text}`, ['Team'])).toEqual([text.slice(1, -1)]);
  const problem = placeholderProblem(text, ['Team']);
  expect(problem).toContain(`There is no placeholder ${text}.${expected}`);
  expect(problem).toContain('WorkUnitUrl, AckUrl');
});

it('parses pairs of names and values, and ignores texts that are none', () => {
  expect(extraParameters('Site = Berlin; Team=Ops=2\nsame=same;abc; =x ;empty=')).toEqual({
    Site: 'Berlin',
    Team: 'Ops=2',
    same: 'same',
    empty: '',
  });
  expect(extraParameters('')).toEqual({});
});
