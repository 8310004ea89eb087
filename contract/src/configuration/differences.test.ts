import { expect, it } from 'vitest';
import { differenceLines, withNames } from './differences.ts';

it('shows only what changed, also within lists and JSON in text', () => {
  const unit = { ActionDefinitionId: 'unit', Parameters: { SeverityId: 'Sev2' } };
  const mail = { ActionDefinitionId: 'mail', Parameters: { To: 'desk' } };
  // An action that was put before another one does not show the other one as changed.
  expect(differenceLines([unit], [mail, { ...unit, Parameters: { ProtocolId: 'p', SeverityId: 'Sev2' } }])).toEqual([
    { path: '1 ActionDefinitionId', after: 'mail' },
    { path: '1 Parameters To', after: 'desk' },
    { path: '2 Parameters ProtocolId', after: 'p' },
  ]);
  expect(differenceLines('{"To":"a","Cc":"c"}', '{"Cc":"c","To":"b"}')).toEqual([{ path: 'To', before: 'a', after: 'b' }]);
  expect(differenceLines([unit, mail], [mail])).toEqual([
    { path: '1 ActionDefinitionId', before: 'unit' },
    { path: '1 Parameters SeverityId', before: 'Sev2' },
  ]);
  expect(differenceLines([{ days: [1], from: '08:00' }], [{ from: '09:00', days: [1] }])).toEqual([
    { path: '1 from', before: '08:00', after: '09:00' },
  ]);
});

it('has one line for a plain value, and none for values that mean the same', () => {
  expect(differenceLines('Bergen', null)).toEqual([{ path: '', before: 'Bergen' }]);
  expect(differenceLines(null, 0)).toEqual([{ path: '', after: '0' }]);
  expect(differenceLines(null, '')).toEqual([]);
  expect(differenceLines({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  expect(differenceLines(undefined, ['x'])).toEqual([{ path: '1', after: 'x' }]);
});

it('puts names in place of ids, whatever their case', () => {
  const id = '0197f000-0000-7000-8000-00000000000a';
  expect(withNames(`Rule ${id.toUpperCase()}, ${id.replace('a', 'b')}`, { [id]: 'Hot' })).toBe(`Rule Hot, ${id.replace('a', 'b')}`);
});
