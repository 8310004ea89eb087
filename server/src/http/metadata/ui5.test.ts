/** UI5's OData V4 model with its default `$batch` against the real server over HTTP; its sources run in a window of jsdom. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample } from '../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

type Row = Record<string, unknown>;

/** The part of UI5 that these tests use; UI5's own types are a separate package. */
interface Context {
  getObject(): Row;
  created(): Promise<void> | undefined;
  delete(group?: string): Promise<void>;
  requestProperty(name: string): Promise<unknown>;
  setProperty(name: string, value: unknown): Promise<void>;
}
interface ListBinding {
  requestContexts(start?: number, length?: number): Promise<Context[]>;
  create(row: Row): Context;
  getCount(): number | undefined;
  getHeaderContext(): { requestProperty(name: string): Promise<number> };
}
interface ContextBinding {
  requestObject(): Promise<Row>;
  setParameter(name: string, value: unknown): ContextBinding;
  invoke(): Promise<void>;
  getBoundContext(): { getObject(): { value: Row[] } };
}
interface Model {
  bindList(path: string, context?: unknown, sorters?: unknown, filters?: unknown, parameters?: object): ListBinding;
  bindContext(path: string, context?: unknown, parameters?: object): ContextBinding;
  submitBatch(group: string): Promise<void>;
  resetChanges(group: string): void;
  getMessages(context: unknown): unknown[];
}
interface Ui5 {
  ODataModel: new (settings: object) => Model;
  Filter: new (...of: unknown[]) => unknown;
  Sorter: new (path: string, descending?: boolean) => unknown;
}
interface OpenedWindow {
  matchMedia: unknown;
  XMLHttpRequest: { prototype: { open: (this: unknown, ...of: unknown[]) => void } };
}
interface Jsdom {
  VirtualConsole: new () => object;
  JSDOM: new (
    html: string,
    options: object,
  ) => {
    window: EventTarget & {
      close(): void;
      sap: {
        ui: {
          require: {
            (names: readonly string[], done: (...parts: never[]) => void, failed: (error: Error) => void): void;
            preload(texts: Readonly<Record<string, string>>, group: string, url: string): void;
          };
        };
      };
    };
  };
  requestInterceptor(answer: (request: Request) => Promise<Response | undefined>): unknown;
}

const require = createRequire(import.meta.url);
const sources = join(dirname(require.resolve('@openui5/sap.ui.core/package.json')), 'src');
const folder = '/resources/';

/**
 * Opens a window at this address and loads UI5 in it. All other requests of the window go to the server and are passed to
 * `onRequest`.
 */
async function loadUi5(url: string, onRequest: (request: string) => void): Promise<Ui5 & { close: () => void }> {
  const { JSDOM, requestInterceptor, VirtualConsole } = require('jsdom') as Jsdom;
  const answer = async (request: Request): Promise<Response | undefined> => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(folder))
      return new Response(await readFile(join(sources, pathname.slice(folder.length))), { headers: { 'content-type': 'text/javascript' } });
    const calls = (await request.clone().text()).match(/^[A-Z]+(?= \S+ HTTP\/1\.1\r?$)/gm) ?? [];
    onRequest([request.method, pathname, ...calls].join(' '));
    return undefined;
  };
  const settings = 'id="sap-ui-bootstrap" data-sap-ui-async="true" data-sap-ui-language="en"';
  const { window } = new JSDOM(
    `<script src="${folder}ui5loader.js"></script><script src="${folder}ui5loader-autoconfig.js" ${settings}></script>`,
    {
      url,
      runScripts: 'dangerously',
      // Silences UI5, which logs each refusal.
      virtualConsole: new VirtualConsole(),
      beforeParse: (opened: OpenedWindow) => {
        // jsdom has no media queries, by which UI5 gets the size of the window.
        opened.matchMedia = () => ({ matches: false, addListener: () => undefined, addEventListener: () => undefined });
        // Refuses synchronous requests: a synchronous request of jsdom would block this process, in which the server runs.
        const { open } = opened.XMLHttpRequest.prototype;
        opened.XMLHttpRequest.prototype.open = function (this: unknown, ...of: unknown[]) {
          if (of[2] === false) throw new Error(`A request that blocks: ${String(of[1])}`);
          open.apply(this, of);
        };
      },
      resources: { interceptors: [requestInterceptor(answer)] },
    },
  );
  await new Promise((resolve) => window.addEventListener('load', resolve));
  // Preloads a file that UI5 would otherwise read by a blocking request.
  const language = 'sap/ui/core/cldr/en.json';
  window.sap.ui.require.preload({ [language]: await readFile(join(sources, language), 'utf8') }, 'language', folder);
  const names = ['sap/ui/model/odata/v4/ODataModel', 'sap/ui/model/Filter', 'sap/ui/model/Sorter'];
  const parts = await new Promise<never[]>((resolve, reject) => window.sap.ui.require(names, (...loaded) => resolve(loaded), reject));
  const [ODataModel, Filter, Sorter] = parts as unknown as [Ui5['ODataModel'], Ui5['Filter'], Ui5['Sorter']];
  return { ODataModel, Filter, Sorter, close: () => window.close() };
}

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let ui5: Awaited<ReturnType<typeof loadUi5>>;
let model: Model;
let modelSettings: object;
/** What UI5 requested in its jsdom window: method, path, and the methods of the calls of a batch. */
const requested: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant("O'Neil & Sons");
  const { root, authorization } = await world.connect(holder([home.tenantId]));
  ui5 = await loadUi5(new URL('/', root).href, (request) => requested.push(request));
  modelSettings = { serviceUrl: '/v1/', httpHeaders: { Authorization: authorization }, operationMode: 'Server' };
  model = new ui5.ODataModel(modelSettings);
});
afterAll(async () => {
  ui5?.close();
  await world.close();
});

const addLocations = async (...names: string[]): Promise<void> => {
  for (const name of names) await world.call(holder('all'), 'PUT', '/v1/locations', { name, tenantId: home.tenantId });
};
const named = async (start: string): Promise<unknown[]> => {
  const { body } = await world.call(holder('all'), 'GET', `/v1/locations?$filter=startswith(name,'${start}')&$orderby=name`);
  return (body.value ?? []).map(({ name, city }) => [name, city]);
};
const startsWith = (start: string) => new ui5.Filter('name', 'StartsWith', start);
const rowsOf = (contexts: readonly Context[]): Row[] => contexts.map((context) => context.getObject());

describe("UI5's OData V4 model", () => {
  it('reads a list in pages, sorted, filtered, counted and expanded', async () => {
    await addLocations('Hall 1', 'Hall 2', 'Hall 3', 'Yard');
    const parameters = { $count: true, $select: 'name,city', $expand: { tenant: { $select: 'name' } } };
    const list = model.bindList('/locations', undefined, [new ui5.Sorter('name', true)], [startsWith('Hall')], parameters);
    expect(rowsOf(await list.requestContexts(0, 2))).toMatchObject([
      { name: 'Hall 3', tenant: { name: "O'Neil & Sons" } },
      { name: 'Hall 2', tenant: { name: "O'Neil & Sons" } },
    ]);
    expect(list.getCount()).toBe(3);
    expect(rowsOf(await list.requestContexts(2, 2))).toMatchObject([{ name: 'Hall 1' }]);
    expect(new Set(requested)).toEqual(new Set(['GET /v1/$metadata', 'POST /v1/$batch GET']));
  });

  it('filters by a related row and by related rows, and puts conditions together', async () => {
    await insertSample(world, requireResource('workUnits'), home);
    const filter = new ui5.Filter({
      filters: [
        new ui5.Filter('tenant/name', 'EQ', "O'Neil & Sons"),
        new ui5.Filter({ filters: [new ui5.Filter('severityId', 'EQ', 'Sev9'), new ui5.Filter('title', 'NE', null)], and: false }),
        new ui5.Filter({
          path: 'notes',
          operator: 'Any',
          variable: 'note',
          condition: new ui5.Filter('note/detail', 'Contains', 'created'),
        }),
      ],
      and: true,
    });
    expect(await model.bindList('/workUnits', undefined, undefined, [filter]).requestContexts()).toHaveLength(1);
  });

  it('reads one row and the rows that are related to it', async () => {
    const { workUnitId, title } = await insertSample(world, requireResource('workUnits'), home);
    const row = model.bindContext(`/workUnits(${String(workUnitId)})`, undefined, { $expand: 'tenant' });
    expect(await row.requestObject()).toMatchObject({ workUnitId: String(workUnitId), title, tenant: { name: "O'Neil & Sons" } });
    const notes = model.bindList(`/workUnits(${String(workUnitId)})/notes`, undefined, new ui5.Sorter('created'), undefined, {
      $count: true,
    });
    expect(rowsOf(await notes.requestContexts())).toMatchObject([{ workUnitId: String(workUnitId), detail: 'Work unit created.' }]);
    expect(await notes.getHeaderContext().requestProperty('$count')).toBe(1);
  });

  it('reads properties that are wanted later, of the row and of a related one, before and after a change', async () => {
    await insertSample(world, requireResource('workUnits'), home);
    const { body } = await world.call(holder('all'), 'PUT', '/v1/workUnits', {
      title: 'Late',
      description: 'Wanted later.',
      workUnitTypeId: 1,
      tenantId: home.tenantId,
    });
    const late = new ui5.ODataModel({ ...modelSettings, autoExpandSelect: true });
    const list = late.bindList('/workUnits', undefined, undefined, new ui5.Filter('title', 'EQ', 'Late'), {
      $select: 'workUnitId,title',
    });
    const [row] = await list.requestContexts();
    expect(row?.getObject()).toMatchObject({ title: 'Late' });
    expect(await row?.requestProperty('description')).toBe('Wanted later.');
    expect(await row?.requestProperty('tenant/name')).toBe("O'Neil & Sons");
    await row?.setProperty('title', 'Later');
    expect(await row?.requestProperty('severityId')).toBe(body['severityId']);
    await row?.setProperty('title', 'Latest');
    expect(row?.getObject()).toMatchObject({ title: 'Latest', description: 'Wanted later.' });
  });

  it('creates a row in a related list', async () => {
    const { workUnitId } = await insertSample(world, requireResource('workUnits'), home);
    const list = model.bindList(`/workUnits(${String(workUnitId)})/notes`);
    await list.requestContexts();
    const note = list.create({ detail: 'From a table.' });
    await note.created();
    expect(note.getObject()).toMatchObject({ detail: 'From a table.', workUnitId: String(workUnitId) });
  });

  it('calls a bound function', async () => {
    const { workUnitId } = await insertSample(world, requireResource('workUnits'), home);
    const call = model.bindContext('/workUnits/CloudFit.GetWorkUnitHistoryRecords(...)').setParameter('workUnitId', workUnitId);
    await call.invoke();
    expect(call.getBoundContext().getObject().value).toMatchObject([{ detail: 'Work unit created.' }]);
  });

  it('creates, changes and deletes a row', async () => {
    const list = model.bindList('/locations', undefined, undefined, [startsWith('Pier')]);
    await list.requestContexts();
    const created = list.create({ name: 'Pier', tenantId: home.tenantId });
    await created.created();
    expect(created.getObject()).toMatchObject({ name: 'Pier', locationId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    await created.setProperty('city', 'Chur');
    expect(await named('Pier')).toEqual([['Pier', 'Chur']]);
    await created.delete();
    expect(await named('Pier')).toEqual([]);
  });

  it('puts the changes of a group into one batch that takes effect as a whole', async () => {
    await addLocations('Dock 1', 'Dock 2');
    const list = model.bindList('/locations', undefined, new ui5.Sorter('name'), startsWith('Dock'), { $$updateGroupId: 'changes' });
    const [first, second] = await list.requestContexts();
    const added = list.create({ name: 'Dock 3', tenantId: home.tenantId });
    const changed = first?.setProperty('city', 'Basel');
    const removed = second?.delete();
    requested.length = 0;
    await model.submitBatch('changes');
    await Promise.all([added.created(), changed, removed]);
    expect(requested.filter((request) => !request.endsWith('$batch GET'))).toEqual(['POST /v1/$batch POST PATCH DELETE']);
    expect(await named('Dock')).toEqual([
      ['Dock 1', 'Basel'],
      ['Dock 3', null],
    ]);
  });

  it('keeps all changes of a group back when one is refused', async () => {
    await addLocations('Gate 1');
    const list = model.bindList('/locations', undefined, undefined, startsWith('Gate'), { $$updateGroupId: 'refused' });
    const [first] = await list.requestContexts();
    const changed = first?.setProperty('city', 'Bern').catch((error: Error) => error.message);
    const refused = list
      .create({ name: 'Gate 2', tenantId: home.tenantId, city: 7 })
      .created()
      ?.catch((error: Error) => error.message);
    await model.submitBatch('refused');
    expect(await named('Gate')).toEqual([['Gate 1', null]]);
    model.resetChanges('refused');
    expect([await changed, await refused]).toEqual(['City must be text.', expect.stringContaining('canceled')]);
  });

  it('is told that another changed the row meanwhile', async () => {
    await addLocations('Ramp');
    const [row] = await model.bindList('/locations', undefined, undefined, startsWith('Ramp')).requestContexts();
    const { locationId } = row?.getObject() ?? {};
    await world.call(holder('all'), 'POST', `/v1/locations/${String(locationId)}`, { city: 'Zug' });
    await expect(row?.setProperty('city', 'Uri')).rejects.toMatchObject({ status: 412 });
    expect(await named('Ramp')).toEqual([['Ramp', 'Zug']]);
  });

  it('groups rows with subtotals and a grand total', async () => {
    for (const [severityId, effort] of [
      ['Sev1', 1],
      ['Sev1', 2],
      ['Sev2', 3],
    ])
      await world.call(holder('all'), 'PUT', '/v1/workUnits', {
        title: 'Grouped',
        workUnitTypeId: 1,
        severityId,
        effort,
        tenantId: home.tenantId,
      });
    const $$aggregation = {
      aggregate: { effort: { with: 'sum', subtotals: true, grandTotal: true } },
      group: { severityId: {} },
      groupLevels: ['severityId'],
    };
    const sorter = new ui5.Sorter('severityId', true);
    const filter = new ui5.Filter('title', 'EQ', 'Grouped');
    const groups = model.bindList('/workUnits', undefined, sorter, filter, { $$aggregation, $count: true });
    expect(rowsOf(await groups.requestContexts()).map(({ severityId, effort }) => [severityId ?? null, Number(effort)])).toEqual([
      [null, 6],
      ['Sev2', 3],
      ['Sev1', 3],
    ]);
  });
});
