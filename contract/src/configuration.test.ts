import { expect, it } from 'vitest';
import { configurationDocument } from './configuration.ts';
import { limits } from './limits.ts';

it('has as many rows as one import takes, of all resources together', () => {
  const parse = (locations: number, rules: number) =>
    configurationDocument.safeParse({
      cloudfit: 'configuration',
      version: 1,
      rows: { locations: Array.from({ length: locations }, () => ({})), rules: Array.from({ length: rules }, () => ({})) },
    });
  expect(parse(limits.importRows - 1, 1).success).toBe(true);
  expect(parse(limits.importRows, 1).error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['rows', 'A configuration has at most 20000 rows in one import. Import it in parts, each after those it refers to.'],
  ]);
});
