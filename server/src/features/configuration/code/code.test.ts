/** The configuration as files: names in place of ids, and the same files from every installation that has it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigurationDocument } from '@cloudfit/contract/configuration.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample, personIn } from '../../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';
import { isExported, portableResources } from '../portable.ts';
import { codeOf, documentOf, thingsIn, type CodeFile } from './code.ts';
import { pathOfNames, namesOfPath, withIds, withReferences } from './paths.ts';
import { codeSchemas } from './schemas.ts';

let from: TestWorld;
let to: TestWorld;
let document: ConfigurationDocument;
let tenantId: string;

const all = holder('all');
const read = async (world: TestWorld, id: string): Promise<ConfigurationDocument> =>
  (await world.call(all, 'GET', `/v1/configuration?tenantId=${id}`)).body as unknown as ConfigurationDocument;

beforeAll(async () => {
  [from, to] = [await createWorld(), await createWorld()];
  const home = await from.tenant('Northwind / "North" (west)');
  ({ tenantId } = home);
  for (const r of portableResources()) if (r.name !== 'tenants') await insertSample(from, r, home);
  const people = [await personIn(from, tenantId, 'Mara Lind')];
  const layers = [{ name: 'Nights', people, start: '2026-05-04T09:00', unit: 'Weeks', every: 1, restrictions: [], holidays: 'Same' }];
  await from.call(all, 'PUT', '/v1/onCallSchedules', { name: 'Nights', tenantId, timeZone: 'Europe/Berlin', layers });
  document = await read(from, tenantId);
});
afterAll(() => Promise.all([from.close(), to.close()]));

it('has no id of the installation, and becomes the same files again in another one', async () => {
  const files = codeOf(document, []);
  const text = JSON.stringify(files);
  const ids = Object.values(document.rows).flatMap((rows) => rows.map((row) => String(Object.values(row)[0])));
  for (const id of ids.filter((item) => /^[0-9a-f-]{36}$/.test(item))) expect([id, text.includes(id)]).toEqual([id, false]);
  expect(text).toMatch(/\$\(people: mara\.lind\.[0-9a-f]+@example\.com\)/);
  // Checks need their devices there.
  const others = files.filter(({ content }) => content['kind'] !== 'deviceOperations');
  const answer = await to.call(all, 'POST', '/v1/configuration', {
    ...documentOf(others, []),
    mapping: { people: { [userName(files)]: null } },
  });
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  const [tenant] = await to.system.db.query<{ tenant_id: string }>({ text: "select tenant_id from tenant where name like 'Northwind%'" });
  const there = codeOf(await read(to, tenant?.tenant_id ?? ''), []);
  // The person was left out of the schedule there.
  const plain = (some: readonly CodeFile[]) =>
    some.map(({ path, content }) => [path, JSON.stringify(content).replaceAll(/"\$\(people: [^)]+\)"/g, '')]);
  expect(plain(there)).toEqual(plain(others));
  const again = await to.call(all, 'POST', '/v1/configuration', documentOf(there, []));
  expect(again.body).toMatchObject({ added: 0, changed: 0, changes: [] });
});

function userName(files: readonly CodeFile[]): string {
  return /\$\(people: ([^)]+)\)/.exec(JSON.stringify(files))?.[1] ?? '';
}

describe('a folder', () => {
  it('is refused when a file names what no file has, or two are about the same thing', () => {
    const file = (path: string, content: object): CodeFile => ({ path, content: { kind: 'locations', ...content } });
    expect(() => documentOf([file('a.yaml', { name: 'Mill', tenantId: 'Nobody' })], [])).toThrow(
      'a.yaml: names the tenants Nobody, which is neither in these files nor here.',
    );
    expect(() => documentOf([file('a.yaml', { name: 'Mill' }), file('b.yaml', { name: 'Mill' })], [])).toThrow(
      'b.yaml: a.yaml has * / Mill, too. Remove one, or rename it.',
    );
    expect(thingsIn([file('x.yaml', { name: 'Mill' })])).toEqual([{ kind: 'locations', path: '* / Mill' }]);
    // What is not in a file is cleared.
    expect(documentOf([file('a.yaml', { name: 'Mill' })], []).rows['locations']).toMatchObject([
      { name: 'Mill', city: null, tenantId: null },
    ]);
  });

  it('refuses to write two things with the same names', () => {
    const rows = {
      locations: [
        { locationId: crypto.randomUUID(), name: 'Mill' },
        { locationId: crypto.randomUUID(), name: 'Mill' },
      ],
    };
    expect(() => codeOf({ cloudfit: 'configuration', version: 1, rows }, [])).toThrow(
      'Two Locations are named * / Mill. Rename one of each first.',
    );
  });
});

it('keeps names with slashes and brackets, and texts that look like references', () => {
  for (const names of [
    ['a', 'b'],
    ['a/b', 'c / d'],
    ['/', '//'],
  ])
    expect(namesOfPath(pathOfNames(names))).toEqual(names);
  const id = '0197f000-0000-7000-8000-00000000000a';
  const path = 'North / Mill (old)';
  const text = `echo $(date: now) ${id} $$(x`;
  const written = withReferences(text, (key) => (key === id ? { resource: 'devices', path } : undefined));
  expect(written).toBe('echo $$(date: now) $(devices: North / Mill (old))) $$$(x');
  expect(withIds(written, (resource, target) => (resource === 'devices' && target === path ? id : '?'))).toBe(text);
});

it('has a schema of each kind with its required fields', () => {
  const schemas = codeSchemas();
  expect(Object.keys(schemas).toSorted()).toEqual(
    portableResources()
      .filter(isExported)
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(schemas['rules']).toMatchObject({
    title: requireResource('rules').label,
    required: expect.arrayContaining(['kind', 'name']),
    additionalProperties: false,
  });
});
