/**
 * A client that knows SCIM by its RFCs alone, as the conformance tests of others do: it reads what the service provider says of itself, holds
 * each answer against that, and walks the calls of RFC 7644 in the forms that Entra ID and Okta document.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld, type WorldReply } from '../../testing/world.ts';

type Json = Record<string, unknown>;
interface Attribute {
  name: string;
  type: string;
  multiValued: boolean;
  required: boolean;
  returned: string;
  subAttributes?: Attribute[];
}
interface Schema extends Json {
  id: string;
  attributes: Attribute[];
}

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const peopleOfGroup = 5_000;

let world: TestWorld;
let token: string;
let directoryId: string;
let schemas = new Map<string, Schema>();

beforeAll(async () => {
  world = await createWorld();
  const { tenantId } = await world.tenant();
  ({ directoryId, token } = await directory('walk', [tenantId]));
  const { Resources } = (await call('GET', '/Schemas')).json as { Resources: Schema[] };
  schemas = new Map(Resources.map((schema) => [schema.id, schema]));
});
afterAll(() => world.close());

async function directory(prefix: string, tenantIds: string[]): Promise<{ directoryId: string; token: string }> {
  const created = await world.call(holder('all'), 'PUT', '/v1/directories', { name: prefix, prefix, kind: 'None', tenantIds });
  const id = String(created.body['directoryId']);
  const { body } = await world.call(holder('all'), 'PUT', `/v1/directories/${id}/token`, {});
  return { directoryId: id, token: String(body['generatedToken']) };
}

interface Answer extends WorldReply {
  json: Json;
}
async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const reply = await world.call(null, method, `/scim/v2${path}`, body, {
    authorization: `Bearer ${token}`,
    accept: 'application/scim+json',
    ...(body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
    ...headers,
  });
  const json = (reply.text === '' ? {} : JSON.parse(reply.text)) as Json;
  if (reply.status >= 400)
    expect(json, reply.text).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(reply.status) });
  if (reply.text !== '') expect(reply.headers['content-type']).toMatch(/^application\/scim\+json/);
  return { ...reply, json };
}
const patch = (path: string, ...Operations: object[]) => call('PATCH', path, { schemas: [patchSchema], Operations });
const search = (filter: string, more = '') => call('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`);
const idsOf = ({ json }: Answer) => (json['Resources'] as { id: string }[]).map(({ id }) => id);
const nameOf = () => `walk-${randomUUID().slice(0, 8)}@walk.example`;

/** Holds a value against the attribute that the schema declares for it. */
function conforms(value: unknown, attribute: Attribute, path: string): void {
  if (attribute.multiValued && Array.isArray(value)) {
    for (const item of value) conforms(item, { ...attribute, multiValued: false }, path);
    return;
  }
  expect(attribute.multiValued, path).toBe(false);
  if (attribute.type === 'complex') {
    for (const [name, part] of Object.entries(value as Json)) {
      const declared = attribute.subAttributes?.find((each) => each.name === name);
      expect(declared, `${path}.${name} is in no schema`).toBeDefined();
      if (declared) conforms(part, declared, `${path}.${name}`);
    }
    return;
  }
  expect(typeof value, path).toBe(attribute.type === 'boolean' ? 'boolean' : 'string');
}

/** Holds a resource against its schemas and the common attributes (RFC 7643, 3.1). */
async function conformsToSchemas({ json, headers }: Answer): Promise<void> {
  const ids = json['schemas'] as string[];
  const declared = ids.flatMap((id) => schemas.get(id)?.attributes ?? []);
  const { resourceType, created, lastModified, location, version } = json['meta'] as Record<string, string>;
  expect(ids).toHaveLength(1);
  expect(ids[0]).toMatch(new RegExp(`:${resourceType}$`));
  expect([created, lastModified].map((at) => new Date(String(at)).toISOString())).toEqual(
    [created, lastModified].map((at) => new Date(String(at)).toISOString()),
  );
  expect([headers['etag'], headers['location']]).toEqual([version, location]);
  const path = new URL(String(location)).pathname.replace('/scim/v2', '');
  expect((await call('GET', path)).json).toEqual(json);
  for (const [name, value] of Object.entries(json)) {
    if (['id', 'schemas', 'meta', 'externalId'].includes(name)) continue;
    const attribute = declared.find((each) => each.name === name);
    expect(attribute, `${name} is in no schema`).toBeDefined();
    if (attribute) conforms(value, attribute, name);
  }
  for (const { name, required } of declared) if (required) expect(json[name], name).toBeDefined();
}

describe('the service provider', () => {
  it('describes itself so that a client needs no other document', async () => {
    const config = (await call('GET', '/ServiceProviderConfig')).json;
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true },
      etag: { supported: true },
    });
    const types = (await call('GET', '/ResourceTypes')).json as {
      Resources: { id: string; endpoint: string; schema: string; meta: { location: string } }[];
      totalResults: number;
    };
    expect(types.totalResults).toBe(types.Resources.length);
    for (const { id, endpoint, schema, meta } of types.Resources) {
      expect(schemas.has(schema)).toBe(true);
      expect(new URL(meta.location).pathname).toBe(`/scim/v2/ResourceTypes/${id}`);
      expect((await call('GET', `/ResourceTypes/${id}`)).json).toMatchObject({ id, schema });
      expect((await call('GET', `/Schemas/${schema}`)).json).toMatchObject({ id: schema, meta: { resourceType: 'Schema' } });
      expect((await call('GET', endpoint)).json).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'] });
    }
    for (const [method, path] of [
      ['POST', '/Bulk'],
      ['GET', '/Me'],
      ['POST', '/Schemas'],
      ['DELETE', '/ServiceProviderConfig'],
      ['PUT', '/Users'],
      ['GET', '/Nothing'],
      ['GET', `/Users/${randomUUID()}/name`],
    ] as const)
      expect((await call(method, path, method === 'GET' || method === 'DELETE' ? undefined : {})).status, path).toBeGreaterThanOrEqual(404);
    // A filter there could hide what a client relies on (RFC 7644, 4).
    expect((await call('GET', '/Schemas?filter=id%20pr')).status).toBe(403);
  });
});

describe('a user', () => {
  it('is made, found, replaced, changed, removed and made again', async () => {
    const userName = nameOf();
    const body = {
      schemas: [userSchema, enterprise],
      userName,
      externalId: 'EXT-1',
      name: { givenName: 'Grace', familyName: 'Hopper', honorificPrefix: 'Dr.' },
      emails: [{ type: 'work', value: userName, primary: true, display: 'Work' }],
      phoneNumbers: [{ type: 'work', value: '+49 30 1' }],
      title: null,
      roles: [],
      active: true,
      [enterprise]: { department: 'Compilers', manager: { value: 'x' } },
      'urn:example:params:scim:schemas:extension:none:2.0:User': { anything: 1 },
    };
    const created = await call('POST', '/Users', body);
    expect(created.status).toBe(201);
    await conformsToSchemas(created);
    const path = `/Users/${String(created.json['id'])}`;
    expect((await call('POST', '/Users', { ...body, userName: userName.toUpperCase() })).json).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    });
    for (const filter of [
      `userName eq "${userName}"`,
      `UserName EQ "${userName.toUpperCase()}"`,
      `${userSchema}:userName eq "${userName}"`,
      `emails[type eq "work"].value eq "${userName}"`,
      `emails[type eq "work" and value eq "${userName}"]`,
      `emails.value eq "${userName}"`,
      `emails eq "${userName}"`,
      `(userName sw "${userName.slice(0, 9)}" and name.familyName co "OPP") and not (active eq false)`,
      `externalId eq "EXT-1" and active eq true`,
      `id eq "${String(created.json['id'])}"`,
      `meta.created gt "2020-01-01T00:00:00Z" and userName ew "${userName.slice(5)}"`,
    ])
      expect(idsOf(await search(filter)), filter).toEqual([created.json['id']]);
    for (const filter of [`externalId eq "ext-1"`, `userName eq "${userName}x"`, `userName eq "${userName}" and active eq false`])
      expect((await search(filter)).json, filter).toMatchObject({ totalResults: 0, Resources: [] });
    for (const filter of [
      'userName',
      'userName eq',
      'userName xx "a"',
      'shoeSize eq 43',
      `userName eq "${userName}`,
      '(userName pr',
      'userName eq "a" or',
    ])
      expect((await search(filter)).json, filter).toMatchObject({ status: '400', scimType: 'invalidFilter' });
    // What a replacement does not name is cleared (RFC 7644, 3.5.1).
    const replaced = await call('PUT', path, { schemas: [userSchema], userName, name: { givenName: 'Amazing', familyName: 'Grace' } });
    await conformsToSchemas(replaced);
    expect([replaced.json['externalId'], replaced.json['emails']]).toEqual([undefined, []]);
    const changed = await patch(
      path,
      { op: 'Add', path: 'emails[type eq "work"].value', value: userName },
      { op: 'replace', path: `${userSchema}:displayName`, value: 'Amazing Grace' },
      { op: 'Replace', path: `${enterprise}:department`, value: 'Looms' },
      { op: 'replace', value: { externalId: 'EXT-2', active: 'False', nickName: 'G' } },
    );
    await conformsToSchemas(changed);
    expect(changed.json).toMatchObject({
      displayName: 'Amazing Grace',
      externalId: 'EXT-2',
      active: false,
      emails: [{ type: 'work', value: userName }],
    });
    expect((await patch(path, { op: 'remove', path: 'externalId' })).json['externalId']).toBeUndefined();
    expect((await patch(path, { op: 'replace', path: 'id', value: 'x' })).json['id']).toBe(created.json['id']);
    const removed = await call('DELETE', path);
    expect([removed.status, removed.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE'] as const) expect((await call(method, path)).status).toBe(404);
    expect((await patch(path, { op: 'replace', path: 'active', value: true })).status).toBe(404);
    expect(idsOf(await search(`userName eq "${userName}"`))).toEqual([]);
    await conformsToSchemas(await call('POST', '/Users', body));
  });

  it('is answered in the part that is asked for', async () => {
    const userName = nameOf();
    const { json } = await call('POST', '/Users?attributes=userName', { userName, displayName: 'Part', emails: [{ value: userName }] });
    expect(Object.keys(json).toSorted()).toEqual(['id', 'meta', 'schemas', 'userName']);
    const keys = async (query: string) => Object.keys((await call('GET', `/Users/${String(json['id'])}?${query}`)).json).toSorted();
    expect(await keys('attributes=emails.value,DISPLAYNAME')).toEqual(['displayName', 'emails', 'id', 'meta', 'schemas']);
    expect(await keys(`attributes=${userSchema}:userName`)).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect(await keys('excludedAttributes=emails,id,groups,active,name')).toEqual(['displayName', 'id', 'meta', 'schemas', 'userName']);
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: `userName eq "${userName}"`,
      attributes: ['userName'],
      startIndex: 1,
      count: 10,
    };
    expect((await call('POST', '/Users/.search', body)).json).toMatchObject({ totalResults: 1, Resources: [{ userName }] });
  });

  it('is refused with what is wrong', async () => {
    for (const body of [
      {},
      { userName: '' },
      { userName: 7 },
      { userName: ['a'] },
      { userName: nameOf(), active: 'maybe' },
      { userName: nameOf(), name: 'Grace' },
      [],
      'text',
      null,
    ])
      expect((await call('POST', '/Users', body)).json, JSON.stringify(body)).toMatchObject({ status: '400' });
    const { json, headers } = await call('POST', '/Users', { userName: nameOf() });
    const path = `/Users/${String(json['id'])}`;
    const change = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'displayName', value: 'New' }] };
    expect((await call('PATCH', path, change, { 'if-match': 'W/"99"' })).status).toBe(412);
    expect((await call('PATCH', path, change, { 'if-match': '*' })).status).toBe(200);
    expect((await call('DELETE', path, undefined, { 'if-match': String(headers['etag']) })).status).toBe(412);
    for (const operation of [
      { op: 'replace', path: 'emails[value eq "nobody@walk.example"].type', value: 'home' },
      { op: 'remove', path: 'userName' },
      { op: 'add' },
      { path: 'active', value: true },
    ])
      expect((await patch(path, operation)).status, JSON.stringify(operation)).toBe(400);
    expect(
      (await patch(path, ...Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'displayName', value: 'x' })))).json,
    ).toMatchObject({ scimType: 'tooMany' });
  });
});

describe('thousands', () => {
  let ids: string[] = [];
  beforeAll(async () => {
    const rows = await world.system.db.query<{ id: string }>({
      text: `with p as (insert into person (name, user_name) select 'Crew ' || n, 'crew' || n || '@walk.example' from generate_series(1, ${peopleOfGroup}) n returning person_id, user_name)
        insert into provisioned_person (person_id, directory_id, user_name, profile, active) select person_id, $1, user_name, '{}', true from p returning person_id as id`,
      values: [directoryId],
    });
    ids = rows.map(({ id }) => id);
  });

  it('are paged without a gap or a repeat', async () => {
    const filter = encodeURIComponent('userName sw "crew"');
    const page = (more: string) => call('GET', `/Users?filter=${filter}&excludedAttributes=groups&${more}`);
    const read: string[] = [];
    for (let start = 1; start <= 2_000; start += 200) read.push(...idsOf(await page(`startIndex=${start}&count=200`)));
    expect(new Set(read).size).toBe(2_000);
    for (const [more, itemsPerPage] of [
      ['startIndex=0&count=2', 2],
      ['startIndex=-5&count=1', 1],
      ['count=0', 0],
      ['count=-1', 0],
      ['count=5000', 200],
      ['startIndex=5001', 0],
      ['startIndex=99999999999&count=3', 0],
      ['startIndex=4999&count=99999999999', 2],
      ['sortBy=userName&sortOrder=descending&count=1', 1],
    ] as const)
      expect((await page(more)).json, more).toMatchObject({ totalResults: peopleOfGroup, itemsPerPage });
    expect((await page('count=many')).json).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it('are members of one group, which changes by single ones', async () => {
    const displayName = 'Whole crew';
    const created = await call('POST', '/Groups?excludedAttributes=members', {
      schemas: [groupSchema],
      displayName,
      members: ids.map((value) => ({ value })),
    });
    expect([created.status, created.json['members']]).toEqual([201, undefined]);
    const path = `/Groups/${String(created.json['id'])}`;
    const members = async () => ((await call('GET', path)).json['members'] as { value: string }[]).map(({ value }) => value);
    expect((await members()).length).toBe(peopleOfGroup);
    const [first, second, third] = ids as [string, string, string];
    await patch(path, { op: 'Remove', path: `members[value eq "${first}"]` });
    await patch(path, { op: 'remove', path: 'members', value: [{ value: second, $ref: null }] });
    await patch(path, { op: 'Add', path: 'members', value: [{ value: first, display: 'Again' }, { value: third }] });
    expect((await members()).toSorted()).toEqual(ids.filter((id) => id !== second).toSorted());
    const find = async (filter: string) =>
      (await call('GET', `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`)).json;
    expect(await find(`displayName eq "WHOLE CREW" and members.value eq "${first}"`)).toMatchObject({
      totalResults: 1,
      Resources: [{ displayName }],
    });
    expect(await find(`members eq "${second}"`)).toMatchObject({ totalResults: 0 });
    expect((await call('GET', `/Users/${first}`)).json).toMatchObject({ groups: [{ value: created.json['id'], display: displayName }] });
    expect((await call('POST', '/Groups', { displayName: 'whole CREW' })).json).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect(
      (await call('POST', '/Groups', { displayName: 'Nested', members: [{ value: created.json['id'], type: 'Group' }] })).json,
    ).toMatchObject({ status: '400' });
    await patch(path, { op: 'replace', path: 'members', value: [{ value: third }] });
    const small = await call('GET', path);
    await conformsToSchemas(small);
    expect(await members()).toEqual([third]);
    await patch(path, { op: 'remove', path: 'members' });
    expect((await call('GET', path)).json['members'] ?? []).toEqual([]);
    expect((await call('DELETE', path)).status).toBe(204);
    const again = await call('POST', '/Groups', { schemas: [groupSchema], displayName });
    expect([again.status, again.json['id'] === created.json['id']]).toEqual([201, false]);
  });
});
