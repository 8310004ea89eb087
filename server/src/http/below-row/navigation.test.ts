/** Paths below a row, named keys, and what an address allows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { allActions } from '../../testing/all-actions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let unit: number;
let noteId: string;
let foreignNote: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('North'));
  me = holder([tenantId]);
  const insert = async (title: string, details: readonly string[]): Promise<{ unit: number; notes: string[] }> => {
    const [row] = await world.system.db.query<{ id: number }>({
      text: `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, $2, 1, 'test', 'test') returning work_unit_id as id`,
      values: [tenantId, title],
    });
    const notes = await world.system.db.query<{ id: string }>({
      text: `insert into work_unit_note (work_unit_id, tenant_id, detail, created_by, correlation_id)
        select $1, $2, detail, 'test', uuidv7() from unnest($3::text[]) detail returning work_unit_note_id::text as id`,
      values: [row?.id, tenantId, details],
    });
    return { unit: row?.id ?? 0, notes: notes.map(({ id }) => id) };
  };
  const pump = await insert('Pump', ['First', 'Second', 'Third']);
  [unit, noteId] = [pump.unit, pump.notes[0] ?? ''];
  foreignNote = (await insert('Gate', ['Other'])).notes[0] ?? '';
});
afterAll(() => world.close());

const read = (path: string, caller = me) => world.call(caller, 'GET', path);

describe('a path below a row', () => {
  it('leads to the one related row, with its ETag, and on from there', async () => {
    const answer = await read(`/v1/workUnits(${unit})/tenant`);
    expect([answer.status, answer.body['tenantId'], answer.body['name']]).toEqual([200, tenantId, 'North']);
    expect(answer.body['@odata.context']).toMatch(/#tenants\/\$entity$/);
    expect((await read(`/v1/workUnits(${unit})/tenant?$select=name`)).body).toMatchObject({ name: 'North' });
    expect((await read(`/v1/workUnits(${unit})/tenant/name/$value`)).text).toBe('North');
    expect((await read(`/v1/workUnits(${unit})/tenant/subscriptions/$count`)).text).toBe('1');
  });

  it('leads to the related rows alone, with the options of a list', async () => {
    const all = await read(`/v1/workUnits(${unit})/notes?$orderby=detail&$select=detail&$count=true`);
    expect(all.body).toMatchObject({ '@odata.count': 3, value: [{ detail: 'First' }, { detail: 'Second' }, { detail: 'Third' }] });
    const paged = await world.call(me, 'GET', `/v1/workUnits(${unit})/notes?$orderby=detail`, undefined, { prefer: 'maxpagesize=2' });
    const rest = await read(String(paged.body['@odata.nextLink']).replace('http://localhost', ''));
    expect(rest.body.value?.map((row) => row['detail'])).toEqual(['Third']);
    expect((await read(`/v1/workUnits(${unit})/notes/$count?$filter=detail ne 'First'`)).text).toBe('2');
  });

  it('leads to one of the related rows, and to no other', async () => {
    expect((await read(`/v1/workUnits(${unit})/notes(${noteId})`)).body['detail']).toBe('First');
    expect((await read(`/v1/workUnits(${unit})/notes(workUnitNoteId=${noteId})/detail`)).body['value']).toBe('First');
    expect((await read(`/v1/workUnits(${unit})/notes(${foreignNote})`)).status).toBe(404);
  });

  it('leads to a property, and to 204 where there is none', async () => {
    const answer = await read(`/v1/workUnits/${unit}/title`);
    expect(answer.body['value']).toBe('Pump');
    expect(answer.body['@odata.context']).toMatch(new RegExp(`#workUnits\\(${unit}\\)/title$`));
    const raw = await read(`/v1/workUnits(${unit})/title/$value`);
    expect([raw.text, raw.headers['content-type']]).toEqual(['Pump', 'text/plain; charset=utf-8']);
    for (const empty of ['assignedTo', 'assignedTo/$value', 'protocol'])
      expect((await read(`/v1/workUnits(${unit})/${empty}`)).status).toBe(204);
    expect((await read(`/v1/workUnits(${unit})/protocol/name`)).status).toBe(404);
  });

  it('has the permissions and the scope of both sides', async () => {
    const other = await world.tenant();
    expect((await read(`/v1/workUnits(${unit})/notes`, holder([other.tenantId]))).status).toBe(404);
    const some = holder([tenantId], [permission('WorkUnits', 'view')]);
    expect((await read(`/v1/workUnits(${unit})/tenant`, some)).status).toBe(403);
    expect((await read(`/v1/workUnits(${unit})/title`, some)).status).toBe(200);
    expect((await world.call(null, 'GET', `/v1/workUnits(${unit})/tenant`)).status).toBe(401);
  });

  it('says what is not there, not offered or not supported', async () => {
    for (const path of ['nothing', 'title/more', 'tenant/nothing', '$count'])
      expect([path, (await read(`/v1/workUnits(${unit})/${path}`)).status]).toEqual([path, 404]);
    expect((await read(`/v1/workUnits(${unit})/tenant/$ref`)).status).toBe(501);
    const post = await world.call(me, 'POST', `/v1/workUnits(${unit})/title`, {});
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('an address', () => {
  it('takes a key by its name', async () => {
    expect((await read(`/v1/workUnits(workUnitId=${unit})`)).body['title']).toBe('Pump');
    expect((await read(`/v1/tenants(tenantId=${tenantId})?$select=name`)).body['name']).toBe('North');
    expect((await read(`/v1/workUnits(title=${unit})`)).status).toBe(404);
  });

  it('names what it allows with a 405 and for OPTIONS', async () => {
    const allowed = async (method: 'DELETE' | 'OPTIONS', path: string) => {
      const { status, headers } = await world.call(me, method, path);
      return [status, headers['allow']];
    };
    expect(await allowed('DELETE', '/v1/workUnits')).toEqual([405, 'GET, HEAD, PATCH, POST, PUT']);
    expect(await allowed('DELETE', `/v1/workUnits(${unit})`)).toEqual([405, 'GET, HEAD, PATCH, POST']);
    expect(await allowed('OPTIONS', '/v1/locations')).toEqual([204, 'GET, HEAD, PATCH, POST, PUT']);
    expect(await allowed('DELETE', '/v1/$metadata')).toEqual([405, 'GET, HEAD']);
    expect(await allowed('DELETE', '/v1/workUnits/$count')).toEqual([405, 'GET, HEAD']);
    expect(await allowed('DELETE', '/v1/$batch')).toEqual([405, 'POST']);
    expect((await allowed('DELETE', '/v1/workUnits/$ref'))[0]).toBe(501);
    expect((await world.call(null, 'OPTIONS', '/v1/locations')).status).toBe(401);
    expect((await world.call(me, 'OPTIONS', '/v1/nothing')).status).toBe(404);
  });

  it('allows what its call does, also where a row could have the address as its key', async () => {
    const paths = Object.entries((await read('/v1/openapi.json')).body['paths'] as Record<string, Record<string, unknown>>);
    const words = paths.filter(([path]) => /^\/v1\/\w+\/[\w$]+$/.test(path));
    expect(words.length).toBeGreaterThan(100);
    const refused = new Set(['/v1/rules/backtest', '/v1/campaigns/start', '/v1/people/names', '/v1/locations/Export', '/v1/rules/$count']);
    const chosen = words.filter(([path]) => refused.delete(path));
    expect([...refused]).toEqual([]);
    for (const [path, calls] of chosen) {
      const methods = Object.keys(calls).map((method) => method.toUpperCase());
      const method = methods.includes('POST') ? 'GET' : 'PATCH';
      const { status, headers } = await world.call(me, method, path, method === 'GET' ? undefined : {});
      expect([path, status]).toEqual([path, 405]);
      expect(String(headers['allow']).split(', ')).toEqual(expect.arrayContaining(methods));
      expect((await world.call(me, 'OPTIONS', path)).headers['allow']).toBe(headers['allow']);
    }
  });
});

describe('a write below a row', () => {
  const write = (method: string, path: string, body?: unknown, headers = {}) => world.call(me, method, path, body, headers);

  it('adds a row to a related list, with the link of the address', async () => {
    const added = await write('POST', `/v1/workUnits(${unit})/notes`, { detail: 'By its address.' });
    expect([added.status, added.body['workUnitId'], added.headers['location']]).toEqual([
      201,
      unit,
      expect.stringMatching(/\/v1\/workUnitNotes\(\d+\)$/),
    ]);
    const key = { 'idempotency-key': crypto.randomUUID() };
    me = { ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'one', scopes: [] } };
    const [first, again] = [1, 2].map(() => write('POST', `/v1/workUnits/${unit}/notes`, { detail: 'Once.', workUnitId: unit }, key));
    expect((await again)?.body['workUnitNoteId']).toBe((await first)?.body['workUnitNoteId']);
    const text = { 'content-type': 'application/json;IEEE754Compatible=true' };
    const bound = { detail: 'Both.', workUnitId: String(unit), 'workUnit@odata.bind': `workUnits(${unit})` };
    expect((await write('POST', `/v1/workUnits(${unit})/notes`, bound, text)).status).toBe(201);
  });

  it('refuses a body that names another row, and what cannot be added to', async () => {
    for (const body of [
      { detail: 'X', workUnitId: unit + 1 },
      { detail: 'X', 'workUnit@odata.bind': `workUnits(${unit + 1})` },
    ]) {
      const { status, body: refused } = await write('POST', `/v1/workUnits(${unit})/notes`, body);
      expect([status, refused['error']]).toMatchObject([400, { target: 'workUnitId', message: expect.stringContaining('by the address') }]);
    }
    expect((await write('POST', `/v1/workUnits(${unit})/notes`, {})).body['error']).toMatchObject({
      message: 'Please enter the text of the note.',
    });
    const { status, headers } = await write('POST', `/v1/workUnits(${unit})/tenant`, { name: 'x' });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await write('OPTIONS', `/v1/workUnits(${unit})/notes`)).headers['allow']).toBe('GET, HEAD, POST');
    expect((await write('PATCH', `/v1/workUnits(${unit})/notes(${noteId})`, { detail: 'x' })).status).toBe(405);
    expect((await world.call(holder([crypto.randomUUID()]), 'POST', `/v1/workUnits(${unit})/notes`, { detail: 'x' })).status).toBe(404);
    const reader = holder([tenantId], [permission('WorkUnits', 'view')]);
    expect((await world.call(reader, 'POST', `/v1/workUnits(${unit})/notes`, { detail: 'x' })).status).toBe(403);
  });

  it('changes and deletes a row of a related list, and no other', async () => {
    const home = await world.tenant();
    const { subscriptionId: other } = await world.tenant();
    me = holder('all');
    const list = `/v1/subscriptions(${home.subscriptionId})/devices`;
    const { body } = await write('POST', list, { name: 'relay-1', tenantId: home.tenantId });
    expect(body['subscriptionId']).toBe(home.subscriptionId);
    const row = `${list}(${String(body['deviceId'])})`;
    expect((await write('PATCH', row.replace(home.subscriptionId, other), { name: 'x' })).status).toBe(404);
    expect((await write('DELETE', row.replace(home.subscriptionId, other))).status).toBe(404);
    expect((await write('PATCH', row, { name: 'relay-2' })).body['name']).toBe('relay-2');
    expect((await write('DELETE', row)).status).toBe(204);
  });

  it('is offered for each related list whose rows can be created, as the model says', async () => {
    const model = (await world.call(me, 'GET', '/v1/$metadata?$format=json')).body as unknown as {
      CloudFit: {
        Container: Record<
          string,
          Record<string, { RestrictedProperties: { NavigationProperty: string; InsertRestrictions: { Insertable: boolean } }[] }>
        >;
      };
    };
    for (const [set, annotations] of Object.entries(model.CloudFit.Container))
      for (const { NavigationProperty: name, InsertRestrictions } of annotations['@Capabilities.NavigationRestrictions']
        ?.RestrictedProperties ?? []) {
        const { headers } = await write('OPTIONS', `/v1/${set}(1)/${name}`);
        // An action may have the address, and takes what its declaration says.
        const isOfSet = new RegExp(`^/v1/${set}[(/]\\{\\w+\\}\\)?/${name}$`, 'i');
        const isAction = allActions().some(({ method, path }) => method === 'POST' && isOfSet.test(path));
        expect([set, name, String(headers['allow']).includes('POST')]).toEqual([set, name, InsertRestrictions.Insertable || isAction]);
      }
  });
});
