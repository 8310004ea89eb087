import { expect, it } from 'vitest';
import { exampleValues, placeholderExample } from './placeholder-examples.ts';
import { rulePlaceholders } from './placeholders.ts';

it('there is an example of each placeholder, and of no other name', () => {
  expect(rulePlaceholders.filter(({ id }) => placeholderExample(id) === undefined)).toEqual([]);
  const others = Object.keys(exampleValues([])).filter((name) => !rulePlaceholders.some(({ id }) => id === name));
  expect(others).toEqual(['ackUrl', 'ProtocolActionId']);
});

it('examples of readings are given for the names that the texts have', () => {
  expect(exampleValues(['{"a":{Metrics.Cpu},"b":"{States.Disk}"}', '{Properties.Os} {Secret:x} {Metrics.} {Nothing}'])).toMatchObject({
    'Metrics.Cpu': 42.5,
    'States.Disk': 'Running',
    'Properties.Os': expect.any(String),
  });
  for (const name of ['Secret:x', 'Metrics.', 'Nothing', 'toString']) expect(placeholderExample(name)).toBeUndefined();
});
