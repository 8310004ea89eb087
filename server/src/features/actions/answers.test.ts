/** What the answer of a receiver means, as the action declares it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let receiver: Server;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
  // Answers with the body of the call.
  receiver = createServer((request, response) => void request.pipe(response));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await automation.stop();
  receiver.closeAllConnections();
  receiver.close();
  await world.close();
});

/** Creates an action that is answered with its own body. */
const create = (body: string, declared: Record<string, unknown>) =>
  world.call(me, 'PUT', '/v1/actionDefinitions', {
    name: `Hook ${crypto.randomUUID()}`,
    actionDefinitionTypeId: 4,
    tenantId,
    endpointUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    httpMethod: 'POST',
    headers: 'Content-Type: text/plain',
    body,
    ...declared,
  });

it('fails a test with the reason when the answer is not the declared one, although its status says yes', async () => {
  const of = async (answer: string, declared: Record<string, unknown>) => {
    const { body: created } = await create(answer, declared);
    const { body } = await world.call(me, 'POST', `/v1/actionDefinitions/${String(created['actionDefinitionId'])}/test`, {});
    return automation.outcome(body['id']);
  };
  const ok = { successField: 'ok', successValue: 'true' };
  const long = JSON.stringify({ text: 'x'.repeat(9_000), ok: true });
  expect(await of(long, ok)).toMatchObject({ result_status_id: 1, result_detail: { truncated: true } });
  expect(await of('[ok: yes]', { successText: 'OK: YES' })).toMatchObject({ result_status_id: 1, result_detail: { truncated: false } });
  expect(await of('{"ok":false}', ok)).toMatchObject({
    result_status_id: 2,
    result_detail: { error: 'The receiver answered 200. Its answer has ok false, not true.', status: 200, answer: '{"ok":false}' },
  });
  expect(await of('{"ok":true}', { ...ok, successStatuses: '201, 409' })).toMatchObject({
    result_status_id: 2,
    result_detail: { error: 'The receiver answered 200.' },
  });
  const refused = await create('x', { successStatuses: '2xx', successField: 'ok' });
  expect([refused.status, refused.body['error']]).toMatchObject([
    400,
    { details: [{ target: 'successStatuses' }, { target: 'successValue' }] },
  ]);
});
