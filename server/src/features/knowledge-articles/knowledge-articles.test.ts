/** Knowledge articles over HTTP: who reads and writes which, their versions, and what a search finds. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import { viewMine, type Permission } from '@cloudfit/contract/permissions.ts';
import { knowledgeArticles } from '@cloudfit/contract/resources/knowledge-articles.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let author: TestCaller;
let otherAuthor: TestCaller;
const everywhere = holder('all');
/** People of the first tenant by what they may do there. */
let staff: TestCaller;
let customer: TestCaller;

const readUnits: Permission[] = ['CloudFit.CFS.WorkUnits:view'];

beforeAll(async () => {
  world = await createWorld();
});
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  ({ tenantId: otherId } = await world.tenant());
  [author, otherAuthor] = [holder([tenantId]), holder([otherId])];
  [staff, customer] = [holder([tenantId], readUnits), holder([tenantId], [viewMine])];
});
afterAll(() => world.close());

type Body = Record<string, unknown>;
async function write(fields: Body, by: TestCaller = author): Promise<Body> {
  const start = { title: 'Reset the printer', body: 'Hold the button.', state: 'Published', audience: 'Customers', tenantId };
  const { status, body } = await world.call(by, 'PUT', '/v1/knowledgeArticles', { ...start, ...fields });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}
const idOf = (article: Body) => String(article['knowledgeArticleId']);
/** Titles of this test: global articles of others are there too. */
const mark = (title: string) => `${title} ${tenantId.slice(-12)}`;
const ours = (rows: readonly Body[] = []) =>
  rows
    .map((row) => String(row['title']))
    .filter((title) => title.endsWith(tenantId.slice(-12)))
    .map((title) => title.slice(0, -13));
const listed = async (by: TestCaller) => ours((await world.call(by, 'GET', '/v1/knowledgeArticles?$top=1000')).body.value);

/** An article of each tenant, state and audience. */
async function shelf(): Promise<Body[]> {
  const articles = [];
  for (const [where, of, by] of [
    ['own', tenantId, author],
    ['other', otherId, otherAuthor],
    ['global', null, everywhere],
  ] as const)
    for (const state of ['Draft', 'Published', 'Retired'])
      for (const audience of ['Internal', 'Customers'])
        articles.push(await write({ title: mark(`${where} ${state} ${audience}`), state, audience, tenantId: of }, by));
  return articles;
}
const forCustomers = ['global Published Customers', 'own Published Customers'];
const forStaff = ['global Published Customers', 'global Published Internal', 'own Published Customers', 'own Published Internal'];
const forAuthors = [
  'global Published Customers',
  'global Published Internal',
  'own Draft Customers',
  'own Draft Internal',
  'own Published Customers',
  'own Published Internal',
  'own Retired Customers',
  'own Retired Internal',
];

describe('who reads an article', () => {
  it('shows each caller theirs: in lists, counts, rows, searches, related rows and suggestions', async () => {
    const articles = await shelf();
    const callers: [string, TestCaller, string[]][] = [
      ['customer', customer, forCustomers],
      ['staff', staff, forStaff],
      ['author', author, forAuthors],
    ];
    for (const [name, by, expected] of callers) {
      expect([name, await listed(by)]).toEqual([name, expected]);
      const read = await Promise.all(articles.map((article) => world.call(by, 'GET', `/v1/knowledgeArticles/${idOf(article)}`)));
      expect(ours(read.filter(({ status }) => status === 200).map(({ body }) => body)).toSorted()).toEqual(expected);
      expect(read.filter(({ status }) => status !== 200).every(({ status }) => status === 404)).toBe(true);
      const filter = encodeURIComponent(`found('${tenantId.slice(-12)}')`);
      const matched = await world.call(by, 'GET', `/v1/knowledgeArticles?$filter=${filter}&$count=true&$orderby=title`);
      expect([ours(matched.body.value), matched.body['@odata.count']]).toEqual([expected, expected.length]);
      const places = await world.call(by, 'POST', '/v1/knowledgearticles/searchplaces', {
        text: 'button',
        knowledgeArticleIds: articles.map(idOf),
      });
      expect([name, (places.body['places'] as unknown[]).length]).toEqual([name, expected.length]);
      const query = `tenantId=${tenantId}&title=${encodeURIComponent(`Published Customers ${tenantId.slice(-12)}`)}`;
      const suggested = await world.call(by, 'GET', `/v1/knowledgearticles/suggest?${query}`);
      for (const title of ours(suggested.body['articles'] as Body[])) expect(forStaff).toContain(title);
      if (by === customer) expect(ours(suggested.body['articles'] as Body[]).toSorted()).toEqual(forCustomers);
    }
    expect(await listed(otherAuthor)).toEqual(forAuthors.map((title) => title.replace('own', 'other')).toSorted());
    expect((await listed(everywhere)).length).toBe(18);
  });

  it('gives a person with different rights in two tenants those of each', async () => {
    await shelf();
    const mixed: TestCaller = {
      permissions: new Map([
        [tenantId, new Set([viewMine])],
        [otherId, new Set(readUnits)],
      ]),
      tenants: [tenantId, otherId],
    };
    expect(await listed(mixed)).toEqual([
      'global Published Customers',
      'global Published Internal',
      'other Published Customers',
      'other Published Internal',
      'own Published Customers',
    ]);
  });

  it('needs a sign-in and a right', async () => {
    const article = await write({});
    expect((await world.call(null, 'GET', '/v1/knowledgeArticles')).status).toBe(401);
    const none = holder([tenantId], ['CloudFit.CFS.Devices:view']);
    for (const [method, path, body] of [
      ['GET', '/v1/knowledgeArticles', undefined],
      ['GET', `/v1/knowledgeArticles/${idOf(article)}`, undefined],
      ['GET', `/v1/knowledgearticles/suggest?tenantId=${tenantId}&title=printer`, undefined],
      ['POST', '/v1/knowledgearticles/searchplaces', { text: 'x', knowledgeArticleIds: [] }],
      ['POST', `/v1/knowledgearticles/${idOf(article)}/use`, { kind: 'Viewed' }],
    ] as const)
      expect([path, (await world.call(none, method, path, body)).status]).toEqual([path, 403]);
    expect((await world.call(customer, 'GET', '/v1/knowledgeArticleVersions')).status).toBe(403);
    expect((await world.call(customer, 'GET', '/v1/knowledgeArticleUses')).status).toBe(403);
    expect((await world.call(customer, 'GET', '/v1/knowledgeArticles?$expand=versions')).status).toBe(403);
    expect((await world.call(otherAuthor, 'GET', `/v1/knowledgearticles/suggest?tenantId=${tenantId}&title=printer`)).status).toBe(404);
  });
});

describe('who writes an article', () => {
  it('is who has the right of the area in its tenant, and in all tenants for a global one', async () => {
    const ownArticle = await write({});
    const global = await write({ tenantId: null }, everywhere);
    const change = (by: TestCaller, article: Body) =>
      world.call(by, 'POST', `/v1/knowledgeArticles/${idOf(article)}`, { title: 'Changed' });
    expect((await change(staff, ownArticle)).status).toBe(403);
    expect((await change(customer, ownArticle)).status).toBe(403);
    expect((await change(otherAuthor, ownArticle)).status).toBe(404);
    expect((await change(author, global)).status).toBe(403);
    expect((await change(author, ownArticle)).status).toBe(200);
    expect((await change(everywhere, global)).status).toBe(200);
    const created = await world.call(author, 'PUT', '/v1/knowledgeArticles', {
      title: 'For all',
      body: 'x',
      audience: 'Internal',
      state: 'Draft',
      tenantId: null,
    });
    expect(created.status).toBe(403);
    expect((await world.call(author, 'DELETE', `/v1/knowledgeArticles/${idOf(global)}`)).status).toBe(403);
  });

  it('names what is wrong, and takes a category of its tenant alone', async () => {
    const wrong = await world.call(author, 'PUT', '/v1/knowledgeArticles', { tenantId, title: ' ', state: 'Gone', audience: 'Internal' });
    expect(wrong.status).toBe(400);
    expect((wrong.body as { error: { details: { target: string }[] } }).error.details.map(({ target }) => target).toSorted()).toEqual([
      'body',
      'state',
      'title',
    ]);
    const category = async (tenant: string) =>
      (await world.call(everywhere, 'PUT', '/v1/workUnitCategories', { name: 'Printing', workUnitTypeId: 3, tenantId: tenant })).body[
        'workUnitCategoryId'
      ];
    const put = async (workUnitCategoryId: unknown, tenant: string | null) =>
      (
        await world.call(everywhere, 'PUT', '/v1/knowledgeArticles', {
          title: 'x',
          body: 'x',
          audience: 'Internal',
          state: 'Draft',
          tenantId: tenant,
          workUnitCategoryId,
        })
      ).status;
    const categoryId = await category(tenantId);
    expect([await put(categoryId, tenantId), await put(categoryId, otherId), await put(categoryId, null)]).toEqual([201, 400, 400]);
  });

  it('keeps each published version, and none of a draft', async () => {
    const article = await write({ state: 'Draft', title: 'First' });
    const change = async (fields: Body, by = author) =>
      (await world.call(by, 'POST', `/v1/knowledgeArticles/${idOf(article)}`, fields)).body;
    expect(article).toMatchObject({ publishedVersion: 0, published: null, owner: 'person@example.com' });
    await change({ body: 'Still a draft.' });
    expect(await change({ state: 'Published' })).toMatchObject({ publishedVersion: 1, publishedBy: 'person@example.com' });
    expect(await change({ keywords: 'paper jam', reviewAt: '2027-01-01T00:00:00.000Z' })).toMatchObject({ publishedVersion: 1 });
    expect(await change({ title: 'Second', body: 'Now two.' })).toMatchObject({ publishedVersion: 2 });
    expect(await change({ state: 'Retired' })).toMatchObject({ publishedVersion: 2 });
    const versions = (by: TestCaller) =>
      world.call(by, 'GET', `/v1/knowledgeArticleVersions?$filter=knowledgeArticleId eq ${idOf(article)}&$orderby=number`);
    expect((await versions(author)).body.value).toMatchObject([
      { number: 1, title: 'First', body: 'Still a draft.', publishedBy: 'person@example.com' },
      { number: 2, title: 'Second', body: 'Now two.' },
    ]);
    expect((await versions(otherAuthor)).body.value).toEqual([]);
    expect((await world.call(author, 'POST', `/v1/knowledgeArticleVersions/${idOf(article)}`, { title: 'x' })).status).not.toBe(200);
    const audit = await world.system.db.query({
      text: "select verb from audit where entity = 'knowledgeArticles' and entity_id = $1",
      values: [idOf(article)],
    });
    expect(audit.length).toBe(6);
  });

  it('publishes each number once when two people save at the same time', async () => {
    const article = await write({});
    await Promise.all(
      Array.from({ length: 6 }, (_, n) => world.call(author, 'POST', `/v1/knowledgeArticles/${idOf(article)}`, { body: `Text ${n}` })),
    );
    const { body } = await world.call(author, 'GET', `/v1/knowledgeArticles/${idOf(article)}?$expand=versions`);
    expect((body['versions'] as Body[]).map((version) => version['number']).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(body['publishedVersion']).toBe(7);
  });
});

describe('the search of articles', () => {
  const search = async (text: string, by: TestCaller = author): Promise<unknown[]> => {
    const filter = encodeURIComponent(`${searchFilter(knowledgeArticles, text)} and tenantId eq ${tenantId}`);
    const order = encodeURIComponent(searchOrder(knowledgeArticles, text) ?? '');
    const { body } = await world.call(by, 'GET', `/v1/knowledgeArticles?$filter=${filter}&$orderby=${order},title&$count=true`);
    expect(body['@odata.count']).toBe(body.value?.length);
    return (body.value ?? []).map((row) => row['title']);
  };

  it('finds words in any order, their beginnings and parts, and spellings of umlauts', async () => {
    await write({ title: 'Drucker zurücksetzen', body: 'Halten Sie den **Knopf** an der Kasse.', keywords: 'printer jam' });
    await write({ title: 'VPN from home', body: 'Open the client.' });
    for (const text of [
      'kasse drucker',
      'DRUCKER knopf',
      'zuruecksetzen',
      'zurucksetz',
      'rucksetzen',
      'jam',
      '"an der kasse"',
      'printer drucker',
    ])
      expect([text, await search(text)]).toEqual([text, ['Drucker zurücksetzen']]);
    for (const text of ['kasse vpn', '"kasse der an"', '?! -', '%', '_']) expect([text, await search(text)]).toEqual([text, []]);
  });

  it.each(['drukcer', 'ducker', 'druckker', 'zurücksezten', 'drucker zurücksetzn'])('finds by the mistyped %s', async (typed) => {
    await write({ title: 'Drucker zurücksetzen' });
    await write({ title: 'VPN from home' });
    expect(await search(typed)).toEqual(['Drucker zurücksetzen']);
  });

  it('puts the best first: title, keywords, text; whole words before beginnings before parts', async () => {
    await write({ title: 'Bilgepump' });
    await write({ title: 'In the text', body: 'A pump' });
    await write({ title: 'In keywords', keywords: 'pump' });
    await write({ title: 'Pumps' });
    await write({ title: 'Pump' });
    expect(await search('pump')).toEqual(['Pump', 'Pumps', 'Bilgepump', 'In keywords', 'In the text']);
  });

  it('corrects by no word of an article that the caller may not read, and follows changes', async () => {
    const article = await write({ title: 'Secretwork', audience: 'Internal' });
    await write({ title: 'Secretword', tenantId: otherId }, otherAuthor);
    const terms = async (by: TestCaller) =>
      (await world.call(by, 'POST', '/v1/knowledgearticles/searchplaces', { text: 'secretwerk', knowledgeArticleIds: [] })).body['terms'];
    expect(await terms(author)).toEqual(['secretwerk| secretwork']);
    expect(await terms(customer)).toEqual(['secretwerk']);
    await world.call(author, 'POST', `/v1/knowledgeArticles/${idOf(article)}`, { audience: 'Customers' });
    expect(await terms(customer)).toEqual(['secretwerk| secretwork']);
    await world.call(author, 'POST', `/v1/knowledgeArticles/${idOf(article)}`, { title: 'Open' });
    expect([await terms(author), await search('secretwork'), await search('open')]).toEqual([['secretwerk'], [], ['Open']]);
  });

  it('shows the place outside the title', async () => {
    const article = await write({ title: 'Printer', body: `${'Long before. '.repeat(20)}Press **the red button** twice.` });
    const { body } = await world.call(author, 'POST', '/v1/knowledgearticles/searchplaces', {
      text: 'printer buton',
      knowledgeArticleIds: [idOf(article)],
    });
    expect(body['places']).toEqual([{ knowledgeArticleId: idOf(article), text: expect.stringContaining('red button') }]);
  });
});
