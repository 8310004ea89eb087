/** SCIM as Entra ID, Okta and the examples of RFC 7644 use it, over HTTP. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { findLinkOwner } from '../../auth/sign-in/one-time-link.ts';
import { createUser } from '../../features/directories/scim/users.ts';
import { ensureShippedSets, shippedSets } from '../../auth/shipped.ts';
import { presentAccess } from '../../auth/people.ts';

let world: TestWorld;
let tenantId: string;
let elsewhereId: string;
let directoryId: string;
let token: string;

type Json = Record<string, unknown> & { id?: string };

const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

async function scim(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<WorldReply & { json: Json }> {
  const reply = await world.call(null, method, `/scim/v2${path}`, body, {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
    ...headers,
  });
  return { ...reply, json: (reply.text === '' ? {} : JSON.parse(reply.text)) as Json };
}

async function directory(prefix: string, more: object = {}): Promise<{ id: string; token: string }> {
  const admin = holder('all');
  const created = await world.call(admin, 'PUT', '/v1/directories', { name: prefix, prefix, kind: 'None', tenantIds: [tenantId], ...more });
  expect(created.status, created.text).toBeLessThan(300);
  const id = String(created.body['directoryId']);
  const { body } = await world.call(admin, 'PUT', `/v1/directories/${id}/token`, {});
  return { id, token: String(body['generatedToken']) };
}

async function add(userName: string, more: object = {}): Promise<Json & { id: string }> {
  const { status, json, text } = await scim('POST', '/Users', { schemas: [user], userName, ...more });
  expect(status, text).toBe(201);
  return { ...json, id: String(json.id) };
}

const access = async (id: string) => presentAccess(world.system.db, id);

beforeAll(async () => {
  world = await createWorld();
  await ensureShippedSets(world.system.db);
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: elsewhereId } = await world.tenant('Southwind'));
  ({ id: directoryId, token } = await directory('contoso', { mailDomains: ['contoso.com'] }));
});
afterAll(() => world.close());

describe('the token', () => {
  it('is needed, whole, and dead when a new one is made', async () => {
    const get = (authorization?: string) => world.call(null, 'GET', '/scim/v2/Users', undefined, authorization ? { authorization } : {});
    const none = await get();
    expect(none.status).toBe(401);
    expect(JSON.parse(none.text)).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' });
    expect((await get(`Bearer ${token.slice(0, -1)}`)).text).toContain('copied whole');
    const other = await directory('renewed');
    const { body } = await world.call(holder('all'), 'PUT', `/v1/directories/${other.id}/token`, { days: 1 });
    expect((await get(`Bearer ${other.token}`)).status).toBe(401);
    expect((await get(`Basic ${Buffer.from(`okta:${String(body['generatedToken'])}`).toString('base64')}`)).status).toBe(200);
    await world.system.db.query({
      text: "update directory set token_expires_on = now() - interval '1 second' where directory_id = $1",
      values: [other.id],
    });
    expect((await get(`Bearer ${String(body['generatedToken'])}`)).text).toContain('has ended');
    expect((await world.call(holder('all'), 'DELETE', `/v1/directories/${other.id}/token`)).body).toEqual({ ended: true });
    // It is no token of the API, and one of the API is none here.
    expect((await world.call(null, 'GET', '/v1/people', undefined, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('is made by those alone who may edit people in all tenants', async () => {
    expect((await world.call(holder([tenantId]), 'PUT', `/v1/directories/${directoryId}/token`, {})).status).toBe(403);
    expect((await world.call(holder([elsewhereId]), 'PUT', `/v1/directories/${directoryId}/token`, {})).status).toBe(403);
    expect((await world.call(null, 'PUT', `/v1/directories/${directoryId}/token`, {})).status).toBe(401);
  });

  it('reaches the people of its directory only', async () => {
    const mine = await add('mine@contoso.com');
    const other = await directory('fabrikam');
    const answer = await scim('GET', `/Users/${mine.id}`, undefined, { authorization: `Bearer ${other.token}` });
    expect(answer.status).toBe(404);
    expect((await scim('DELETE', `/Users/${mine.id}`, undefined, { authorization: `Bearer ${other.token}` })).status).toBe(404);
    const group = await scim(
      'POST',
      '/Groups',
      { displayName: 'Theirs', members: [{ value: mine.id }] },
      { authorization: `Bearer ${other.token}` },
    );
    expect(group.json).toMatchObject({ status: '400', scimType: 'invalidValue' });
    // A person of another directory, or of none, is never taken over by a name, and nobody learns that the name exists.
    await world.system.db.query({
      text: `insert into person (name, user_name, email, email_verified) select 'Local', a, a, true from unnest(array['local@example.com', 'local@contoso.com']) a`,
    });
    for (const userName of ['MINE@contoso.com', 'Local@example.com', 'future@contoso.com']) {
      const created = await scim('POST', '/Users', { userName }, { authorization: `Bearer ${other.token}` });
      expect(created.json, userName).toMatchObject({ userName });
      expect(await access(String(created.json.id))).toMatchObject({ actor: { userName: `${userName} (fabrikam)` } });
    }
    // Of its mail domains a directory learns it, so that somebody moves the person.
    expect((await scim('POST', '/Users', { userName: 'Local@contoso.com' })).json).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
      detail: expect.stringContaining('person adopt') as string,
    });
  });
});

describe('documents', () => {
  it('say what is supported', async () => {
    expect((await scim('GET', '/ServiceProviderConfig')).json).toMatchObject({
      patch: { supported: true },
      filter: { supported: true },
      bulk: { supported: false },
    });
    expect((await scim('GET', '/ResourceTypes')).json).toMatchObject({ totalResults: 2 });
    expect((await scim('GET', '/ResourceTypes/User')).json).toMatchObject({ endpoint: '/Users', schema: user });
    expect((await scim('GET', `/Schemas/${user}`)).json).toMatchObject({ id: user, name: 'User' });
    const { headers, status } = await scim('GET', '/Schemas');
    expect([status, headers['content-type']]).toEqual([200, 'application/scim+json; charset=utf-8']);
    expect((await scim('POST', '/Bulk', {})).status).toBe(501);
    expect((await scim('PUT', '/Schemas', {})).status).toBe(405);
    expect((await scim('GET', '/Usr')).json).toMatchObject({ status: '404', detail: expect.stringContaining('/Users') as string });
  });
});

describe('a mail to new people', () => {
  const mails = (to: string) =>
    world.system.db.query<{ payload: { text: string; link: string } }>({
      text: "select payload from job where name = 'send-mail' and payload ->> 'to' = $1",
      values: [to],
    });
  const sendsMails = { mailDomains: ['mails.test'], tellNewPeople: true };

  it('says how they sign in, once, and goes to addresses of the directory alone', async () => {
    const { token: other } = await directory('mails', sendsMails);
    const make = (userName: string, more: object = {}) =>
      scim('POST', '/Users', { userName, displayName: 'Ada', ...more }, { authorization: `Bearer ${other}` });
    const ada = await make('ada@mails.test');
    const [mail, ...more] = await mails('ada@mails.test');
    expect(mail?.payload).toMatchObject({
      text: 'Ada, mails has given you access to CloudFit. You sign in as ada@mails.test, as usual in your organisation:',
      link: '/',
    });
    expect(more).toEqual([]);
    // Who comes back has been told before.
    await scim('DELETE', `/Users/${String(ada.json.id)}`, undefined, { authorization: `Bearer ${other}` });
    expect((await make('ada@mails.test')).status).toBe(201);
    expect(await mails('ada@mails.test')).toHaveLength(1);
    const late = await make('late@mails.test', { active: false });
    expect(await mails('late@mails.test')).toEqual([]);
    const activate = { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: true } }] };
    await scim('PATCH', `/Users/${String(late.json.id)}`, activate, { authorization: `Bearer ${other}` });
    expect(await mails('late@mails.test')).toHaveLength(1);
    await make('bob@mails.test', { active: false });
    await make('eve', { emails: [{ value: 'eve@elsewhere.test' }] });
    await add('carl@contoso.com');
    for (const address of ['bob@mails.test', 'eve@elsewhere.test', 'carl@contoso.com']) expect(await mails(address), address).toEqual([]);
  });

  it('has a link to set a password where people have one here', async () => {
    const { id } = await directory('links', { ...sendsMails, mailDomains: ['links.test'] });
    const call = {
      db: world.system.db,
      directory: { directoryId: id, name: 'links', prefix: 'links', kind: 'None', mailDomains: ['links.test'], tellsNewPeople: true },
      base: 'https://ops.example/scim/v2',
      publicUrl: 'https://ops.example',
      hasPasswords: true,
      correlationId: randomUUID(),
      address: undefined,
    } as const;
    await createUser(call, { userName: 'ada@links.test' });
    const [mail] = await mails('ada@links.test');
    expect(mail?.payload.text).toContain('this link is good once, and for 7 days');
    const linkToken = mail?.payload.link.split('/').at(-1) ?? '';
    expect(await findLinkOwner(world.system.db, linkToken)).toMatchObject({ userName: 'ada@links.test' });
    const [valid] = await world.system.db.query<{ days: number }>({
      text: `select round(extract(epoch from l.expires_on - now()) / 86400)::int as days from one_time_link l join person p using (person_id)
        where p.user_name = 'ada@links.test'`,
    });
    expect(valid?.days).toBe(7);
  });
});

describe('users', () => {
  it('live through the tests of Okta: create, find, update, deactivate, again', async () => {
    const name = `runscope${randomUUID().slice(0, 8)}@contoso.com`;
    const find = () => scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}&startIndex=1&count=100`);
    expect((await find()).json).toMatchObject({ totalResults: 0, Resources: [] });
    const created = await add(name, {
      name: { givenName: 'Run', familyName: 'Scope' },
      emails: [{ primary: true, value: name, type: 'work' }],
      displayName: 'Run Scope',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    expect(created).toMatchObject({ userName: name, active: true, name: { familyName: 'Scope' }, meta: { resourceType: 'User' } });
    expect((await scim('POST', '/Users', { userName: name.toUpperCase() })).json).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect((await find()).json).toMatchObject({ totalResults: 1, itemsPerPage: 1, startIndex: 1, Resources: [{ id: created.id }] });
    const put = await scim('PUT', `/Users/${created.id}`, {
      ...created,
      name: { givenName: 'Another', familyName: 'Scope' },
      displayName: 'Another Scope',
    });
    expect(put.json).toMatchObject({ id: created.id, name: { givenName: 'Another' } });
    const off = await scim('PATCH', `/Users/${created.id}`, {
      schemas: [patchOp],
      Operations: [{ op: 'replace', value: { active: false } }],
    });
    expect(off.json).toMatchObject({ active: false });
    expect(await access(created.id)).toMatchObject({ enabled: false });
    await scim('PATCH', `/Users/${created.id}`, { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: true } }] });
    expect(await access(created.id)).toMatchObject({ enabled: true, actor: { name: 'Another Scope', userName: name } });
    expect((await scim('GET', `/Users/${randomUUID()}`)).json).toMatchObject({ status: '404' });
    expect((await scim('GET', '/Users/nothing')).json).toMatchObject({ status: '404' });
    const audit = await world.system.db.query<{ verb: string; actor_name: string }>({
      text: "select verb, actor_name from audit where entity = 'people' and entity_id = $1 order by audit_id",
      values: [created.id],
    });
    expect(audit.map(({ verb, actor_name: by }) => `${verb} by ${by}`)).toEqual(
      ['create', 'update', 'update', 'update'].map((verb) => `${verb} by contoso`),
    );
  });

  it('take the patches of Entra ID', async () => {
    const created = await add(`entra${randomUUID().slice(0, 8)}@contoso.com`, {
      externalId: 'a1',
      active: 'True',
      emails: [{ primary: true, type: 'work', value: 'first@contoso.com' }],
      name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Engines' },
    });
    const patch = (...Operations: object[]) => scim('PATCH', `/Users/${created.id}`, { schemas: [patchOp], Operations });
    const many = await patch(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'second@contoso.com' },
      { op: 'Add', path: 'name.formatted', value: 'Ada King' },
      { op: 'Replace', path: 'displayName', value: 'Ada K.' },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Looms' },
      { op: 'Replace', path: 'Active', value: 'False' },
    );
    expect(many.status, many.text).toBe(200);
    expect(many.json).toMatchObject({
      active: false,
      displayName: 'Ada K.',
      name: { formatted: 'Ada King', familyName: 'Lovelace' },
      emails: [{ value: 'second@contoso.com' }],
    });
    expect(
      (
        await patch({
          op: 'Add',
          value: { active: 'true', 'name.givenName': 'Augusta', 'emails[type eq "work"].value': 'third@contoso.com' },
        })
      ).json,
    ).toMatchObject({
      active: true,
      name: { givenName: 'Augusta' },
      emails: [{ type: 'work', value: 'third@contoso.com' }],
    });
    expect((await patch({ op: 'Add', path: 'emails[type eq "home"].value', value: 'home@example.org' })).json).toMatchObject({
      emails: [{ type: 'work' }, { type: 'home', value: 'home@example.org' }],
    });
    expect((await patch({ op: 'Remove', path: 'emails[type eq "home"]' })).json['emails']).toHaveLength(1);
    expect((await patch({ op: 'remove', path: 'displayName' })).json['displayName']).toBeUndefined();
    const [row] = await world.system.db.query<{ name: string; email: string | null; email_verified: boolean }>({
      text: 'select name, email, email_verified from person where person_id = $1',
      values: [created.id],
    });
    expect(row).toEqual({ name: 'Augusta King', email: 'third@contoso.com', email_verified: true });
  });

  it('are changed whole: the name with its parts, one primary address, values by any case, nothing twice', async () => {
    const whole = {
      name: { formatted: 'Ada Byron', givenName: 'Ada', familyName: 'Byron' },
      emails: [
        { value: 'work@contoso.com', type: 'work', primary: true },
        { value: 'home@contoso.com', type: 'home' },
      ],
    };
    const after = async (operation: object, more: object = whole) => {
      const { id } = await add(`whole${randomUUID().slice(0, 8)}@contoso.com`, more);
      const { status, json, text } = await scim('PATCH', `/Users/${id}`, { Operations: [operation] });
      expect(status, text).toBe(200);
      return json;
    };
    const nameOf = async (operation: object, more?: object) => ((await after(operation, more))['name'] as { formatted?: string }).formatted;
    const married = { op: 'replace', path: 'name.familyName', value: 'King' };
    expect(await nameOf(married)).toBe('Ada King');
    expect(await nameOf({ op: 'replace', value: { Name: { FamilyName: 'King' } } })).toBe('Ada King');
    expect(await nameOf(married, { name: { ...whole.name, formatted: 'Byron, Dr. Ada' } })).toBe('King, Dr. Ada');
    expect(await nameOf({ op: 'remove', path: 'name.givenName' })).toBe('Byron');
    expect(await nameOf({ op: 'replace', path: 'name', value: { formatted: 'A. King', familyName: 'King' } })).toBe('A. King');

    const emailsOf = async (operation: object) =>
      ((await after(operation))['emails'] as { value: string; primary?: boolean }[]).map(
        ({ value, primary }) => `${value.split('@')[0]}${primary ? '!' : ''}`,
      );
    expect(await emailsOf({ op: 'add', path: 'emails', value: { value: 'new@contoso.com', primary: true } })).toEqual([
      'work',
      'home',
      'new!',
    ]);
    expect(await emailsOf({ op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' })).toEqual(['work', 'home!']);
    expect(await emailsOf({ op: 'replace', path: 'emails[Type eq "WORK"].Value', value: 'w@contoso.com' })).toEqual(['w!', 'home']);
    expect(await emailsOf({ op: 'remove', path: 'emails[value eq "HOME@contoso.com"]' })).toEqual(['work!']);
    expect(await emailsOf({ op: 'remove', path: 'emails', value: [{ value: 'home@contoso.com' }] })).toEqual(['work!']);
    expect(await emailsOf({ op: 'add', path: 'emails', value: [{ value: 'home@contoso.com' }] })).toEqual(['work!', 'home']);
    expect(await emailsOf({ op: 'replace', path: 'emails', value: { value: 'only@contoso.com' } })).toEqual(['only']);
  });

  it('get no access by a state that is left out', async () => {
    const { id, userName } = await add(`out${randomUUID().slice(0, 8)}@contoso.com`, { active: false });
    expect((await scim('PUT', `/Users/${id}`, { userName })).json).toMatchObject({ active: false });
    expect((await scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'remove', path: 'active' }] })).json).toMatchObject({ active: false });
    expect((await access(id))?.enabled).toBe(false);
    expect((await scim('PUT', `/Users/${id}`, { userName, active: true })).json).toMatchObject({ active: true });
  });

  it('refuse patches that mean nothing, and say why', async () => {
    const created = await add(`wrong${randomUUID().slice(0, 8)}@contoso.com`);
    const patch = async (body: unknown) => (await scim('PATCH', `/Users/${created.id}`, body)).json;
    expect(await patch({ schemas: [patchOp] })).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect(await patch({ Operations: [{ op: 'move', path: 'active' }] })).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect(await patch({ Operations: [{ op: 'remove' }] })).toMatchObject({ status: '400', scimType: 'noTarget' });
    expect(await patch({ Operations: [{ op: 'replace', path: 'active', value: 'maybe' }] })).toMatchObject({
      status: '400',
      scimType: 'invalidValue',
    });
    expect(await patch({ Operations: [{ op: 'replace', path: 'emails[type eq', value: 'x' }] })).toMatchObject({ status: '400' });
    expect(await patch({ Operations: [{ op: 'remove', path: 'userName' }] })).toMatchObject({
      status: '400',
      detail: 'userName is required.',
    });
    expect(await patch({ Operations: [{ op: 'add', path: '__proto__.polluted', value: 'yes' }] })).toMatchObject({
      scimType: 'invalidPath',
    });
    expect(await patch({ Operations: [{ op: 'add', path: 'constructor.prototype', value: 'yes' }] })).toMatchObject({ id: created.id });
    expect(
      await patch({
        Operations: [{ op: 'add', value: JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":1}}') as unknown }],
      }),
    ).toMatchObject({ id: created.id });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await scim('POST', '/Users', 'no json')).json).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect(
      (
        await scim('POST', '/Users', {
          userName: 'x',
          emails: [
            { value: 'a@b', primary: true },
            { value: 'c@d', primary: true },
          ],
        })
      ).json,
    ).toMatchObject({ status: '400' });
  });

  it('follow versions', async () => {
    const created = await add(`version${randomUUID().slice(0, 8)}@contoso.com`);
    const { headers } = await scim('GET', `/Users/${created.id}`);
    const etag = String(headers['etag']);
    expect((await scim('GET', `/Users/${created.id}`, undefined, { 'if-none-match': etag })).status).toBe(304);
    const body = { Operations: [{ op: 'replace', path: 'displayName', value: 'Two' }] };
    expect((await scim('PATCH', `/Users/${created.id}`, body, { 'if-match': etag })).status).toBe(200);
    expect((await scim('PATCH', `/Users/${created.id}`, body, { 'if-match': etag })).json).toMatchObject({ status: '412' });
    const same = await scim('PATCH', `/Users/${created.id}`, body);
    // What changes nothing makes no version.
    expect(same.headers['etag']).toBe('W/"2"');
  });

  it('are filtered and paged', async () => {
    const other = await directory('pages');
    const call = (path: string, method = 'GET', body?: unknown) => scim(method, path, body, { authorization: `Bearer ${other.token}` });
    for (const [n, name] of ['ann', 'bob', 'cid', "d'or"].entries())
      await call('/Users', 'POST', {
        userName: `${name}@pages.test`,
        externalId: `X${n}`,
        displayName: name,
        active: n !== 2,
        emails: [{ value: `${name}@mail.test`, type: n % 2 ? 'home' : 'work' }],
      });
    const names = async (filter: string) => {
      const { json, status } = await call(`/Users?filter=${encodeURIComponent(filter)}`);
      return status === 200
        ? (json['Resources'] as { displayName: string }[]).map(({ displayName }) => displayName).join()
        : `${json['scimType'] as string}: ${json['detail'] as string}`;
    };
    expect(await names('userName eq "ANN@pages.test"')).toBe('ann');
    expect(await names('externalId eq "X1"')).toBe('bob');
    expect(await names('externalId eq "x1"')).toBe('');
    expect(await names(`userName sw "d'or"`)).toBe("d'or");
    expect(await names('active eq false')).toBe('cid');
    expect(await names('not (active eq false) and (displayName co "b" or displayName sw "a")')).toBe('ann,bob');
    expect(await names('emails[type eq "home" and value co "bob"]')).toBe('bob');
    expect(await names('emails[type eq "work"].value eq "ann@mail.test"')).toBe('ann');
    expect(await names('emails.value eq "cid@mail.test"')).toBe('cid');
    expect(
      await names('urn:ietf:params:scim:schemas:core:2.0:User:userName ew "@pages.test" and meta.lastModified gt "2011-05-13T04:42:34Z"'),
    ).toBe("ann,bob,cid,d'or");
    expect(await names('externalId pr and name.familyName pr')).toBe('');
    expect(await names('userName ne "ann@pages.test" and active ne "False"')).toBe("bob,d'or");
    expect(await names('nickName eq "x"')).toMatch(/^invalidFilter: nickName cannot be filtered/);
    expect(await names('userName eq')).toMatch(/^invalidFilter: /);
    expect(await names('userName eq "x" or')).toMatch(/^invalidFilter: /);
    expect(await names(`userName eq "x'; drop table person; --"`)).toBe('');
    const page = (await call('/Users?startIndex=2&count=2&attributes=userName')).json;
    expect(page).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2 });
    expect(Object.keys((page['Resources'] as object[])[0] ?? {}).toSorted()).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect((await call('/Users?count=0')).json).toMatchObject({ totalResults: 4, Resources: [] });
    expect((await call('/Users?startIndex=-5&count=-1')).json).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
    expect((await call('/Users?count=x')).json).toMatchObject({ status: '400' });
    expect(
      (await call('/Users/.search', 'POST', { filter: 'displayName eq "bob"', startIndex: 1, count: 10, attributes: ['userName'] })).json,
    ).toMatchObject({ totalResults: 1 });
  });

  it('lose access when they are removed, and get it back with the same row', async () => {
    const name = `gone${randomUUID().slice(0, 8)}@contoso.com`;
    const created = await add(name);
    expect((await scim('DELETE', `/Users/${created.id}`)).status).toBe(204);
    expect((await scim('DELETE', `/Users/${created.id}`)).status).toBe(404);
    expect((await scim('GET', `/Users?filter=userName eq "${name}"`)).json).toMatchObject({ totalResults: 0 });
    expect(await access(created.id)).toMatchObject({ enabled: false });
    expect((await add(name)).id).toBe(created.id);
    expect(await access(created.id)).toMatchObject({ enabled: true });
  });

  it('stay disabled when an administrator has disabled them here', async () => {
    const created = await add(`blocked${randomUUID().slice(0, 8)}@contoso.com`);
    await world.call(holder('all'), 'POST', `/v1/people/${created.id}`, { enabled: false });
    await scim('PATCH', `/Users/${created.id}`, {
      Operations: [
        { op: 'Replace', path: 'active', value: 'True' },
        { op: 'replace', path: 'displayName', value: 'Still off' },
      ],
    });
    expect(await access(created.id)).toMatchObject({ enabled: false, actor: { name: 'Still off' } });
  });
});

describe('groups', () => {
  it('give the rights that a grant gives to them, in the tenants of the directory', async () => {
    const ada = await add(`ada${randomUUID().slice(0, 8)}@contoso.com`);
    const bob = await add(`bob${randomUUID().slice(0, 8)}@contoso.com`);
    const created = await scim('POST', '/Groups', {
      displayName: 'Operators',
      externalId: 'g-1',
      members: [{ value: ada.id, display: 'Ada' }],
    });
    expect(created.status, created.text).toBe(201);
    expect(created.json).toMatchObject({ displayName: 'Operators', members: [{ value: ada.id, type: 'User' }] });
    const groupId = String(created.json.id);
    const grant = (tenant: string | null, by = holder('all')) =>
      world.call(by, 'PUT', '/v1/grants', { claim: 'contoso:Operators', permissionSetId: shippedSets.operator.id, tenantId: tenant });
    expect((await grant(elsewhereId)).body).toMatchObject({
      error: { details: [{ target: 'tenantId', message: expect.stringContaining('contoso') as string }] },
    });
    expect((await grant(null)).status).toBe(400);
    // Nobody maps a group to more than they have.
    expect((await grant(tenantId, holder([tenantId], ['CloudFit.CFS.People:view', 'CloudFit.CFS.People:create']))).status).toBe(400);
    expect((await grant(tenantId)).status).toBe(201);
    expect((await access(ada.id))?.permissions.get(tenantId)?.has('CloudFit.CFS.WorkUnits:edit')).toBe(true);
    expect((await access(bob.id))?.permissions.size).toBe(0);

    const patch = (...Operations: object[]) => scim('PATCH', `/Groups/${groupId}`, { schemas: [patchOp], Operations });
    expect((await patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: bob.id }] })).json['members']).toHaveLength(2);
    expect((await patch({ op: 'Add', path: 'members', value: [{ value: bob.id }] })).json['members']).toHaveLength(2);
    expect((await access(bob.id))?.permissions.get(tenantId)?.has('CloudFit.CFS.WorkUnits:edit')).toBe(true);
    expect((await scim('GET', `/Users/${bob.id}`)).json).toMatchObject({ groups: [{ value: groupId, display: 'Operators' }] });
    expect((await scim('GET', `/Groups?filter=${encodeURIComponent(`members.value eq "${bob.id}"`)}`)).json).toMatchObject({
      totalResults: 1,
    });
    expect(
      (await scim('GET', `/Groups?filter=${encodeURIComponent('displayName eq "operators"')}&excludedAttributes=members`)).json[
        'Resources'
      ],
    ).toEqual([expect.not.objectContaining({ members: expect.anything() as unknown })]);
    expect((await patch({ op: 'Remove', path: 'members', value: [{ value: bob.id }] })).json['members']).toHaveLength(1);
    expect((await patch({ op: 'remove', path: `members[value eq "${ada.id}"]` })).json['members']).toHaveLength(0);
    expect((await access(ada.id))?.permissions.size).toBe(0);
    await patch({ op: 'replace', path: 'members', value: [{ value: ada.id }] });
    expect((await patch({ op: 'replace', value: { displayName: 'Crew' } })).json).toMatchObject({
      displayName: 'Crew',
      members: [{ value: ada.id }],
    });
    // Another name is another group for the grants.
    expect((await access(ada.id))?.permissions.size).toBe(0);
    expect(
      (await scim('PUT', `/Groups/${groupId}`, { displayName: 'Operators', members: [{ value: ada.id }] })).json['externalId'],
    ).toBeUndefined();
    expect((await access(ada.id))?.permissions.size).toBe(1);
    expect((await patch({ op: 'remove', path: 'members' })).json['members']).toHaveLength(0);
    expect((await scim('POST', '/Groups', { displayName: 'OPERATORS' })).json).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect((await patch({ op: 'add', path: 'members', value: [{ value: randomUUID() }] })).json).toMatchObject({
      status: '400',
      scimType: 'invalidValue',
    });

    const listed = await world.call(holder('all'), 'GET', `/v1/directories/${directoryId}/groups`);
    expect(listed.body.value).toEqual([
      {
        group: 'Operators',
        claim: 'contoso:Operators',
        people: 0,
        grants: [expect.objectContaining({ permissionSet: 'Operator', tenantName: 'Northwind' })],
      },
    ]);
    expect((await scim('DELETE', `/Groups/${groupId}`)).status).toBe(204);
    expect((await scim('GET', `/Groups/${groupId}`)).status).toBe(404);
  });

  it('lose members by ids in any case', async () => {
    const displayName = `Desk ${randomUUID().slice(0, 8)}`;
    const people = [
      (await add(`one${randomUUID().slice(0, 8)}@contoso.com`)).id,
      (await add(`two${randomUUID().slice(0, 8)}@contoso.com`)).id,
    ];
    const { json: group } = await scim('POST', '/Groups', { displayName, members: people.map((value) => ({ value })) });
    const [one = '', two = ''] = people;
    await world.call(holder('all'), 'PUT', '/v1/grants', {
      claim: `contoso:${displayName}`,
      permissionSetId: shippedSets.operator.id,
      tenantId,
    });
    const hasRights = async (id: string) => ((await access(id))?.permissions.size ?? 0) > 0;
    expect([await hasRights(one), await hasRights(two)]).toEqual([true, true]);
    const patch = (operation: object) => scim('PATCH', `/Groups/${String(group.id)}`, { Operations: [operation] });
    await patch({ op: 'remove', path: `members[value eq "${one.toUpperCase()}"]` });
    expect([await hasRights(one), await hasRights(two)]).toEqual([false, true]);
    await patch({ op: 'remove', path: 'members', value: [{ value: two.toUpperCase(), display: 'Two' }] });
    expect(await hasRights(two)).toBe(false);
  });

  it('give nothing when the directory is disabled, and nothing outside its tenants however a grant came', async () => {
    const other = await directory('walled');
    const created = await scim('POST', '/Users', { userName: 'w@walled.test' }, { authorization: `Bearer ${other.token}` });
    const id = String(created.json.id);
    await world.system.db.query({
      text: 'insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, null), ($1, $2, $3), ($1, $2, $4)',
      values: [id, shippedSets.administrator.id, tenantId, elsewhereId],
    });
    expect([...((await access(id))?.permissions.keys() ?? [])]).toEqual([tenantId]);
    const last = await scim(
      'PATCH',
      `/Users/${id}`,
      { Operations: [{ op: 'replace', path: 'active', value: false }] },
      { authorization: `Bearer ${other.token}` },
    );
    expect(last.json).toMatchObject({ status: '409', detail: expect.stringContaining('without an administrator') as string });
    await world.call(holder('all'), 'POST', `/v1/directories/${other.id}`, { enabled: false });
    expect((await access(id))?.permissions.size).toBe(0);
    expect((await scim('GET', '/Users', undefined, { authorization: `Bearer ${other.token}` })).json).toMatchObject({ status: '403' });
  });
});
