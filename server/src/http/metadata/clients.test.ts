/** Third-party OData clients over real HTTP: two build queries, one is generated from the model. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EdmV4, OData } from '@odata/client';
import { FetchClient } from '@odata2ts/http-client-fetch';
import odataQuery, { type QueryOptions } from 'odata-query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample } from '../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

const require = createRequire(import.meta.url);
let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let root: string;
let authorization: string;
let workUnitId: number;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant("O'Neil & Sons");
  const other = await world.tenant('Another');
  for (const tenantId of [home.tenantId, home.tenantId, other.tenantId])
    await world.call(holder('all'), 'PUT', '/v1/locations', { name: `Hall ${tenantId.slice(-4)}`, tenantId });
  workUnitId = Number((await insertSample(world, requireResource('workUnits'), home))['workUnitId']);
  ({ root, authorization } = await world.connect(holder([home.tenantId])));
});
afterAll(() => world.close());

describe('@odata/client', () => {
  const client = () => OData.New4({ serviceEndpoint: `${root}/`, commonHeaders: { authorization }, processCsrfToken: false });

  it('creates, reads, filters, expands, counts, changes and deletes', async () => {
    const locations = client().getEntitySet<{ locationId: string; name: string; tenantId: string; tenant?: { name: string } }>('locations');
    const created = await locations.create({ name: 'Yard', tenantId: home.tenantId });
    expect(created).toMatchObject({ name: 'Yard', tenantId: home.tenantId });
    const filter = locations.newFilter().property('name').eq('Yard');
    const queried = await locations.query(locations.newOptions().filter(filter).expand('tenant').select('name').top(5));
    expect(queried).toMatchObject([{ name: 'Yard', tenant: { name: "O'Neil & Sons" } }]);
    expect(await locations.count()).toBe(3);
    const key = EdmV4.Guid.from(created.locationId);
    await locations.update(key, { name: 'Renamed' });
    expect(await locations.retrieve(key)).toMatchObject({ name: 'Renamed' });
    await locations.delete(key);
    expect(await locations.count()).toBe(2);
  });
});

describe('odata-query', () => {
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${root}/${path}`, { headers: { authorization } });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.json();
  };
  const build = odataQuery as unknown as (options: Partial<QueryOptions<Record<string, unknown>>>) => string;

  it.each<[string, Partial<QueryOptions<Record<string, unknown>>>, unknown]>([
    [
      'equality and order',
      { filter: { tenant: { name: "O'Neil & Sons" } }, orderBy: 'name desc', top: 1 },
      [{ tenantId: expect.any(String) }],
    ],
    ['in', { filter: { name: { in: ['Nowhere', 'Yard'] } } }, []],
    [
      'and, or, not',
      { filter: { and: [{ name: { startswith: 'Hall' } }, { or: [{ name: 'x' }, { not: { name: 'y' } }] }] }, top: 1 },
      [{}],
    ],
    [
      'functions',
      { filter: { 'tolower(name)': { contains: 'hall' } }, select: ['name'], top: 1 },
      [{ name: expect.stringContaining('Hall') }],
    ],
    ['guids', { filter: { tenantId: { type: 'guid', value: '00000000-0000-0000-0000-000000000000' } } }, []],
    ['null', { filter: { name: null } }, []],
    ['expansion', { expand: { tenant: { select: ['name'] } }, top: 1 }, [{ tenant: { name: "O'Neil & Sons" } }]],
    [
      'grouping',
      { transform: [{ groupBy: { properties: ['tenantId'], transform: [{ aggregate: { $count: { as: 'n' } } as never }] } }] },
      [{ n: 2 }],
    ],
  ])('builds %s', async (_, options, value) => {
    expect(await get(`locations${build(options)}`)).toMatchObject({ value });
  });

  it('builds lambdas, counts, keys and searches', async () => {
    expect(
      await get(`workUnits${build({ filter: { notes: { any: { detail: { contains: 'nobody wrote this' } } } }, count: true })}`),
    ).toMatchObject({
      '@odata.count': 0,
    });
    expect(await get(`locations${build({ count: { name: { startswith: 'Hall' } } as never })}`)).toBe(2);
    expect(await get(`workUnits${build({ key: workUnitId, expand: ['tenant'] })}`)).toMatchObject({ workUnitId });
    expect(await get(`workUnits${build({ key: { workUnitId } as never, select: ['title'] })}`)).toMatchObject({
      title: expect.any(String),
    });
    expect(await get(`locations${build({ search: 'Hall' })}`)).toMatchObject({ value: [{}, {}] });
  });
});

interface Rows {
  data: { '@odata.count'?: number; value: Record<string, unknown>[] };
}
type Builder = Record<'select' | 'filter' | 'expand' | 'orderBy' | 'top', (...of: unknown[]) => Builder> & { count: () => Builder };
type Field = Record<'eq' | 'startsWith', (value: unknown) => unknown> & Record<'asc' | 'desc', () => unknown>;
interface EntitySet {
  query(build?: (builder: Builder, q: Record<string, Field>) => unknown): Promise<Rows>;
  create(row: object): Promise<{ status: number; data: Record<string, unknown> }>;
  GetWorkUnitHistoryRecords(parameters: object): Promise<Rows>;
}
interface Entity {
  query(build?: (builder: Builder) => unknown): Promise<{ data: Record<string, unknown> }>;
  patch(row: object): Promise<{ status: number }>;
  delete(): Promise<{ status: number }>;
  tenant?(): Entity;
  notes?(): Entity;
}
type Service = Record<'locations' | 'workUnits', { (): EntitySet; (id: unknown): Entity }>;

describe('a client that odata2ts generates', () => {
  const project = join(import.meta.dirname, '../../../..');
  const folder = join(project, 'test-results', `odata-client-${process.pid}`);
  let service: Service;

  beforeAll(async () => {
    await mkdir(folder, { recursive: true });
    const { text } = await world.call(holder([]), 'GET', '/v1/$metadata');
    await writeFile(join(folder, 'metadata.xml'), text);
    // The generator needs the compiler of TypeScript 5, a dependency of one of its libraries.
    const hook =
      'import{registerHooks}from"node:module";registerHooks({resolve:(s,c,n)=>n(s==="typescript"?"@ts-morph/common/dist/typescript.js":s,c)})';
    const generator = join(dirname(require.resolve('@odata2ts/odata2ts/package.json')), 'lib/run-cli.js');
    const options = ['-s', join(folder, 'metadata.xml'), '-o', folder, '-m', 'service', '-e', 'ts', '-n', 'CloudFit'];
    await promisify(execFile)(process.execPath, ['--import', `data:text/javascript,${hook}`, generator, ...options], { cwd: project });
    const created = (await import(/* @vite-ignore */ join(folder, 'CloudFitService.ts'))) as {
      CloudFitService: new (client: FetchClient, path: string) => Service;
    };
    service = new created.CloudFitService(new FetchClient({ headers: { authorization } }), root);
  }, 180_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads, selects, filters, expands, orders and counts', async () => {
    const { data } = await service
      .locations()
      .query((builder, q) =>
        builder
          .select('name', 'tenantId')
          .expand('tenant')
          .filter(q['name']?.startsWith('Hall'))
          .orderBy(q['name']?.desc())
          .count()
          .top(10),
      );
    expect(data['@odata.count']).toBe(2);
    expect(data.value).toMatchObject([
      { tenantId: home.tenantId, tenant: { name: "O'Neil & Sons" } },
      { tenantId: home.tenantId, tenant: { name: "O'Neil & Sons" } },
    ]);
  });

  it('creates, reads by key, changes and deletes', async () => {
    const created = await service.locations().create({ name: 'Generated', tenantId: home.tenantId });
    expect([created.status, created.data['name']]).toEqual([201, 'Generated']);
    const row = service.locations(created.data['locationId']);
    expect((await row.query()).data).toMatchObject({ name: 'Generated' });
    expect((await row.patch({ name: 'Changed' })).status).toBeLessThan(300);
    expect((await row.query((builder) => builder.select('name'))).data).toMatchObject({ name: 'Changed' });
    expect((await row.delete()).status).toBe(204);
    await expect(row.query()).rejects.toThrow('not found');
  });

  it('follows relations', async () => {
    const unit = service.workUnits(workUnitId);
    expect((await unit.tenant?.().query())?.data).toMatchObject({ name: "O'Neil & Sons" });
    expect(Array.isArray((await unit.notes?.().query())?.data['value'])).toBe(true);
  });

  it('calls a bound function with a number as its key', async () => {
    expect((await service.workUnits(workUnitId).query()).data).toMatchObject({ workUnitId });
    const { data } = await service.workUnits().GetWorkUnitHistoryRecords({ workUnitId });
    expect(data.value.length).toBeGreaterThan(0);
    expect(Object.keys(data.value[0] ?? {})).toContain('detail');
  });
});
