/** Batches over HTTP: order, groups, dependencies, both forms. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '@cloudfit/contract/limits.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('North'));
  me = holder([tenantId]);
});
afterAll(() => world.close());

interface Answer {
  id: string;
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

async function batch(requests: readonly object[], caller = me, headers: Record<string, string> = {}): Promise<Answer[]> {
  const { status, body } = await world.call(caller, 'POST', '/v1/$batch', { requests }, headers);
  expect([status, body['error']]).toEqual([200, undefined]);
  return body['responses'] as Answer[];
}
const create = (id: string, name: string, more: object = {}) => ({
  id,
  method: 'POST',
  url: 'locations',
  body: { name, tenantId },
  ...more,
});
const names = async (prefix: string): Promise<unknown[]> =>
  (await world.call(me, 'GET', `/v1/locations?$filter=startswith(name,'${prefix}')&$orderby=name&$select=name`)).body.value?.map(
    (row) => row['name'],
  ) ?? [];

describe('a batch as JSON', () => {
  it('answers reads and writes in their order, by every spelling of an address', async () => {
    const answers = await batch([
      create('1', 'A yard'),
      { id: '2', method: 'GET', url: `http://localhost/v1/locations?$filter=name eq 'A yard'&$count=true` },
      { id: '3', method: 'GET', url: '/api/v1/tenants(' + tenantId + ')?$select=name' },
      { id: '4', method: 'PATCH', url: '$1', body: { city: 'Basel' } },
      { id: '5', method: 'GET', url: '$1/city/$value' },
      { id: '6', method: 'DELETE', url: '$1' },
    ]);
    expect(answers.map(({ id, status }) => [id, status])).toEqual([
      ['1', 201],
      ['2', 200],
      ['3', 200],
      ['4', 200],
      ['5', 200],
      ['6', 204],
    ]);
    expect(answers[0]?.headers['location']).toMatch(/\/v1\/locations\(/);
    expect(answers[1]?.body).toMatchObject({ '@odata.count': 1, value: [{ name: 'A yard' }] });
    expect(answers[2]?.body).toMatchObject({ name: 'North' });
    expect(answers[4]?.body).toBe('Basel');
    expect(answers[5]).not.toHaveProperty('body');
  });

  it('stops at a failure, unless the client wants it to go on', async () => {
    const requests = [{ id: 'bad', method: 'GET', url: 'locations?$filter=nothing eq 1' }, create('after', 'B yard')];
    expect((await batch(requests)).map(({ status }) => status)).toEqual([400]);
    expect(await names('B yard')).toEqual([]);
    expect((await batch(requests, me, { prefer: 'odata.continue-on-error' })).map(({ status }) => status)).toEqual([400, 201]);
  });

  it('takes a group together or not at all', async () => {
    const failed = await batch([
      create('1', 'C yard', { atomicityGroup: 'g' }),
      { ...create('2', ''), atomicityGroup: 'g' },
      create('3', 'C hall', { atomicityGroup: 'g' }),
    ]);
    expect(failed.map(({ id, status }) => [id, status])).toEqual([['2', 400]]);
    expect(await names('C ')).toEqual([]);
    const accepted = await batch([
      create('1', 'C yard', { atomicityGroup: 'g' }),
      { id: '2', method: 'POST', url: '$1', body: { name: 'C hall' }, atomicityGroup: 'g' },
    ]);
    expect(accepted.map(({ status }) => status)).toEqual([201, 200]);
    expect(await names('C ')).toEqual(['C hall']);
    const audit = await world.system.db.query({ text: "select verb from audit where after->>'name' like 'C %'" });
    expect(audit).toHaveLength(2);
  });

  it('names a row that a call before created, in the body of one after it', async () => {
    const body = { title: 'Bound', description: 'In a batch.', workUnitTypeId: 1, tenantId };
    const [unit, note] = await batch([
      { id: 'u', method: 'POST', url: 'workUnits', body, atomicityGroup: 'g' },
      {
        id: 'n',
        method: 'POST',
        url: 'workUnitNotes',
        body: { detail: '"x@odata.bind":"$u"', 'workUnit@odata.bind': '$u' },
        atomicityGroup: 'g',
      },
    ]);
    expect([unit?.status, note?.status]).toEqual([201, 201]);
    expect(note?.body).toMatchObject({ workUnitId: unit?.body['workUnitId'], detail: '"x@odata.bind":"$u"' });
  });

  it('answers 424 to what depends on a failure', async () => {
    const answers = await batch(
      [create('1', ''), create('2', 'D yard', { dependsOn: ['1'] }), create('3', 'D hall', { dependsOn: ['2'] }), create('4', 'D barn')],
      me,
      { prefer: 'continue-on-error=true' },
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 424, 424, 201]);
    expect(await names('D ')).toEqual(['D barn']);
  });

  it('refuses a call that depends on none before it, and names what cannot be read', async () => {
    const refused = async (requests: unknown) => {
      const { status, body } = await world.call(me, 'POST', '/v1/$batch', { requests });
      return [status, (body['error'] as { message: string }).message];
    };
    const text = (id: string) => `Call 2 depends on ${id}, which is not a call or group before it in the batch.`;
    for (const id of ['9', '2', '3'])
      expect(await refused([create('1', 'X'), create('2', 'X', { dependsOn: ['1', id] }), create('3', 'X')])).toEqual([400, text(id)]);
    expect(await refused([{ id: 1, method: 'GET', url: 'locations' }])).toEqual([
      400,
      'The batch cannot be read: requests.0.id must be text.',
    ]);
    expect(await refused(undefined)).toEqual([400, 'The batch cannot be read: requests is required.']);
    expect(await names('X')).toEqual([]);
    const inOrder = await batch([create('1', 'Z yard', { atomicityGroup: 'g' }), create('2', 'Z hall', { dependsOn: ['g'] })]);
    expect(inOrder.map(({ status }) => status)).toEqual([201, 201]);
  });

  it('has the rights and the scope of its caller, and no other addresses', async () => {
    const reader = holder([tenantId], [permission('Locations', 'view')]);
    const goOn = { prefer: 'continue-on-error' };
    const answers = await batch(
      [
        create('1', 'E yard'),
        { id: '2', method: 'GET', url: 'locations/$count' },
        { id: '3', method: 'GET', url: 'locations', headers: { authorization: 'Bearer other' } },
        { id: '4', method: 'GET', url: '/healthz' },
        { id: '5', method: 'GET', url: 'http://elsewhere/v1/locations' },
        { id: '6', method: 'POST', url: '/v1/$batch', body: { requests: [] } },
        { id: '7', method: 'TRACE', url: 'locations' },
      ],
      reader,
      goOn,
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 200, 200, 400, 400, 400, 400]);
    expect((await world.call(null, 'POST', '/v1/$batch', { requests: [] })).status).toBe(401);
  });

  it('refuses what it cannot read, and too much', async () => {
    for (const body of [{}, [], { requests: [{ id: '1' }] }, { requests: [create('1', 'F'), create('1', 'F')] }])
      expect((await world.call(me, 'POST', '/v1/$batch', body)).status).toBe(400);
    const many = Array.from({ length: limits.batchParts + 1 }, (_, i) => ({ id: String(i), method: 'GET', url: 'locations' }));
    expect((await world.call(me, 'POST', '/v1/$batch', { requests: many })).status).toBe(400);
    expect(await names('F')).toEqual([]);
  });
});

describe('a batch as multipart', () => {
  async function send(lines: readonly string[], end = '\r\n'): Promise<{ status: number; type: string; text: string }> {
    const { root, authorization } = await world.connect(me);
    const answer = await fetch(`${root}/$batch`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'multipart/mixed; boundary=b1' },
      body: lines.join(end),
    });
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
  }
  const post = (name: string) => ['POST locations HTTP/1.1', 'Content-Type: application/json', '', JSON.stringify({ name, tenantId })];
  const http = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary'];

  it.each(['\r\n', '\n'])('answers change sets and reads as UI5 and older clients send them', async (end) => {
    const yard = end === '\n' ? 'G hall' : 'G yard';
    const { status, type, text } = await send(
      [
        '--b1',
        'Content-Type: multipart/mixed; boundary=c1',
        '',
        '--c1',
        ...http,
        'Content-ID: 1',
        '',
        ...post(yard),
        '--c1',
        ...http,
        'Content-ID: 2',
        '',
        'PATCH $1 HTTP/1.1',
        'Content-Type: application/json',
        '',
        '{"city":"Chur"}',
        '--c1--',
        '',
        '--b1',
        ...http,
        '',
        `GET locations?$filter=name%20eq%20'${yard.replace(' ', '%20')}'&$select=city HTTP/1.1`,
        'Accept: application/json',
        '',
        '',
        '--b1--',
        '',
      ],
      end,
    );
    expect(status).toBe(200);
    const boundary = /boundary=(.+)$/.exec(type)?.[1] ?? '';
    expect(text.trim().endsWith(`--${boundary}--`)).toBe(true);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(text).toContain('Content-ID: 1');
    expect(text).toContain('"city":"Chur"}]');
  });

  it('answers a change set that failed once', async () => {
    const { text } = await send([
      '--b1',
      'Content-Type: multipart/mixed; boundary=c1',
      '',
      '--c1',
      ...http,
      'Content-ID: 1',
      '',
      ...post('H yard'),
      '--c1',
      ...http,
      'Content-ID: 2',
      '',
      ...post(''),
      '--c1--',
      '',
      '--b1--',
      '',
    ]);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(await names('H ')).toEqual([]);
  });

  it('refuses what it cannot read', async () => {
    for (const lines of [
      ['nothing'],
      ['--b1', ...http, '', 'GET locations HTTP/1.1'],
      ['--b1', 'Content-Type: text/plain', '', 'x', '--b1--'],
      ['--b1', ...http, '', 'nonsense', '--b1--'],
    ])
      expect((await send(lines)).status).toBe(400);
  });
});
