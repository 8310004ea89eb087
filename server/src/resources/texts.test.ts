/** The form in which texts are stored, whichever call writes them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
afterAll(() => world.close());

const reasons = (body: Record<string, unknown>) =>
  (body['error'] as { details?: { target: string; message: string }[] }).details?.map(({ target, message }) => `${target}: ${message}`);

it('stores names composed and without blanks at their ends, and one name twice stays one', async () => {
  const first = await world.call(me, 'PUT', '/v1/locations', { name: '\u2003Ko\u0308ln\u00a0', city: '\u3000', tenantId });
  expect(first.body).toMatchObject({ name: 'K\u00f6ln', city: null });
  const { body } = await world.call(me, 'POST', `/v1/locations/${String(first.body['locationId'])}`, { name: 'Ko\u0308ln' });
  expect([body['name'], body['modified']]).toEqual(['K\u00f6ln', first.body['modified']]);
});

it.each([
  ['a\nb', 'name: Name has a line break (U+000A) at character 2. Remove it.'],
  ['safe\u202efdp', 'name: Name has a character that turns the direction of the text (U+202E) at character 5. Remove it.'],
  ['\u200b\u200b', 'name: Name has only characters that cannot be seen (U+200B).'],
  [' \t', 'name: Name is required.'],
])('refuses the name %j with the field and the character', async (name, reason) => {
  const { status, body } = await world.call(me, 'PUT', '/v1/locations', { name, tenantId });
  expect([status, reasons(body)]).toEqual([400, [reason]]);
});

it('refuses half of a character in the body of any call, where the database would store a mark for it', async () => {
  for (const [path, body] of [
    ['/v1/series', { from: '\ud800', series: [] }],
    ['/v1/locations', { name: 'a', tenantId, city: 'x\udc00' }],
    ['/v1/people/invite', { email: 'a@example.com', name: '\ud83d' }],
  ] as const) {
    const answer = await world.call(me, 'POST', path, body);
    expect([path, answer.status, JSON.stringify(answer.body)]).toEqual([path, 400, expect.stringContaining('has half of a character')]);
  }
});

it('takes line breaks and tabs in texts of several lines, and no other controls', async () => {
  const unit = await world.call(me, 'PUT', '/v1/workunits', { tenantId, title: 'Texts', workUnitTypeId: 1, description: 'a\n\tb\n' });
  expect(unit.body['description']).toBe('a\n\tb');
  const note = { workUnitId: unit.body['workUnitId'], detail: 'a\u0007b' };
  const refused = await world.call(me, 'PUT', '/v1/workUnitNotes', note);
  expect([refused.status, reasons(refused.body)]).toEqual([
    400,
    ['detail: Note has a control character (U+0007) at character 2. Remove it.'],
  ]);
});

it('lets a row from before the check be sent back as it is', async () => {
  const { body } = await world.call(me, 'PUT', '/v1/locations', { name: 'Old', tenantId });
  const key = String(body['locationId']);
  await world.system.db.query({ text: `update location set city = E'a\\u202eb' where location_id = $1`, values: [key] });
  const row = (await world.call(me, 'GET', `/v1/locations/${key}`)).body;
  expect((await world.call(me, 'POST', `/v1/locations/${key}`, { ...row, name: 'New' })).body).toMatchObject({
    name: 'New',
    city: 'a\u202eb',
  });
  expect((await world.call(me, 'POST', `/v1/locations/${key}`, { city: 'c\u202eb' })).status).toBe(400);
});

it('stores what machines, files and dashboards name in the same form', async () => {
  const machine = { machineKey: randomUUID(), operatingSystem: 'Linux', architecture: 'x64', agentVersion: '1.0.0' };
  const token = await world.call(me, 'PUT', '/v1/tokens', { name: 'agents', lifetimeYears: 1, tenantId });
  const id = String(token.body['tokenGrantId']);
  const agent: TestCaller = { ...holder([tenantId], []), actor: { kind: 'token', id, name: 'agents', scopes: ['agent'] } };
  const registered = await world.call(agent, 'POST', '/v1/agent/register', { ...machine, machineName: 'Mu\u0308ller-pc ' });
  expect(registered.status).toBe(200);
  const [row] = await world.system.db.query<{ name: string }>({
    text: 'select machine_name as name from pending_device where machine_key = $1',
    values: [machine.machineKey],
  });
  expect(row).toEqual({ name: 'M\u00fcller-pc' });
});
