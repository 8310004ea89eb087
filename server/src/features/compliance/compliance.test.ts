/** Control sets and their statuses per tenant and week; import, export and the file of a week. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { controlStatusValues } from '@cloudfit/contract/enums.ts';
import { starterControlSet } from '@cloudfit/contract/compliance/starter.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';
import { exportControlSets, importControlSet } from './import.ts';
import { ensureStarterControlSet } from './starter.ts';

let world: TestWorld;
let home: { tenantId: string };
let other: { tenantId: string };
let me: TestCaller;
let setId: string;
let controlIds: string[];

const setName = 'Office checks';
const document = {
  name: setName,
  description: 'Of the office',
  controls: [
    { name: 'C-10', title: 'Doors', description: 'They close.' },
    { name: 'C-2', title: 'Windows', description: null },
    { name: 'C-3', title: '=Lights', description: null },
  ],
};

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
  await importControlSet(world.system, document);
  const [set] = (await world.call(me, 'GET', `/v1/controlsets?$filter=name eq '${setName}'&$expand=controls`)).body.value ?? [];
  setId = String(set?.['id']);
  controlIds = ((set?.['controls'] ?? []) as { id: string }[]).map((control) => control.id);
});
afterAll(() => world.close());

const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
const week = '2026-11-16T00:00:00.000Z';
const say = (body: Record<string, unknown> = {}, caller = me) =>
  world.call(caller, 'POST', '/v1/controlstatuses', {
    checkDate: week,
    status: 'Compliant',
    tenantId: home.tenantId,
    controlId: controlIds[0],
    ...body,
  });

it.each([
  ['2026-11-16T00:00:00Z', '2026-11-16'],
  ['2026-11-22T23:59:59.999Z', '2026-11-16'],
  ['2026-11-15T23:59:59Z', '2026-11-09'],
  ['2026-11-23T00:30:00+01:00', '2026-11-16'],
  ['1969-12-31T12:00:00Z', '1969-12-29'],
])('the week of %s begins on %s', (instant, monday) => {
  expect(mondayOf(instant)).toBe(`${monday}T00:00:00.000Z`);
});

describe('control statuses', () => {
  it('are created for the week that holds their date, one for control, tenant and week', async () => {
    for (const [n, status] of controlStatusValues.entries()) {
      const created = await say({
        status,
        checkDate: new Date(Date.parse('2026-01-07T10:00:00Z') + n * 7 * 86_400_000).toISOString(),
        notes: 'Looked at',
      });
      await proves('[API-088] is created', () => expect(created.status).toBe(201));
      await proves('[COMP-011] with any status', () => expect(created.body['status']).toBe(status));
      await proves('[COMP-010] has these fields', () =>
        expect(created.body).toMatchObject({
          id: expect.any(String) as string,
          notes: 'Looked at',
          controlId: controlIds[0],
          tenantId: home.tenantId,
        }),
      );
      expect(new Date(String(created.body['checkDate'])).getUTCDay()).toBe(1);
    }
    expect((await say({ checkDate: '2026-04-15' })).body['checkDate']).toBe('2026-04-13T00:00:00.000Z');
    expect((await say({ checkDate: '15 April' })).body['error']).toMatchObject({ details: [{ message: 'Please enter a valid date' }] });
    const twice = await Promise.all(['2026-03-16', '2026-03-18', '2026-03-22'].map((day) => say({ checkDate: `${day}T12:00:00Z` })));
    await proves('[COMP-012] one for each week', () => expect(twice.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409]));
    expect((await say({ checkDate: '2026-03-16T00:00:00Z', tenantId: other.tenantId }, holder('all'))).status).toBe(201);
    expect((await say({ checkDate: '2026-03-16T00:00:00Z' })).body['error']).toMatchObject({
      message: 'This control has a status for this week already.',
    });
  });

  it('are changed by a JSON patch and deleted; Notset when none is named', async () => {
    const created = await say({ status: undefined, notes: 'To do', controlId: controlIds[1] });
    await proves('[COMP-017] notes alone', () => expect(created.body).toMatchObject({ status: 'Notset', notes: 'To do' }));
    const url = `/v1/controlstatuses/${String(created.body['id'])}`;
    const patch = [
      { op: 'test', path: '/status', value: 'Notset' },
      { op: 'replace', path: '/status', value: 'Poam' },
    ];
    const type = { 'content-type': 'application/json-patch+json' };
    await proves('[API-089][COMP-013] another status', async () =>
      expect((await world.call(me, 'PATCH', url, patch, type)).body).toMatchObject({ status: 'Poam', notes: 'To do' }),
    );
    expect((await world.call(me, 'PATCH', url, patch, type)).status).toBe(409);
    expect(details(await world.call(me, 'PATCH', url, [{ op: 'replace', path: '/status', value: 'Fine' }], type))).toMatchObject([
      { target: 'status' },
    ]);
    await proves('[API-090][COMP-015] none any more', async () => expect((await world.call(me, 'DELETE', url)).status).toBe(204));
    expect((await world.call(me, 'DELETE', url)).status).toBe(404);
  });

  it('are said for one’s own tenant about controls that exist', async () => {
    expect(details(await say({ tenantId: other.tenantId }))).toMatchObject([{ target: 'tenantId' }]);
    expect(details(await say({ controlId: crypto.randomUUID() }))).toMatchObject([{ target: 'controlId' }]);
    expect(details(await say({ checkDate: 'today' }))).toMatchObject([{ target: 'checkDate' }]);
    expect((await say({}, holder([home.tenantId], ['CloudFit.CFS.Compliance:view']))).status).toBe(403);
    const theirs = await say({ tenantId: other.tenantId, checkDate: '2026-05-04T00:00:00Z' }, holder('all'));
    const url = `/v1/controlstatuses/${String(theirs.body['id'])}`;
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await world.call(me, method, url, method === 'PATCH' ? [] : undefined)).status).toBe(404);
  });
});

describe('control sets', () => {
  it('come with their controls, in order, and the statuses of a week and tenant', async () => {
    await say({ controlId: controlIds[2], status: 'Exempt' });
    await say({ controlId: controlIds[2], tenantId: other.tenantId }, holder('all'));
    await say({ controlId: controlIds[2], checkDate: '2026-11-09T00:00:00Z' });
    const statuses = `controlStatuses($filter=tenantId eq ${home.tenantId} and checkDate eq ${week})`;
    const query = `$filter=id eq ${setId}&$expand=${encodeURIComponent(`controls($expand=${statuses};$top=1000)`)}&$top=1000`;
    const { body } = await world.call(holder('all'), 'GET', `/v1/controlsets?${query}`);
    await proves('[COMP-008] a set has these fields', () =>
      expect(body.value).toMatchObject([{ name: setName, description: 'Of the office' }]),
    );
    const shown = (body.value?.[0]?.['controls'] ?? []) as Record<string, unknown>[];
    await proves('[API-086][COMP-021] its controls come with it', () =>
      expect(shown.map(({ name }) => name)).toEqual(['C-10', 'C-2', 'C-3']),
    );
    await proves('[COMP-009] a control has these fields', () =>
      expect(shown[0]).toMatchObject({ name: 'C-10', title: 'Doors', description: 'They close.' }),
    );
    await proves('[API-087] with the statuses of the week and tenant', () =>
      expect(shown.slice(1)).toMatchObject([{ controlStatuses: [] }, { controlStatuses: [{ status: 'Exempt', tenantId: home.tenantId }] }]),
    );
  });

  it('come as files: a repeat changes nothing, a dry run writes nothing, what has been judged stays', async () => {
    const file = { name: 'Import', controls: ['a', 'b', 'c'].map((name) => ({ name, title: `Title ${name}` })) };
    expect(await importControlSet(world.system, file, { dryRun: true })).toMatchObject({ isNew: true, created: ['a', 'b', 'c'] });
    expect(await importControlSet(world.system, file)).toMatchObject({ isNew: true, created: ['a', 'b', 'c'] });
    expect(await importControlSet(world.system, file)).toEqual({
      name: 'Import',
      isNew: false,
      described: false,
      created: [],
      updated: [],
      removed: [],
      kept: [],
      unchanged: 3,
    });
    const rows = await world.system.db.query<{ id: string }>({
      text: "select c.id from control c join control_set s on s.id = c.control_set_id where s.name = 'Import' order by position",
    });
    expect((await say({ controlId: rows[1]?.id })).status).toBe(201);
    const next = {
      name: 'import',
      description: 'New',
      controls: [
        { name: 'a', title: 'Changed' },
        { name: 'd', title: 'Title d' },
      ],
    };
    const outcome = { isNew: false, described: true, created: ['d'], updated: ['a'], removed: ['c'], kept: ['b'] };
    expect(await importControlSet(world.system, next, { dryRun: true })).toMatchObject(outcome);
    expect(await importControlSet(world.system, next)).toMatchObject(outcome);
    const exported = (await exportControlSets(world.system)).find((set) => set.name === 'Import');
    expect(exported).toMatchObject({ description: 'New' });
    expect(exported?.controls.map((control) => control.name).toSorted()).toEqual(['a', 'b', 'd']);
    const audits = await world.system.db.query<{ verb: string; n: number }>({
      text: "select verb, count(*)::int n from audit where entity = 'controls' and entity_id in (select entity_id from audit where coalesce(after, before)->>'name' in ('a', 'c', 'd')) group by 1 order by 1",
    });
    expect(audits).toEqual([
      { verb: 'create', n: 3 },
      { verb: 'delete', n: 1 },
      { verb: 'update', n: 1 },
    ]);
  });

  it('are read from NIST OSCAL catalogs', async () => {
    const catalog = { uuid: crypto.randomUUID(), metadata: { title: 'Tiny catalog' }, controls: [{ id: 'ac-1', title: 'Policy' }] };
    expect(await importControlSet(world.system, { catalog })).toMatchObject({ name: 'Tiny catalog', created: ['AC-1'] });
  });

  it('are refused with the places that are wrong, and to people of some tenants', async () => {
    for (const bad of [
      null,
      {},
      { name: 'x', controls: [] },
      { catalog: {} },
      {
        name: 'x',
        controls: [
          { name: 'a', title: 'a' },
          { name: 'a', title: 'b' },
        ],
      },
    ])
      await expect(importControlSet(world.system, bad)).rejects.toMatchObject({ code: 'ValidationFailed' });
    await expect(importControlSet(world.ctx(me), document)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('one comes with the product, once', async () => {
    await ensureStarterControlSet(world.system);
    await ensureStarterControlSet(world.system);
    const sets = (await exportControlSets(world.system)).filter((set) => set.name === starterControlSet.name);
    expect(sets).toEqual([starterControlSet]);
  });
});

describe('the file of a week', () => {
  const read = (body: unknown, caller = me, query = `?$filter=id eq ${setId}`) =>
    world.call(caller, 'POST', `/v1/controlsets/Export()${query}`, body);

  it('has every control of the chosen sets with what the tenant said', async () => {
    await say({ controlId: controlIds[0], checkDate: '2026-06-01T00:00:00Z', status: 'NonCompliant', notes: '=SUM(A1)' });
    const answer = await read({ startDate: '2026-06-03', tenantId: home.tenantId });
    await proves('[COMP-020] is named by its week', () =>
      expect(answer.headers['content-disposition']).toBe('attachment; filename="manualresults-wk-2026-06-01.csv"'),
    );
    await proves('[API-091] is a file of the week and tenant, narrowed by the query', async () => {
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/csv/);
      const lines = answer.text.trim().split('\r\n');
      expect(lines[0]).toBe('"Control Set","Control","Title","Status","Notes","Modified","Modified by"');
      expect(lines[1]).toContain(`"${setName}","C-10","Doors","NonCompliant","'=SUM(A1)"`);
      expect(lines[1]).toContain('person@example.com');
      expect(lines.slice(2)).toEqual([`"${setName}","C-2","Windows","Notset","","",""`, `"${setName}","C-3","'=Lights","Notset","","",""`]);
      expect(
        (await read({ startDate: '2026-06-03', tenantId: home.tenantId }, me, "?$filter=name eq 'none'")).text.trim().split('\r\n'),
      ).toHaveLength(1);
      expect((await read({ startDate: '2026-06-03', tenantId: home.tenantId }, me, '?$filter=nothing eq 1')).status).toBe(400);
    });
  });

  it('is for those who may view compliance of the tenant', async () => {
    expect((await read({ startDate: '2026-06-03', tenantId: other.tenantId })).status).toBe(404);
    expect(
      (await read({ startDate: '2026-06-03', tenantId: home.tenantId }, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status,
    ).toBe(403);
    expect(details(await read({})).map((d) => d.target)).toEqual(['startDate', 'tenantId']);
    expect(details(await read({ startDate: 'soon', tenantId: home.tenantId }))).toMatchObject([{ target: 'startDate' }]);
  });
});
