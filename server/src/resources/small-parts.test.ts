/** Parts of the engine that need no database: versions, keys, conflict messages, descriptions of lists, files, scopes. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { sql } from '../db/sql.ts';
import { compile } from '../db/compile.ts';
import { csvFile, csvText, isCsvFile } from './csv.ts';
import { etagOf, opaqueTags, parseKey, rememberVersion, requireMatch } from './get.ts';
import { contextOf } from './list.ts';
import { explainConstraint } from './record.ts';
import { tenantPredicate } from './scope.ts';
import type { AnyServed } from './served.ts';

const servedAs = (resource: unknown, table: string) => ({ resource, table }) as unknown as AnyServed;
const location = servedAs(locations, 'location');

describe('the version of a row', () => {
  const row = rememberVersion({ name: 'North' }, '42');
  const matches = (header: string | undefined, of: object = row): boolean => {
    try {
      requireMatch(of, header);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'PreconditionFailed', status: 412, target: 'If-Match' });
      return false;
    }
  };

  it('is its weak tag', () => {
    expect([etagOf(row), etagOf({}), etagOf(rememberVersion({}, null)), etagOf(rememberVersion({}, undefined))]).toEqual([
      'W/"42"',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is what If-Match names, alone, among others or before a dash', () => {
    expect(['W/"42"', '"42"', '"1", W/"42"', 'W/"42-7"', '*', ' * ', undefined].map((header) => matches(header))).toEqual(
      Array.from({ length: 7 }, () => true),
    );
    expect(['W/"4"', '"421"', '"7-42"', '', '""', 'x'].map((header) => matches(header))).toEqual(Array.from({ length: 6 }, () => false));
    expect(() => requireMatch(row, '42')).toThrow('Send in If-Match an ETag from an answer, with its quotes, such as W/"42", or *.');
    expect([matches('"undefined"', {}), matches('*', {})]).toEqual([false, true]);
    expect(opaqueTags('W/"a", "b"')).toEqual(['a', 'b']);
  });
});

describe('a key', () => {
  it('that cannot be one names no row', () => {
    const unit = servedAs(workUnits, 'work_unit');
    const guid = 'AAAAAAAA-0000-4000-8000-000000000001';
    expect([parseKey(location, guid), parseKey(unit, '17'), parseKey(unit, 17)]).toEqual([guid.toLowerCase(), 17, 17]);
    for (const [of, key] of [
      [location, 'x'],
      [unit, 'x'],
      [unit, 1.5],
      [unit, 2 ** 53],
      [unit, '9007199254740993'],
    ] as const)
      expect(() => parseKey(of, key)).toThrow(expect.objectContaining({ status: 404 }));
  });
});

describe('a constraint that refuses a row', () => {
  const explained = (target: string, served = location) => {
    const error = explainConstraint(served, new ApiError('Conflict', 'x', { target })) as ApiError;
    return { code: error.code, message: error.details[0]?.message ?? error.message, target: error.details[0]?.target ?? error.target };
  };

  it('is explained by the field that must differ', () => {
    expect(explained('location_tenant_id_name_key')).toMatchObject({ code: 'Conflict', target: 'tenantId' });
    expect(explained('location_name_key')).toEqual({
      code: 'Conflict',
      message: 'There is already a location with this name.',
      target: 'name',
    });
    expect(explained('location_key')).toMatchObject({ message: 'There is already a location with this value.', target: undefined });
  });

  it('is a wrong value of the field that names a missing row', () => {
    expect(explained('location_tenant_id_fkey')).toEqual({
      code: 'ValidationFailed',
      message: 'Tenant was not found.',
      target: 'tenantId',
    });
    const unit = servedAs(workUnits, 'work_unit');
    expect(explained('work_unit_work_unit_type_id_fkey', unit)).toMatchObject({ code: 'ValidationFailed', target: 'workUnitTypeId' });
  });

  it('of another table says that the row is in use', () => {
    expect(explained('device_location_id_fkey')).toMatchObject({
      code: 'Conflict',
      message: 'This location cannot be deleted while something else uses it.',
    });
  });

  it('is left alone where it is something else', () => {
    for (const error of [new Error('x'), new ApiError('Conflict', 'x'), new ApiError('NotFound', 'x', { target: 'location_name_key' })])
      expect(explainConstraint(location, error)).toBe(error);
  });
});

describe('what the rows of a list are', () => {
  const context = (query: string) => contextOf(workUnits, bindQuery(workUnits, parseOptions(query), requireResource));

  it.each([
    ['', 'workUnits'],
    ['$select=title,workUnitId', 'workUnits(title,workUnitId)'],
    ['$expand=tenant', 'workUnits'],
    ['$select=title&$expand=tenant', 'workUnits(title,tenant())'],
    ['$expand=tenant($select=name)', 'workUnits(tenant(name))'],
    ['$apply=groupby((tenant/name,severityId),aggregate($count as n))', 'workUnits(tenant(name),severityId,n)'],
    ['$apply=groupby((tenant/name,severityId),aggregate($count as n))&$select=n', 'workUnits(n)'],
    ['$apply=compute(1 as one)', 'workUnits'],
  ])('%s: %s', (query, expected) => {
    expect(context(query)).toBe(expected);
  });
});

describe('a file', () => {
  it('has a line of labels and one for each row, a hundred at a time', () => {
    const rows = Array.from({ length: 201 }, (_, n) => ({ n }));
    const parts = [...csvText(csvFile('x.csv', [{ label: 'N', value: (row) => row['n'] }], rows))];
    expect(parts.map((part) => part.split('\r\n').length - 1)).toEqual([1, 100, 100, 1]);
    expect(parts.join('')).toBe(['"N"', ...rows.map(({ n }) => `"${n}"`), ''].join('\r\n'));
    expect([...csvText(csvFile('x.csv', [{ label: 'N', value: () => 1 }], []))]).toEqual(['"N"\r\n']);
  });

  it('is known by its three parts', () => {
    expect([isCsvFile(csvFile('x.csv', [], [])), isCsvFile({ csv: 'x', rows: [] }), isCsvFile(null), isCsvFile('csv')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the rows of tenants', () => {
  const text = (resource: Parameters<typeof tenantPredicate>[0], scope: Parameters<typeof tenantPredicate>[2]) => {
    const predicate = tenantPredicate(resource, 't', scope);
    return predicate && compile(sql`${predicate}`).text;
  };

  it('are compared by = where there is one, and not at all for all', () => {
    expect([text(workUnits, 'all'), text(workUnits, ['a']), text(workUnits, ['a', 'b']), text(workUnits, [])]).toEqual([
      undefined,
      '"t"."tenant_id" = $1::uuid',
      '"t"."tenant_id" = any($1::uuid[])',
      '"t"."tenant_id" = any($1::uuid[])',
    ]);
    expect(text(tenants, ['a'])).toBe('"t"."tenant_id" = $1::uuid');
    expect(text({ ...workUnits, scope: { kind: 'installation' } }, ['a'])).toBeUndefined();
    expect(text(locations, ['a'])).toBe('("t"."tenant_id" = $1::uuid or "t"."tenant_id" is null)');
  });
});
