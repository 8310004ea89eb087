/** How the engine parses the bodies of clients. Pure, without a database. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod/mini';
import { ApiError, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { defineResource, f, one, optional } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../context/ctx.ts';
import { bulkEdits, requireAll } from './bulk.ts';
import { createFromBody } from './create.ts';
import { fieldName, parseInput, same } from './input.ts';
import { editOf, jsonPatch } from './patch.ts';
import type { AnyRow, AnyServed } from './served.ts';
import type { AnyEdit } from './update.ts';

const pumps = defineResource({
  name: 'pumps',
  label: 'Pump',
  plural: 'Pumps',
  key: 'pumpId',
  title: 'name',
  area: 'Devices',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name',
  fields: {
    pumpId: f.key('Pump ID'),
    name: f.text('Name', { required: true, max: 10 }),
    note: optional(f.text('Note')),
    count: f.int('Count', { initial: 5 }),
    kind: f.choice('Kind', ['big', 'small'], { required: true }),
    serial: f.text('Serial', { write: 'create' }),
    tested: optional(f.timestamp('Tested')),
    settings: f.json('Settings', () => z.record(z.string(), z.unknown()), { initial: {} }),
    tenantId: f.ref('Tenant', 'tenants', { required: true }),
    created: f.timestamp('Created', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
const served = { resource: pumps, table: 'pump' } as unknown as AnyServed;

const tenantId = 'aaaaaaaa-0000-4000-8000-000000000001';
const complete = { name: 'North', kind: 'big', tenantId };
const row: AnyRow = {
  pumpId: 'bbbbbbbb-0000-4000-8000-000000000002',
  name: 'North',
  note: null,
  count: 5,
  kind: 'big',
  serial: 'X1',
  tested: '2026-01-01T00:00:00.000Z',
  settings: { speed: 3, modes: ['a'] },
  tenantId,
  created: '2026-01-01T00:00:00.000Z',
};

function refusal(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}
const problems = (body: unknown, before: AnyRow | null = null) =>
  refusal(() => parseInput(pumps, body, before)).details.map(({ target, message }) => `${target}: ${message}`);
const apply = (edit: AnyEdit): unknown => (typeof edit === 'function' ? edit(row) : edit);

describe('the body of a new row', () => {
  it('gets the initial values that it leaves out', () => {
    expect(parseInput(pumps, complete, null)).toEqual({ ...complete, count: 5, settings: {} });
    expect(parseInput(pumps, { ...complete, count: 7, note: undefined }, null)).toEqual({ ...complete, count: 7, settings: {} });
  });

  it('is an object', () => {
    for (const body of [null, [], 'x', 5]) expect(refusal(() => parseInput(pumps, body, null)).code).toBe('InvalidBody');
  });

  it('says all that is missing and wrong at once', () => {
    expect(problems({ nonsense: 1, count: 'many', created: '2026-01-01T00:00:00Z' })).toEqual([
      'nonsense: Pump has no field nonsense; there are name, note, count, kind, serial, tested, settings, tenantId.',
      'count: Count must be a whole number.',
      'name: Name is required.',
      'kind: Kind is one of big, small.',
      'tenantId: Tenant is required.',
    ]);
    expect(problems({ ...complete, name: '' })).toEqual(['name: Name is required.']);
    expect(problems({ ...complete, name: 'x'.repeat(11) })).toEqual(['name: Name is at most 10 characters.']);
    expect(problems({ ...complete, constructor: 1 })).toEqual([
      'constructor: Pump has no field constructor; there are name, note, count, kind, serial, tested, settings, tenantId.',
    ]);
    expect(problems({ ...complete, one: 1, two: 2 })[1]).toBe('two: Pump has no field two.');
  });

  it('stops after a hundred problems', () => {
    const names = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`x${i}`, 1]));
    expect(problems({ ...complete, ...names(limits.reasons) })).toHaveLength(limits.reasons);
    expect(problems({ ...names(limits.reasons + 5), ...complete })).toHaveLength(limits.reasons);
  });

  it('is not read for a caller who may create nowhere', async () => {
    const ctxOf = (...permissions: string[]) =>
      ({ tenants: [tenantId], permissions: new Map([[tenantId, new Set(permissions)]]) }) as unknown as Ctx;
    await expect(createFromBody(ctxOf(), served, { nonsense: 1 })).rejects.toMatchObject({ status: 403 });
    await expect(createFromBody(ctxOf(...allPermissions), served, { nonsense: 1 })).rejects.toMatchObject({ status: 400 });
  });

  it('may carry a key that says nothing, relations and annotations', () => {
    for (const pumpId of [null, -1]) expect(parseInput(pumps, { ...complete, pumpId, created: null }, null)).not.toHaveProperty('pumpId');
    expect(parseInput(pumps, { ...complete, pumpId: row['pumpId'], created: -1 }, null)).toEqual(parseInput(pumps, complete, null));
    const carried = { ...complete, tenant: { name: 'T' }, '@odata.etag': 'W/"1"' };
    expect(Object.keys(parseInput(pumps, carried, null))).not.toEqual(expect.arrayContaining(['tenant']));
  });

  it('may write the names of fields in another case, and times in another zone', () => {
    expect(parseInput(pumps, { Name: 'North', KIND: 'big', tenantid: tenantId, tested: '2026-01-01T01:00:00+01:00' }, null)).toMatchObject({
      ...complete,
      tested: '2026-01-01T00:00:00.000Z',
    });
    expect([fieldName(pumps, 'NAME'), fieldName(pumps, 'other')]).toEqual(['name', 'other']);
  });

  it('takes an empty text as null where a field may be empty', () => {
    expect(parseInput(pumps, { ...complete, note: '' }, null)).toMatchObject({ note: null });
    expect(parseInput(pumps, { ...complete, serial: '' }, null)).toMatchObject({ serial: '' });
  });
});

describe('the body of a change', () => {
  it('may send back what cannot be set as it stands', () => {
    expect(parseInput(pumps, { ...row, name: 'South' }, row)).toEqual({
      name: 'South',
      note: null,
      count: 5,
      kind: 'big',
      tested: row['tested'],
      settings: row['settings'],
      tenantId,
    });
    expect(parseInput(pumps, { created: null, pumpId: -1 }, row)).toEqual({});
    expect(problems({ serial: 'X2' }, row)).toEqual(['serial: Serial cannot be set.']);
  });

  it('asks for nothing that it leaves out', () => {
    expect(parseInput(pumps, {}, row)).toEqual({});
  });
});

describe('two values', () => {
  it('are the same by content, nothing and null too', () => {
    const same2 = (a: unknown, b: unknown) => [same(a, b), same(b, a)];
    expect([same2(null, undefined), same2({ a: [1] }, { a: [1] }), same2([1], [1]), same2(0, 0)]).toEqual(
      Array.from({ length: 4 }, () => [true, true]),
    );
    expect([same2(null, 0), same2(null, {}), same2({ a: 1 }, { a: 2 }), same2('1', 1), same2('{}', {})]).toEqual(
      Array.from({ length: 5 }, () => [false, false]),
    );
  });
});

describe('a JSON Patch', () => {
  const patched = (...operations: unknown[]) => apply(jsonPatch(pumps, operations));
  const refused = (...operations: unknown[]) => refusal(() => patched(...operations));

  it('sets, adds and removes fields, in any case, and keeps what does not differ', () => {
    expect(
      patched(
        { op: 'replace', path: '/Name', value: 'South' },
        { op: 'add', path: '/note', value: 'x' },
        { op: 'remove', path: '/tested' },
        { op: 'replace', path: '/count', value: 5 },
      ),
    ).toEqual({ name: 'South', note: 'x', tested: null });
    expect(row['name']).toBe('North');
  });

  it('reaches into a JSON field, one level deep', () => {
    expect(patched({ op: 'replace', path: '/settings/speed', value: 4 }, { op: 'add', path: '/settings/on', value: true })).toEqual({
      settings: { speed: 4, modes: ['a'], on: true },
    });
    expect(patched({ op: 'test', path: '/settings/speed', value: 3 }, { op: 'remove', path: '/settings/speed' })).toEqual({
      settings: { modes: ['a'] },
    });
    expect(refused({ op: 'test', path: '/settings/speed', value: 4 })).toMatchObject({
      code: 'TestFailed',
      target: 'settings/speed',
      message: "The current value '3' at path 'settings/speed' is not equal to the test value '4'.",
    });
    expect(refused({ op: 'replace', path: '/settings/none', value: 4 })).toMatchObject({
      code: 'InvalidBody',
      message: "The patch operation replace at '/settings/none' does not fit the row.",
      target: '/settings/none',
    });
  });

  it('tests by content, times by their moment', () => {
    const test = (path: string, value: unknown) => () => patched({ op: 'test', path, value });
    for (const holds of [
      test('/name', 'North'),
      test('/note', null),
      test('/tested', '2026-01-01T01:00:00+01:00'),
      test('/settings', { speed: 3, modes: ['a'] }),
    ])
      expect(holds()).toEqual({});
    const message = (path: string, value: unknown) => refusal(test(path, value)).message;
    expect(message('/name', 'South')).toBe("The current value 'North' at path 'name' is not equal to the test value 'South'.");
    expect(message('/note', 'x')).toBe("The current value 'empty' at path 'note' is not equal to the test value 'x'.");
    expect(message('/count', null)).toBe("The current value '5' at path 'count' is not equal to the test value 'empty'.");
    expect(refusal(test('/tested', '2026-01-01T00:00:00.001Z')).code).toBe('TestFailed');
    expect(refusal(test('/name', '2026-01-01T00:00:00Z')).code).toBe('TestFailed');
    expect(refusal(test('/name', 5)).code).toBe('TestFailed');
    const numbered = jsonPatch(pumps, [{ op: 'test', path: '/name', value: '01' }]) as (before: AnyRow) => AnyRow;
    expect(refusal(() => numbered({ ...row, name: '1' })).code).toBe('TestFailed');
  });

  it.each([
    ['null', [null], 'Each patch operation needs op and path.'],
    ['no path', [{ op: 'add' }], 'Each patch operation needs op and path.'],
    ['no op', [{ path: '/name' }], 'Each patch operation needs op and path.'],
    ['another op', [{ op: 'move', path: '/name' }], 'The patch operation move is not allowed; use test, replace, add or remove.'],
    ['no slash', [{ op: 'add', path: 'name', value: 'x' }], "The path 'name' must start with a slash, as '/name'."],
    ['no value', [{ op: 'add', path: '/name' }], "The patch operation add at '/name' needs a value."],
    ['no such field', [{ op: 'remove', path: '/other' }], "Pump has no field at path '/other'."],
    ['a field of every object', [{ op: 'remove', path: '/constructor' }], "Pump has no field at path '/constructor'."],
    ['inside a text', [{ op: 'remove', path: '/name/x' }], "'/name/x' names nothing inside Name."],
    ['the prototype', [{ op: 'add', path: '/settings/__proto__', value: 1 }], "'/settings/__proto__' names nothing inside Settings."],
    ['too deep', [{ op: 'remove', path: '/settings/a/b' }], "Pump has no field at path '/settings/a/b'."],
  ])('is refused for %s', (_name, operations, message) => {
    expect(refused(...operations).message).toBe(message);
  });

  it('is refused for a field that only the server sets', () => {
    expect(refused({ op: 'replace', path: '/created', value: '2020-01-01T00:00:00.000Z' }).details).toMatchObject([
      { target: 'created', message: 'Created cannot be set.' },
    ]);
    expect(patched({ op: 'replace', path: '/created', value: row['created'] })).toEqual({});
  });

  it('has at most a hundred operations and 256 kB', () => {
    const test = { op: 'test', path: '/name', value: 'North' };
    const many = (n: number) => () => patched(...Array.from({ length: n }, () => test));
    expect(many(limits.patchOperations)).not.toThrow();
    expect(refusal(many(limits.patchOperations + 1)).message).toBe('A patch has at most 100 operations.');
    const empty = JSON.stringify([{ op: 'add', path: '/note', value: '' }]).length;
    const large = (length: number) => () => patched({ op: 'add', path: '/note', value: 'x'.repeat(length - empty) });
    expect(large(limits.patchBytes)).not.toThrow();
    expect(refusal(large(limits.patchBytes + 1))).toMatchObject({ code: 'PayloadTooLarge' });
    expect(refusal(() => jsonPatch(pumps, {})).message).toBe('A JSON Patch is an array of operations.');
  });
});

describe('an edit', () => {
  it('is a patch, a pair of states or the fields themselves', () => {
    expect(apply(editOf(pumps, [{ op: 'replace', path: '/name', value: 'South' }]))).toEqual({ name: 'South' });
    expect(apply(editOf(pumps, { name: 'South' }))).toEqual({ name: 'South' });
    expect(apply(editOf(pumps, { newState: { name: 'South' }, previousState: { name: 'North' } }))).toEqual({ name: 'South' });
    expect(apply(editOf(pumps, { newState: { name: 'South' } }))).toEqual({ newState: { name: 'South' } });
    expect(refusal(() => editOf(pumps, 'x')).message).toBe('The body must be a JSON object or a JSON Patch array.');
  });

  it('of two states tests what differs, and nothing else', () => {
    const between = (previousState: AnyRow, newState: AnyRow) => apply(editOf(pumps, { previousState, newState }));
    const stale = { ...row, count: 1 };
    expect(between(stale, { ...stale, name: 'South', tenant: { name: 'T' }, '@odata.etag': '1' })).toEqual({ name: 'South' });
    expect(refusal(() => between({ ...row, name: 'West' }, { ...row, name: 'South' })).code).toBe('TestFailed');
    expect(between({ name: 'North', note: null }, { name: 'North' })).toEqual({});
    expect(between({ name: 'North' }, { name: 'North', note: 'x' })).toEqual({ note: 'x' });
    expect(between({ name: 'North', kind: 'big' }, { name: 'North' })).toStrictEqual({ kind: null });
  });
});

describe('a bulk edit', () => {
  const [one, two] = ['aaaaaaaa-0000-4000-8000-00000000000a', 'bbbbbbbb-0000-4000-8000-00000000000b'];
  const edits = (body: unknown) => bulkEdits(served, body).map(({ key, edit }) => [key, apply(edit)]);
  const message = (body: unknown) => refusal(() => edits(body)).message;

  it('names ids with one new state, with or without the states before', () => {
    const newState = { name: 'South' };
    expect(edits({ ids: [one, 2], newState })).toEqual([
      [one, newState],
      [2, newState],
    ]);
    expect(edits({ ids: [one], newState, previousState: { name: 'North' } })).toEqual([[one, newState]]);
    expect(edits({ ids: [one], newState, previousState: [{ pumpId: one, name: 'North' }] })).toEqual([[one, newState]]);
    expect(refusal(() => edits({ ids: [one], newState, previousState: [{ id: one, name: 'West' }] })).code).toBe('TestFailed');
    expect(edits({ ids: [one], patch: [{ op: 'replace', path: '/name', value: 'South' }] })).toEqual([[one, newState]]);
  });

  it('names rows with states of their own', () => {
    const [next, previous] = [
      { pumpId: one, name: 'South' },
      { pumpId: one, name: 'North' },
    ];
    expect(edits({ newState: [next], previousState: [previous] })).toEqual([[one, { name: 'South' }]]);
    expect(edits({ newState: [next] })).toEqual([[one, next]]);
    expect(
      edits([
        { id: one, newState: { name: 'South' } },
        { pumpId: two, patch: [] },
      ]),
    ).toEqual([
      [one, { name: 'South' }],
      [two, {}],
    ]);
  });

  it('keeps the states that were sent, for who checks them together', () => {
    const [first] = bulkEdits(served, { ids: [one], newState: { name: 'South' }, previousState: { name: 'North' } });
    expect(first).toMatchObject({ newState: { name: 'South' }, previousState: { name: 'North' } });
    expect(bulkEdits(served, { ids: [one], newState: { name: 'South' } })[0]).not.toHaveProperty('previousState');
  });

  it('gives a field that it empties its initial value, where it may not be empty', () => {
    const emptied = { count: null, name: ' ', note: '', other: '' };
    expect(edits({ ids: [one], newState: emptied })).toEqual([[one, { ...emptied, count: 5 }]]);
    expect(edits({ ids: [one], newState: { count: 0 } })).toEqual([[one, { count: 0 }]]);
  });

  it.each([
    ['a text', 'x', 'The body must be a JSON object or an array.'],
    ['no ids', { newState: {} }, 'A bulk edit names ids.'],
    ['ids that are none', { ids: [{}], newState: {} }, 'ids are keys of rows.'],
    ['no state', { ids: [one] }, 'A bulk edit names newState (and previousState), or patch.'],
    ['no row before', { ids: [one], newState: {}, previousState: 'x' }, 'previousState is the row as it was.'],
    ['another row before', { ids: [one], newState: {}, previousState: [{ pumpId: two }] }, `previousState has no row ${one}.`],
    ['a row without its key', [{ newState: {} }], 'Each row of a bulk edit names its pumpId.'],
    ['no rows', [], 'A bulk edit names at least one row.'],
    ['no ids in the list', { ids: [], newState: {} }, 'A bulk edit names at least one row.'],
    ['a row twice', { ids: [one, one.toUpperCase()], newState: {} }, 'A row is named twice.'],
  ])('is refused for %s', (_name, body, expected) => {
    expect(message(body)).toBe(expected);
  });

  it('has at most a thousand rows', () => {
    const ids = (n: number) => ({ ids: Array.from({ length: n }, (_, i) => i), newState: {} });
    expect(edits(ids(limits.pageMax))).toHaveLength(limits.pageMax);
    expect(message(ids(limits.pageMax + 1))).toBe('A bulk edit has at most 1000 rows.');
    const rows = Array.from({ length: limits.pageMax + 1 }, (_, id) => ({ id, newState: {} }));
    expect([message(rows), message({ newState: rows })]).toEqual(Array.from({ length: 2 }, () => 'A bulk edit has at most 1000 rows.'));
  });
});

describe('the answer to a bulk edit', () => {
  const key = (id: unknown) => ({ key: id as string });
  const answer = (...errors: unknown[]) =>
    refusal(() =>
      requireAll(
        errors.map((_, i) => key(i + 1)),
        errors.map((reason) => (reason ? { status: 'rejected', reason } : { status: 'fulfilled', value: 1 })),
      ),
    );
  const invalid = (target: string, message = `${target} is wrong.`) => validationFailed([{ target, message }]);

  it('is no refusal when every row is right', () => {
    expect(() => requireAll([key(1)], [{ status: 'fulfilled', value: 1 }])).not.toThrow();
  });

  it('has every error with its row and field, and the first three different messages', () => {
    const refused = answer(
      invalid('name'),
      undefined,
      invalid('kind'),
      invalid('name'),
      new ApiError('InvalidBody', 'x'),
      invalid('note'),
      invalid('count'),
    );
    expect(refused).toMatchObject({ code: 'ValidationFailed', status: 400, target: '1/name', message: 'name is wrong. kind is wrong. x' });
    expect(refused.details.map(({ target }) => target)).toEqual(['1/name', '3/kind', '4/name', '5', '6/note', '7/count']);
  });

  it('has the code and the messages of the worst error', () => {
    const conflict = new ApiError('Conflict', 'It exists.', { target: 'name' });
    expect(answer(invalid('name'), notFound('Pump'), conflict)).toMatchObject({
      code: 'Conflict',
      message: 'It exists.',
      target: '3/name',
    });
    expect(answer(conflict, new ApiError('TestFailed', 'It differs.'), new ApiError('TestFailed', 'It is not equal.'))).toMatchObject({
      code: 'TestFailed',
      message: 'It differs. It is not equal.',
      target: '2',
    });
    expect(answer(new ApiError('Forbidden', 'No.'), notFound('Pump'))).toMatchObject({ code: 'NotFound', target: '2' });
    expect(answer(invalid('name'), new ApiError('Forbidden', 'No.'))).toMatchObject({ code: 'Forbidden', target: '2' });
  });

  it('is the first error of the server only where the caller made none', () => {
    const [broken, failed] = [new ApiError('InternalError', 'Something went wrong.'), new Error('The statement failed.')];
    expect(answer(broken, invalid('name')).details).toHaveLength(1);
    expect(answer(broken, failed)).toBe(broken);
    expect(() => answer(failed, broken)).toThrow(failed);
  });
});
