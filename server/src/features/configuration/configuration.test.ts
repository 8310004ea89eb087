/**
 * Export and import of the configuration: a repeated import changes nothing, a copy to another tenant gets new keys, an import
 * is atomic and limited by the caller's permissions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { insertSample } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { isExported, portableResources } from './portable.ts';

let world: TestWorld;
let tenantId: string;
let subscriptionId: string;
let actionId: string;
let admin: TestCaller;

type Row = Record<string, unknown>;
interface Document {
  cloudfit: string;
  version: number;
  rows: Record<string, Row[]>;
}

const put = async (name: string, body: object): Promise<Row> => {
  const created = await world.call(admin, 'PUT', `/v1/${name}`, body);
  expect([name, created.status, created.body['error']]).toEqual([name, 201, undefined]);
  return created.body;
};

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId, subscriptionId } = await world.tenant('Northwind'));
  admin = holder([tenantId]);
  const action = await put('actionDefinitions', {
    name: 'Page the desk',
    actionDefinitionTypeId: 4,
    tenantId,
    endpointUrl: 'https://example.com/',
    httpMethod: 'POST',
    headers: 'Authorization: {Secret:pager}',
  });
  actionId = String(action['actionDefinitionId']);
  await put('rules', {
    ...starterRule,
    name: 'Hot',
    tenantId,
    subscriptionId,
    matchActions: [{ ActionDefinitionId: actionId, Parameters: {} }],
  });
  await put('locations', { name: 'Hall 1', tenantId, city: 'Bergen' });
});
afterAll(() => world.close());

const read = async (query = `?tenantId=${tenantId}`, caller = admin): Promise<Document> =>
  (await world.call(caller, 'GET', `/v1/configuration${query}`)).body as unknown as Document;
const write = (document: unknown, query = '', caller = admin) => world.call(caller, 'POST', `/v1/configuration${query}`, document);
const outcome = async (...args: Parameters<typeof write>): Promise<ImportOutcome> => {
  const answer = await write(...args);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as ImportOutcome;
};
const copy = (document: Document): Document => structuredClone(document);

describe('the configuration', () => {
  it('comes out with everything that belongs together, and goes in again without a change', async () => {
    const document = await read();
    expect(document).toMatchObject({ cloudfit: 'configuration', version: 1 });
    expect(document.rows['rules']?.map((r) => r['name'])).toEqual(['Hot']);
    expect(document.rows['actionDefinitions']?.map((r) => r['name'])).toContain('Page the desk');
    expect(JSON.stringify(document)).not.toMatch(/tokenHash|envelope/);
    const audits = () => world.system.db.query({ text: "select count(*)::int as n from audit where entity <> 'configuration'" });
    const before = await audits();
    const again = await outcome(document);
    expect(again).toMatchObject({ dryRun: false, added: 0, changed: 0, changes: [] });
    expect(again.unchanged).toBeGreaterThan(3);
    expect(await audits()).toEqual(before);
  });

  it('says in a dry run what would be added and changed, and changes nothing', async () => {
    const document = copy(await read());
    const [place] = document.rows['locations'] ?? [];
    Object.assign(place ?? {}, { city: null, state: 'Vestland' });
    document.rows['locations']?.push({ name: 'Hall 2', tenantId });
    const tried = await outcome(document, '?dryRun=true');
    expect(tried).toMatchObject({ dryRun: true, added: 1, changed: 1 });
    expect(tried.changes).toMatchObject([
      {
        resource: 'locations',
        verb: 'change',
        name: 'Hall 1',
        fields: [
          { field: 'city', before: 'Bergen', after: null },
          { field: 'state', before: null, after: 'Vestland' },
        ],
      },
      { resource: 'locations', verb: 'add', name: 'Hall 2' },
    ]);
    expect((await read()).rows['locations']).toMatchObject([{ name: 'Hall 1', city: 'Bergen' }]);
    expect(await outcome(document)).toMatchObject({ dryRun: false, added: 1, changed: 1 });
    expect(await outcome(document)).toMatchObject({ added: 0, changed: 0 });
  });

  it('is copied into another tenant, with the references of the copy, and again without a change', async () => {
    const document = await read();
    const other = await world.tenant('Southwind');
    const target = holder([other.tenantId]);
    const query = `?tenantId=${other.tenantId}`;
    const copied = await outcome(document, query, target);
    expect(copied.changes.map((c) => c.resource)).toEqual(expect.arrayContaining(['actionDefinitions', 'rules', 'locations']));
    const there = await read(query, target);
    const rule = there.rows['rules']?.[0];
    const action = there.rows['actionDefinitions']?.find((r) => r['name'] === 'Page the desk');
    expect(action?.['actionDefinitionId']).not.toBe(actionId);
    expect(JSON.stringify(rule)).toContain(String(action?.['actionDefinitionId']));
    expect(JSON.stringify(there)).not.toContain(actionId);
    expect(rule).toMatchObject({ tenantId: other.tenantId, subscriptionId: other.subscriptionId });
    expect(await outcome(document, query, target)).toMatchObject({ added: 0, changed: 0 });
    expect((await read()).rows).toEqual(document.rows);
  });

  it('brings the runbook of a rule along', async () => {
    const from = await world.tenant('Runbooks');
    const into = await world.tenant('Others');
    const both = holder([from.tenantId, into.tenantId]);
    const create = async (name: string, body: object) => (await world.call(both, 'PUT', `/v1/${name}`, body)).body;
    const article = { title: 'Clear a disk', body: 'Delete the logs.', state: 'Published', audience: 'Internal', tenantId: from.tenantId };
    const { knowledgeArticleId } = await create('knowledgeArticles', article);
    await create('rules', { ...starterRule, name: 'Full', tenantId: from.tenantId, runbookId: knowledgeArticleId });
    const document = await read(`?tenantId=${from.tenantId}`, both);
    for (const added of [2, 0])
      expect(await outcome(document, `?tenantId=${into.tenantId}`, both)).toMatchObject({
        changed: 0,
        added: expect.toSatisfy((n: number) => (added === 0 ? n === 0 : n >= added)) as number,
      });
    const query = `$filter=${encodeURIComponent(`tenantId eq ${into.tenantId}`)}`;
    const [rule] = (await world.call(both, 'GET', `/v1/rules?${query}`)).body.value as Row[];
    const [copied] = (await world.call(both, 'GET', `/v1/knowledgeArticles?${query}`)).body.value as Row[];
    expect(copied).toMatchObject({ title: 'Clear a disk', body: 'Delete the logs.' });
    expect(rule?.['runbookId']).toBe(copied?.['knowledgeArticleId']);
    expect(rule?.['runbookId']).not.toBe(knowledgeArticleId);
  });

  it('writes a rule after the rules that it looks at, whatever their order', async () => {
    const there = await world.tenant('Eastwind');
    const target = holder([there.tenantId]);
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const rule = (ruleId: string, name: string, more: object[] = []) => ({
      ...starterRule,
      ruleId,
      name,
      tenantId: there.tenantId,
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }, ...more],
    });
    const looks = rule(first, 'Before', [{ Type: 'And', LeftOperand: 86, Operator: 2, RightOperand: second }]);
    const document = { cloudfit: 'configuration', version: 1, rows: { rules: [looks, rule(second, 'After')] } };
    expect(await outcome(document, `?tenantId=${there.tenantId}`, target)).toMatchObject({ added: 2 });
    expect(await outcome(document, `?tenantId=${there.tenantId}`, target)).toMatchObject({ added: 0, changed: 0 });
    // In another tenant the rows get other keys.
    const copied = await world.tenant('Northeast');
    const of = holder([copied.tenantId, there.tenantId]);
    await outcome(document, `?tenantId=${copied.tenantId}`, of);
    const rows = (await read(`?tenantId=${copied.tenantId}`, of)).rows['rules'] ?? [];
    const [before, after] = ['Before', 'After'].map((name) => rows.find((row) => row['name'] === name));
    expect(after?.['ruleId']).not.toBe(second);
    expect(before?.['conditions']).toContainEqual(expect.objectContaining({ LeftOperand: 86, RightOperand: after?.['ruleId'] }));
  });

  it('goes into an empty installation under its own keys', async () => {
    const document = await read();
    const fresh = await createWorld();
    try {
      const answer = await fresh.call(holder('all'), 'POST', '/v1/configuration', document);
      expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
      const there = (await fresh.call(holder('all'), 'GET', `/v1/configuration?tenantId=${tenantId}`)).body as unknown as Document;
      expect(there.rows).toEqual(document.rows);
    } finally {
      await fresh.close();
    }
  });

  it('is taken whole or not at all, with a reason for each row', async () => {
    const document = copy(await read());
    document.rows['locations'] = [
      { name: 'Good', tenantId },
      { name: '', tenantId },
      { name: 'Odd', tenantId, nothing: 1 },
    ];
    document.rows['packets'] = [{ name: 'Eve' }];
    const answer = await write(document);
    expect(answer.status).toBe(400);
    expect((answer.body['error'] as { details: { target: string }[] }).details.map((d) => d.target).toSorted()).toEqual([
      'locations[1].name',
      'locations[2].nothing',
      'rows.packets',
    ]);
    expect((await read()).rows['locations']?.map((r) => r['name'])).not.toContain('Good');
  });

  it('gives no rights that the caller lacks', async () => {
    const document = await read();
    const other = await world.tenant();
    const query = `?tenantId=${other.tenantId}`;
    const without = (...lacking: string[]) =>
      holder(
        [other.tenantId],
        allPermissions.filter((p) => !lacking.includes(p)),
      );
    expect((await write(document, query, without('CloudFit.CFS.Settings:edit'))).status).toBe(403);
    expect((await world.call(without('CloudFit.CFS.Settings:view'), 'GET', '/v1/configuration')).status).toBe(403);
    const refused = await write(document, query, without('CloudFit.CFS.Rules:create'));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('You do not have the permission CloudFit.CFS.Rules:create');
    expect((await read(query, without('CloudFit.CFS.Rules:view'))).rows).not.toHaveProperty('rules');
    expect((await world.call(admin, 'GET', `/v1/configuration?tenantId=${other.tenantId}`)).status).toBe(404);
    expect((await write(document, query)).status).toBe(404);
    // A row of another tenant is neither changed nor mentioned.
    const stolen = {
      ...document,
      rows: { locations: [{ ...document.rows['locations']?.[0], name: 'Mine now', tenantId: other.tenantId }] },
    };
    expect(await outcome(stolen, '', holder([other.tenantId]))).toMatchObject({ added: 1, changed: 0 });
    const sets = {
      ...document,
      rows: { permissionSets: [{ name: 'All', tenantId: other.tenantId, permissions: ['CloudFit.CFS.Rules:edit'] }] },
    };
    expect((await write(sets, '', without('CloudFit.CFS.Rules:edit'))).status).toBe(400);
  });

  it('names what is wrong with a document', async () => {
    for (const [body, target] of [
      [{}, 'cloudfit'],
      [{ cloudfit: 'configuration', version: 2, rows: {} }, 'version'],
      [{ cloudfit: 'configuration', version: 1 }, 'rows'],
      [{ cloudfit: 'configuration', version: 1, rows: { rules: 1 } }, 'rows.rules'],
    ] as const)
      expect(((await write(body)).body['error'] as { details: { target: string }[] }).details.map((d) => d.target)).toContain(target);
    expect((await write({ cloudfit: 'configuration', version: 1, rows: {} }, '?dryRun=perhaps')).status).toBe(400);
  });
});

describe('every resource of the configuration', () => {
  it('goes into an empty installation and into another tenant, and then nothing is left to do', async () => {
    const home = await world.tenant('Complete');
    const names = portableResources()
      .filter(isExported)
      .map((r) => r.name);
    for (const r of portableResources()) if (r.name !== 'tenants') await insertSample(world, r, home);
    const document = await read(`?tenantId=${home.tenantId}`, holder('all'));
    // Checks need their devices: `moving.test.ts`.
    expect(document.rows['deviceOperations']).toHaveLength(1);
    document.rows['deviceOperations'] = [];
    names.splice(names.indexOf('deviceOperations'), 1);
    for (const name of names) expect([name, (document.rows[name] ?? []).length > 0]).toEqual([name, true]);

    const other = await world.tenant('Complete copy');
    const query = `?tenantId=${other.tenantId}`;
    const copied = await outcome(document, query, holder('all'));
    expect(copied.added).toBeGreaterThan(names.length - 3);
    expect(await outcome(document, query, holder('all'))).toMatchObject({ added: 0, changed: 0, changes: [] });
    const there = await read(query, holder('all'));
    expect(JSON.stringify(there)).not.toContain(home.tenantId);

    const fresh = await createWorld();
    try {
      const put = await fresh.call(holder('all'), 'POST', '/v1/configuration', document);
      expect([put.status, put.body['error']]).toEqual([200, undefined]);
      const again = await fresh.call(holder('all'), 'POST', '/v1/configuration', document);
      expect(again.body).toMatchObject({ added: 0, changed: 0, changes: [] });
      const rows = (await fresh.call(holder('all'), 'GET', `/v1/configuration?tenantId=${home.tenantId}`)).body['rows'];
      expect(rows).toEqual(document.rows);
    } finally {
      await fresh.close();
    }
  });
});

it('is exported of all that the caller has, and the audit of each tenant tells it', async () => {
  const [one, two] = [await world.tenant(), await world.tenant()];
  const both = holder([one.tenantId, two.tenantId]);
  const document = await read('', both);
  expect((document.rows['tenants'] ?? []).map((row) => row['tenantId']).toSorted()).toEqual([one.tenantId, two.tenantId].toSorted());
  for (const { tenantId: id } of [one, two]) {
    const filter = `$filter=entity eq 'configuration' and verb eq 'export'`;
    expect((await world.call(holder([id]), 'GET', `/v1/audit?${filter}`)).body.value).toMatchObject([{ tenantId: id, entityId: id }]);
  }
});
