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

it.each([
  ['{LocationName|none} {BlockName|} {Metrics.Disk|0} {Team|Ops & Co} {x|y "z"}', undefined],
  ['{Locationname|none}', 'There is no placeholder {Locationname}. Did you mean {LocationName}?'],
  ['{"l":"{LocationName|say "none"}"}', 'The default of {LocationName} has at most 200 characters, and no quotes'],
  ['{LocationName|{BlockName}}', 'The default of {LocationName} has'],
  ['{Team|a\\n}', 'The default of {Team} has'],
  [`{BlockName|${'x'.repeat(201)}}`, 'The default of {BlockName} has'],
  ['{Secret:key|none}', '{Secret:key} is a secret, which has no default.'],
])('knows defaults, and refuses those of %s that could leave their place', (text, expected) => {
  const problem = placeholderProblem(text, ['Team']);
  if (expected === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(expected);
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
