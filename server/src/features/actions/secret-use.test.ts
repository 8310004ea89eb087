/** Who may use a tenant's secret in an action, a rule or a protocol, and what the secret's policy allows. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let receiver: Server;
let endpointUrl: string;
let home: { tenantId: string; subscriptionId: string };
let editor: TestCaller;
let operator: TestCaller;
const received: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  receiver = createServer((request, response) => {
    received.push(String(request.headers['x-key']));
    response.end(Array.from(String(request.headers['x-key'])).toReversed().join(''));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpointUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  home = await world.tenant();
  editor = holder([home.tenantId]);
  operator = holder(
    [home.tenantId],
    allPermissions.filter((permission) => permission !== 'CloudFit.CFS.Tenants:edit'),
  );
  await secret('api', 'TopSecret-3ebcd9da');
});
afterAll(async () => {
  await automation.stop();
  receiver.close();
  await world.close();
});

async function secret(name: string, value: string, policy: object = {}): Promise<string> {
  const { status, body } = await world.call(editor, 'PUT', `/v1/tenants/${home.tenantId}/secrets`, { name, value, ...policy });
  expect([status, body['error']]).toEqual([200, undefined]);
  return String(body['id']);
}
const save = (caller: TestCaller, body: object) =>
  world.call(caller, 'PUT', '/v1/actionDefinitions', {
    name: `Hook ${crypto.randomUUID()}`,
    actionDefinitionTypeId: 4,
    tenantId: home.tenantId,
    inputParameters: 'Key',
    endpointUrl,
    httpMethod: 'POST',
    ...body,
  });
const change = (caller: TestCaller, id: string, body: object) => world.call(caller, 'POST', `/v1/actionDefinitions/${id}`, body);
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] } | undefined)?.details;
const notAllowed = 'Only a person who may edit the tenant may name its secrets in an action.';

it('takes the right to read secrets to name one in an address, a header or a body, and to change where it goes', async () => {
  for (const [target, value] of [
    ['endpointUrl', `${endpointUrl}{Secret:api}`],
    ['headers', 'X-Key: {Secret:api}'],
    ['body', '{"key":"{secret:api}"}'],
  ] as const)
    expect(details(await save(operator, { [target]: value }))).toMatchObject([{ target, message: notAllowed }]);
  const saved = await save(editor, { headers: 'X-Key: {Secret:api}' });
  const id = String(saved.body['actionDefinitionId']);
  for (const body of [
    { endpointUrl: 'https://mine.example.com/' },
    { headers: 'X-Other: {Secret:api}' },
    { body: '{}' },
    { httpMethod: 'GET' },
  ])
    expect(details(await change(operator, id, body))).toMatchObject([{ target: 'headers', message: notAllowed }]);
  expect((await change(operator, id, { description: 'Calls the desk' })).status).toBe(200);
  expect((await change(operator, id, { headers: 'X-Key: none' })).status).toBe(200);
});

it('asks the same of who passes one as a parameter: in a test, a rule or a protocol', async () => {
  const id = String((await save(operator, { headers: 'X-Key: {Key}' })).body['actionDefinitionId']);
  const parameters = { Key: '{Secret:api}' };
  const test = (caller: TestCaller, body: object) => world.call(caller, 'POST', `/v1/actionDefinitions/${id}/test`, body);
  expect(details(await test(operator, parameters))).toMatchObject([{ target: 'parameters', message: notAllowed }]);

  const rule = (caller: TestCaller, matchActions: object[], path = '/v1/rules', method = 'PUT') =>
    world.call(caller, method, path, {
      ...(method === 'PUT' ? { name: `Rule ${crypto.randomUUID()}`, ruleTypeId: 1, ...home } : {}),
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
      matchActions,
    });
  const call = { ActionDefinitionId: id, Parameters: parameters };
  expect(details(await rule(operator, [call]))).toMatchObject([{ target: 'matchActions[0].Parameters', message: notAllowed }]);
  const saved = await rule(editor, [call]);
  expect(saved.status).toBe(201);
  // What somebody with the permission has saved stays valid: the operator may add another action to the rule.
  const mail = { ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } };
  expect((await rule(operator, [call, mail], `/v1/rules/${String(saved.body['ruleId'])}`, 'POST')).status).toBe(200);
  // The action itself contains no secret, but the rule sends one through it.
  expect(details(await change(operator, id, { endpointUrl: 'https://mine.example.com/' }))).toMatchObject([
    { target: 'endpointUrl', message: notAllowed },
  ]);

  const protocol = (await world.call(editor, 'PUT', '/v1/protocols', { name: 'Outage', tenantId: home.tenantId })).body;
  const step = (caller: TestCaller) =>
    world.call(caller, 'PUT', '/v1/protocolActions', {
      protocolId: protocol['protocolId'],
      actionDefinitionId: id,
      workUnitEventTypeId: 1,
      parameters: JSON.stringify(parameters),
    });
  expect(details(await step(operator))).toMatchObject([{ target: 'parameters', message: notAllowed }]);
  expect((await step(editor)).status).toBe(201);
});

it('sends it where its editor said, keeps no answer that gives it away, and records the use by its name', async () => {
  const id = String((await save(editor, { headers: 'X-Key: {Secret:api}' })).body['actionDefinitionId']);
  const run = await world.call(operator, 'POST', `/v1/actionDefinitions/${id}/test`, {});
  const done = await automation.outcome(run.body['id']);
  expect(received.at(-1)).toBe('TopSecret-3ebcd9da');
  expect(done.result_detail).toMatchObject({ status: 200, answer: '***' });
  const uses = await world.system.db.query<{ after: object | null; tenant_id: string | null }>({
    text: "select after, tenant_id from audit where verb = 'use' and after->>'messageId' = $1",
    values: [run.body['id']],
  });
  // One use is recorded, although the job runs twice for one call: its first run only gets a slot of the receiver.
  expect(uses).toMatchObject([{ tenant_id: home.tenantId, after: { name: 'api', host: '127.0.0.1' } }]);
});

it('refuses a use that its policy does not name when it is saved, and when it runs', async () => {
  const secretId = await secret('guarded', 'violet tractor', { allowedHosts: 'API.example.com' });
  const path = `/v1/tenants/${home.tenantId}/secrets/${secretId}`;
  const headers = 'X-Key: {Secret:guarded}';
  expect(details(await save(editor, { headers }))?.[0]?.message).toBe(
    'The secret guarded may be sent only to api.example.com, and not to 127.0.0.1.',
  );
  const toMail = await world.call(editor, 'POST', `/v1/actionDefinitions/${builtInAction.email}/test`, { Body: '{Secret:guarded}' });
  expect(details(toMail)?.[0]?.message).toContain('not by mail');
  expect((await world.call(editor, 'POST', path, { allowedHosts: '127.0.0.1' })).body).toMatchObject({
    allowedHosts: '127.0.0.1',
    latestVersion: 1,
  });
  const id = String((await save(editor, { headers })).body['actionDefinitionId']);
  const run = async () => {
    const { body } = await world.call(operator, 'POST', `/v1/actionDefinitions/${id}/test`, {});
    return automation.outcome(body['id']);
  };
  expect((await run()).result_status_id).toBe(1);
  await world.call(editor, 'POST', path, { allowedActions: [builtInAction.email] });
  const calls = received.length;
  expect((await run()).result_detail?.['error']).toBe(
    'The secret guarded may be used only by the actions it names, and this is not one of them.',
  );
  expect(received).toHaveLength(calls);
  expect((await world.call(editor, 'POST', path, { allowedActions: [id] })).body).toMatchObject({ allowedActions: [id] });
  expect((await run()).result_status_id).toBe(1);
  expect((await world.call(editor, 'POST', path, { allowedActions: [], allowedHosts: null })).body).toMatchObject({
    allowedActions: null,
    allowedHosts: null,
  });
});

it('says what is wrong with a policy', async () => {
  const secretId = await secret('other', 'x');
  const path = `/v1/tenants/${home.tenantId}/secrets/${secretId}`;
  for (const [body, target] of [
    [{ allowedHosts: 'https://x/' }, 'allowedHosts'],
    [{ allowedHosts: '' }, 'allowedHosts'],
    [{ allowedActions: ['x'] }, 'allowedActions.0'],
    [{ allowedActions: [crypto.randomUUID()] }, 'allowedActions'],
    [{}, 'value'],
  ] as const) {
    const answer = await world.call(editor, 'POST', path, body);
    expect([answer.status, details(answer)?.[0]?.target]).toEqual([400, target]);
  }
  expect((await world.call(operator, 'POST', path, { allowedHosts: null })).status).toBe(403);
});
