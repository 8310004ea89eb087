/** Which articles are suggested, how they are linked with work units, and how often they were of use. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let desk: TestCaller;
let customer: TestCaller;
type Body = Record<string, unknown>;

beforeAll(async () => {
  world = await createWorld();
});
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  [desk, customer] = [holder([tenantId]), holder([tenantId], [viewMine])];
});
afterAll(() => world.close());

const person = (caller: TestCaller, name: string): TestCaller => ({
  ...caller,
  actor: { kind: 'person', id: randomUUID(), name, userName: `${name}@example.com` },
});
async function write(title: string, fields: Body = {}): Promise<string> {
  const start = { title, body: 'Ask the desk.', state: 'Published', audience: 'Customers', tenantId };
  return String((await world.call(desk, 'PUT', '/v1/knowledgeArticles', { ...start, ...fields })).body['knowledgeArticleId']);
}
async function suggest(title: string, more: Record<string, string> = {}, by = desk): Promise<unknown[]> {
  const query = new URLSearchParams({ tenantId, title, ...more });
  const { status, body } = await world.call(by, 'GET', `/v1/knowledgearticles/suggest?${query.toString()}`);
  expect(status).toBe(200);
  return (body['articles'] as Body[]).map((article) => article['title']);
}
const unitOf = async (fields: Body = {}): Promise<Body> =>
  (await world.call(desk, 'PUT', '/v1/workunits', { title: 'Help', workUnitTypeId: 3, severityId: 'Sev3', tenantId, ...fields })).body;
const link = (unit: Body, referenceId: string, by = desk) =>
  world.call(by, 'PUT', '/v1/workUnitRelations', { workUnitId: unit['workUnitId'], referenceType: 'KnowledgeArticle', referenceId });
const usesOf = async (id: string) => {
  const { viewed, linked, solved } = (await world.call(desk, 'GET', `/v1/knowledgeArticles/${id}?$expand=usage`)).body['usage'] as Body;
  return [viewed, linked, solved];
};
const use = (id: string, kind: string, by: TestCaller) => world.call(by, 'POST', `/v1/knowledgearticles/${id}/use`, { kind });

it('suggests by the words of the title, rare ones first, mistyped ones too, and at most three', async () => {
  await write('Printer prints stripes');
  await write('Printer does not print');
  await write('Printer is out of paper');
  await write('Printer of the warehouse');
  await write('VPN from home', { body: 'Printer and stripes are not about this, nor is anything else.' });
  await write('Printer in a draft', { state: 'Draft' });
  expect((await suggest('stripes on the printer'))[0]).toBe('Printer prints stripes');
  expect((await suggest('pirnter out of papre'))[0]).toBe('Printer is out of paper');
  expect((await suggest('printer')).length).toBe(3);
  expect(await suggest('printer')).not.toContain('Printer in a draft');
  expect(await suggest('the coffee machine')).toEqual([]);
  expect(await suggest('')).toEqual([]);
});

it('suggests customers theirs alone, and nothing by what units have used', async () => {
  const category = (await world.call(desk, 'PUT', '/v1/workUnitCategories', { name: 'Printing', workUnitTypeId: 3, tenantId })).body;
  const workUnitCategoryId = String(category['workUnitCategoryId']);
  await write('Printer for customers');
  await write('Printer for the desk', { audience: 'Internal' });
  const used = await write('Toner');
  await link(await unitOf({ workUnitCategoryId }), used);
  expect((await suggest('printer', {}, desk)).toSorted()).toEqual(['Printer for customers', 'Printer for the desk']);
  expect(await suggest('printer', {}, customer)).toEqual(['Printer for customers']);
  expect(await suggest('', { workUnitCategoryId })).toEqual(['Toner']);
  expect(await suggest('', { workUnitCategoryId }, customer)).toEqual([]);
});

it('suggests by the category, and by what was used in units of the same rule, which counts most', async () => {
  const category = (await world.call(desk, 'PUT', '/v1/workUnitCategories', { name: 'Printing', workUnitTypeId: 3, tenantId })).body;
  const workUnitCategoryId = String(category['workUnitCategoryId']);
  await write('Of the category', { workUnitCategoryId });
  const byRule = await write('Restart the spooler');
  await write('Help');
  const [first, second] = [await unitOf(), await unitOf({ workUnitCategoryId })];
  await world.system.db.query({
    text: 'update work_unit set rule_id = $1 where work_unit_id = any($2::bigint[])',
    values: [randomUUID(), [first['workUnitId'], second['workUnitId']]],
  });
  await link(first, byRule);
  expect(await suggest('Help', { workUnitId: String(second['workUnitId']) })).toEqual(['Restart the spooler', 'Help', 'Of the category']);
  const other = holder([(await world.tenant()).tenantId, tenantId]);
  const foreign = await world.call(holder([tenantId]), 'GET', `/v1/knowledgearticles/suggest?tenantId=${tenantId}&workUnitId=999999`);
  expect(foreign.status).toBe(404);
  expect(await suggest('Help', { workUnitId: String(second['workUnitId']) }, other)).toContain('Restart the spooler');
});

it('suggests the runbook of the rule first, to those who may read it, and keeps it from deletion', async () => {
  const runbook = await write('What to do', { audience: 'Internal' });
  await write('Cooling stopped');
  const rule = { ...starterRule, name: 'Hot', tenantId, runbookId: runbook };
  const { status, body } = await world.call(desk, 'PUT', '/v1/rules', rule);
  expect([status, body]).toEqual([201, expect.objectContaining({ runbookId: runbook })]);
  const { ruleId } = body;
  const unit = await unitOf({ title: 'Cooling stopped' });
  await world.system.db.query({ text: 'update work_unit set rule_id = $1 where work_unit_id = $2', values: [ruleId, unit['workUnitId']] });
  const query = `tenantId=${tenantId}&title=Cooling+stopped&workUnitId=${String(unit['workUnitId'])}`;
  const articles = async () => (await world.call(desk, 'GET', `/v1/knowledgearticles/suggest?${query}`)).body['articles'];
  expect(await articles()).toMatchObject([
    { title: 'What to do', isRunbook: true },
    { title: 'Cooling stopped', isRunbook: false },
  ]);
  // A unit of no rule, and a customer, are told of none.
  expect(await suggest('Cooling stopped')).toEqual(['Cooling stopped']);
  expect(await suggest('Cooling stopped', { workUnitId: String(unit['workUnitId']) }, customer)).toEqual(['Cooling stopped']);
  const refused = await world.call(desk, 'DELETE', `/v1/knowledgeArticles/${runbook}`);
  expect([refused.status, refused.text.includes('the runbook of the rules Hot')]).toEqual([400, true]);
  await world.call(desk, 'POST', `/v1/knowledgeArticles/${runbook}`, { state: 'Retired' });
  expect(await articles()).toMatchObject([{ title: 'Cooling stopped' }]);
  const foreign = await world.tenant();
  const moved = await world.call(holder([foreign.tenantId]), 'PUT', '/v1/rules', { ...rule, tenantId: foreign.tenantId });
  expect([moved.status, moved.text.includes('Runbook was not found.')]).toEqual([400, true]);
});

it('links an article with a unit, says so in its feed, and keeps it from deletion', async () => {
  const id = await write('Reset the printer');
  const unit = await unitOf();
  expect((await link(unit, id.toUpperCase())).status).toBe(201);
  expect((await link(unit, id)).status).toBe(409);
  const feed = await world.call(desk, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${String(unit['workUnitId'])})`);
  expect(feed.body.value).toContainEqual(expect.objectContaining({ detail: 'Used the article “Reset the printer”.' }));
  const read = await world.call(desk, 'GET', `/v1/workunits/${String(unit['workUnitId'])}?$expand=relations`);
  expect(read.body['relations']).toMatchObject([{ referenceType: 'KnowledgeArticle', referenceId: id }]);
  const refused = await world.call(desk, 'DELETE', `/v1/knowledgeArticles/${id}`);
  expect([refused.status, refused.text.includes('Please retire it')]).toEqual([400, true]);
  const relation = (read.body['relations'] as Body[])[0];
  await world.call(desk, 'DELETE', `/v1/workUnitRelations/${String(relation?.['workUnitRelationId'])}`);
  expect((await world.call(desk, 'DELETE', `/v1/knowledgeArticles/${id}`)).status).toBe(204);
});

it('links published articles of the tenant or of all alone', async () => {
  const unit = await unitOf();
  const { tenantId: otherId } = await world.tenant();
  const everywhere = holder('all');
  const put = async (fields: Body) =>
    String(
      (
        await world.call(everywhere, 'PUT', '/v1/knowledgeArticles', {
          title: 'x',
          body: 'x',
          state: 'Published',
          audience: 'Internal',
          ...fields,
        })
      ).body['knowledgeArticleId'],
    );
  const status = async (id: string, by = everywhere) => (await link(unit, id, by)).status;
  expect(await status(await put({ tenantId: null }))).toBe(201);
  expect(await status(await put({ tenantId }))).toBe(201);
  expect(await status(await put({ tenantId: otherId }))).toBe(400);
  expect(await status(await put({ tenantId, state: 'Draft' }))).toBe(400);
  expect(await status(randomUUID())).toBe(400);
  expect((await link(unit, await put({ tenantId }), customer)).status).toBe(403);
});

it('counts each person once a day, kind by kind, also when they ask at the same time', async () => {
  const id = await write('Reset the printer');
  const [ada, bo] = [person(customer, 'ada'), person(customer, 'bo')];
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => use(id, 'Viewed', n % 2 ? ada : bo)));
  expect(answers.filter(({ body }) => body['counted']).length).toBe(2);
  expect((await use(id, 'Solved', ada)).body).toEqual({ counted: true });
  expect((await use(id, 'Solved', ada)).body).toEqual({ counted: false });
  const worker = person(desk, 'cy');
  for (let n = 0; n < 2; n++) await link(await unitOf(), id, worker);
  expect(await usesOf(id)).toEqual([2, 1, 1]);
  await world.system.db.query({ text: 'update knowledge_use set day = day - 1 where knowledge_article_id = $1', values: [id] });
  expect((await use(id, 'Viewed', ada)).body).toEqual({ counted: true });
  expect(await usesOf(id)).toEqual([3, 1, 1]);
});

it('counts uses of an article for all by people of one tenant, without changing the article, and sorts by them', async () => {
  const { body } = await world.call(holder('all'), 'PUT', '/v1/knowledgeArticles', {
    title: 'For all',
    body: 'x',
    state: 'Published',
    audience: 'Customers',
    tenantId: null,
  });
  const id = String(body['knowledgeArticleId']);
  const etag = (await world.call(desk, 'GET', `/v1/knowledgeArticles/${id}`)).headers['etag'];
  expect((await use(id, 'Viewed', person(customer, 'ada'))).body).toEqual({ counted: true });
  expect((await world.call(desk, 'GET', `/v1/knowledgeArticles/${id}`)).headers['etag']).toBe(etag);
  const quiet = await write('Quiet');
  const listed = await world.call(
    holder('all'),
    'GET',
    `/v1/knowledgeArticles?$orderby=usage/viewed desc&$filter=knowledgeArticleId in (${id},${quiet})`,
  );
  expect(listed.body.value?.map((row) => row['title'])).toEqual(['For all', 'Quiet']);
  // The number is of all tenants.
  expect((await world.call(desk, 'GET', `/v1/knowledgeArticles/${id}?$expand=usage`)).body['usage']).toBeNull();
});

it('counts nothing of what the caller may not read', async () => {
  const [draft, internal] = [await write('x', { state: 'Draft' }), await write('x', { audience: 'Internal' })];
  const otherTenant = holder([(await world.tenant()).tenantId]);
  const open = await write('x');
  expect((await use(draft, 'Viewed', customer)).status).toBe(404);
  expect((await use(internal, 'Solved', customer)).status).toBe(404);
  expect((await use(open, 'Viewed', otherTenant)).status).toBe(404);
  expect((await use(open, 'Viewed', null as unknown as TestCaller)).status).toBe(401);
  expect((await use(open, 'Linked', desk)).status).toBe(400);
  for (const id of [draft, internal, open]) expect(await usesOf(id)).toEqual([0, 0, 0]);
});
