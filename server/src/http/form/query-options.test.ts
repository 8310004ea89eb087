/** Every call refuses options of the query that it does not read. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { isList } from '@cloudfit/contract/action.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { allActions, declaredRawRoutes } from '../../testing/all-actions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
const id = '11111111-1111-4111-8111-111111111111';

beforeAll(async () => {
  world = await createWorld({ rawRoutes: declaredRawRoutes() });
  ({ tenantId } = await world.tenant());
  me = { ...holder([tenantId]), actor: { kind: 'token', id, name: 'all', scopes: ['agent', 'ingest'] } };
});
afterAll(() => world.close());

const error = (body: Record<string, unknown>) => body['error'] as { code: string; target: string; message: string };

/** Expects that the call is refused because of this option. */
async function refuses(method: string, path: string, option: string): Promise<void> {
  const answer = await world.call(me, method, `${path}?${option}`);
  const [name] = option.split('=');
  expect([method, path, option, answer.status, error(answer.body)]).toEqual([
    method,
    path,
    option,
    400,
    expect.objectContaining({ code: 'InvalidQueryOption', target: name }),
  ]);
}

it('for every action', async () => {
  for (const action of allActions()) {
    const path = action.path.replaceAll(/\{(\w+)\}/g, id);
    await refuses(action.method, path, '$foo=1');
    const declaresFilter = action.input instanceof z.ZodObject && '$filter' in action.input.shape;
    if (!isList(action) && !declaresFilter) await refuses(action.method, path, '$filter=1 eq 2');
    const isOfAgent = typeof action.access === 'object' && 'scope' in action.access && action.access.scope === 'agent';
    if (!isOfAgent) await refuses(action.method, path, 'fromm=2026-01-01T00:00:00Z');
    if (!isOfAgent && !isList(action)) await refuses(action.method, path, '@a=1');
  }
});

it('for every call of an entity set, of a row and below a row', async () => {
  for (const { name, verbs } of resources)
    for (const [verb, method, path] of [
      ['list', 'GET', name],
      ['list', 'GET', `${name}/$count`],
      ['list', 'GET', `${name}/Export`],
      ['list', 'GET', `${name}(${id})`],
      ['create', 'POST', name],
      ['update', 'PATCH', name],
      ['update', 'PATCH', `${name}(${id})`],
      ['delete', 'DELETE', `${name}(${id})`],
    ] as const) {
      if (!verbs.includes(verb)) continue;
      await refuses(method, `/v1/${path}`, 'filterr=1');
      if (verb !== 'list') await refuses(method, `/v1/${path}`, '$filter=1 eq 2');
    }
  const { body } = await world.call(me, 'PUT', '/v1/locations', { name: 'Hall', tenantId });
  const row = `/v1/locations(${String(body['locationId'])})`;
  await refuses('GET', `${row}/name`, '$filter=1 eq 2');
  await refuses('GET', `${row}/tenant`, 'countUpTo=5');
  await refuses('GET', row, 'countUpTo=5');
  await refuses('GET', '/v1/locations', 'countUpTo=x');
  await refuses('POST', '/v1/$batch', '$filter=1');
});

it('but takes those that it reads, and what SAP adds for itself', async () => {
  for (const path of [
    `/v1/permissions?TENANTID=${tenantId}`,
    '/v1/currentUser?$format=json',
    '/v1/locations?countUpTo=5&$count=true&sap-language=EN',
    '/v1/$metadata?sap-language=EN&$format=xml',
    '/v1/locations/Export()?$top=1&$filter=true',
    '/v1/workUnits?approverEmail=a@example.com',
  ])
    expect([path, (await world.call(me, 'GET', path)).status]).toEqual([path, 200]);
  const location = await world.call(me, 'PUT', '/v1/locations?$format=json', { name: 'Other', tenantId });
  expect(location.status).toBe(201);
  expect((await world.call(me, 'GET', '/v1/currentUser?$format=xml')).status).toBe(406);
  const { message } = error((await world.call(me, 'GET', `/v1/packets/${id}/history?fromm=1`)).body);
  expect(message).toBe('There is no option fromm here. This call takes from, to, top, after.');
  const ofWeek = error((await world.call(me, 'POST', '/v1/controlsets/Export()?$filterr=1', {})).body);
  expect(ofWeek.message).toContain('This call takes $filter, $orderby,');
});
