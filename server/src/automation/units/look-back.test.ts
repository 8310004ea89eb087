/** Ready actions for trackers whose answer is lost, or whose server is killed before it records the answer: they make no second ticket. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readyActions } from '@cloudfit/contract/protocols/ready-actions.ts';
import { writeExecutions } from '../../executions/executions.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let worker: Automation;
let tenantId: string;
let me: TestCaller;
let receiver: Server;
let base: string;
/** The bodies of the tickets that were made. */
let tickets: string[] = [];
let [losesAnswers, searchStatus, isForgotten, lagsBy, others] = [true, 200, false, 0, 0];

/** Jira, GitHub and ServiceNow, as far as the actions use them. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await textOf(request);
  const path = request.url ?? '';
  const text = (n: number) => {
    const sent = JSON.parse(tickets[n] ?? '{}') as { fields?: object; body?: string; correlation_id?: string };
    if (path.startsWith('/rest')) return { id: '1', key: `OPS-${n + 1}`, ...(request.method === 'GET' ? { fields: sent.fields } : {}) };
    if (path.startsWith('/repos')) return { number: n + 1, html_url: `${base}/acme/ops/issues/${n + 1}`, body: sent.body };
    return { sys_id: `sys${n + 1}`, correlation_id: sent.correlation_id };
  };
  if (request.method === 'GET') {
    lagsBy -= 1;
    const visible: object[] = lagsBy >= 0 ? [] : tickets.map((_, n) => text(n));
    const { searchParams } = new URL(path, base);
    const size = Number(searchParams.get('per_page') ?? 1_000);
    const from = (Number(searchParams.get('page') ?? 1) - 1) * size;
    const all = [...Array.from({ length: others }, (_, n) => ({ number: 900 + n })), ...visible].slice(from, from + size);
    const list = path.startsWith('/rest') ? { issues: all } : path.startsWith('/repos') ? all : { result: all };
    response.writeHead(searchStatus, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    return;
  }
  const n = tickets.push(body) - 1;
  if (losesAnswers) {
    losesAnswers = false;
    request.socket.destroy();
    return;
  }
  response.writeHead(201).end(JSON.stringify(path.startsWith('/api/now') ? { result: text(n) } : text(n)));
}

beforeAll(async () => {
  world = await createWorld();
  worker = await startAutomation(world);
  ({ tenantId } = await world.tenant('Northwind'));
  me = holder([tenantId]);
  receiver = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  for (const name of ['JiraLogin', 'GitHubToken', 'ServiceNowLogin'])
    await world.call(me, 'PUT', `/v1/tenants/${tenantId}/secrets`, { name, value: 'x' });
});
beforeEach(() => {
  [tickets, losesAnswers, searchStatus, isForgotten, lagsBy, others] = [[], true, 200, false, 0, 0];
});
afterAll(async () => {
  await worker.stop();
  receiver.closeAllConnections();
  await new Promise<void>((resolve) => receiver.close(() => resolve()));
  await world.close();
});

const parameters = { Project: 'OPS', IssueType: 'Task', Owner: 'acme', Repository: 'ops', Impact: '2', Urgency: '1' };

/** Runs a ready action for a new unit; `wasKilled`: after a try of a server that was killed before it had the answer. */
async function run(id: string, wasKilled = false): Promise<{ reference: unknown; url: unknown; warnings: string[] }> {
  const { name, description, inputParameters, httpMethod, endpointUrl, headers, body, referenceField, referenceAddress, lookBackAddress } =
    readyActions.find((each) => each.id === id) ?? expect.fail();
  const here = (address: string | undefined) => address?.replace(/^https:\/\/[^/]+/, base);
  const action = { name: `${name} ${crypto.randomUUID()}`, description, inputParameters, httpMethod, headers, body, referenceField };
  const addresses = { endpointUrl: here(endpointUrl), referenceAddress: here(referenceAddress), lookBackAddress: here(lookBackAddress) };
  const created = await world.call(me, 'PUT', '/v1/actionDefinitions', { ...action, ...addresses, actionDefinitionTypeId: 4, tenantId });
  expect(created.body['error']).toBeUndefined();
  const unit = { title: 'Pump 4', severityId: 'Sev1', workUnitTypeId: 1, tenantId };
  const workUnitId = Number((await world.call(me, 'PUT', '/v1/workunits', unit)).body['workUnitId']);
  const messageId = crypto.randomUUID();
  const queued = { tenantId, messageId, correlationId: crypto.randomUUID(), workUnitId, parameters, referenceId: null, suppressed: false };
  const actionDefinitionId = String(created.body['actionDefinitionId']);
  const later = new Date(Date.now() + 3_600_000);
  await writeExecutions(world.system.db, [{ ...queued, actionDefinitionId, detail: {}, ...(wasKilled ? { runAt: later } : {}) }]);
  if (wasKilled) {
    if (!isForgotten) tickets.push(JSON.stringify({ fields: { labels: [messageId] }, body: messageId, correlation_id: messageId }));
    const [history] = await world.system.db.query<{ id: number }>({
      text: `insert into action_try (tenant_id, action_history_id, work_unit_id, number, target, started)
        select tenant_id, action_history_id, work_unit_id, 1, 'POST x', now() - interval '28 seconds' from action_history where message_id = $1 returning action_history_id as id`,
      values: [messageId],
    });
    await world.call(me, 'POST', `/v1/actionHistories/${String(history?.id)}/tryNow`);
  }
  expect((await worker.outcome(messageId)).result_status_id).toBe(1);
  const [row] = await world.system.db.query<{ reference_id: string | null; reference_url: string | null }>({
    text: 'select reference_id, reference_url from work_unit where work_unit_id = $1',
    values: [workUnitId],
  });
  const notes = await world.system.db.query<{ detail: string }>({
    text: "select detail from work_unit_note where work_unit_id = $1 and is_warning and detail like '%arrived twice%'",
    values: [workUnitId],
  });
  return { reference: row?.reference_id, url: row?.reference_url, warnings: notes.map(({ detail }) => detail) };
}

const expected: Readonly<Record<string, object>> = {
  jira: { reference: 'OPS-1', url: expect.stringMatching(/\/browse\/OPS-1$/) },
  github: { reference: '1', url: expect.stringMatching(/\/issues\/1$/) },
  servicenow: { reference: 'sys1', url: expect.stringMatching(/sys_id=sys1$/) },
};

it.each(Object.keys(expected))('makes one ticket of %s, whose answer was lost, and stores it', async (id) => {
  expect(await run(id)).toEqual({ ...expected[id], warnings: [] });
  expect(tickets).toHaveLength(1);
});

it.each(Object.keys(expected))('makes one ticket of %s after a kill between the call and its record', async (id) => {
  losesAnswers = false;
  expect(await run(id, true)).toEqual({ ...expected[id], warnings: [] });
  expect(tickets).toHaveLength(1);
});

it('sends again, and says so, where the service does not let it look', async () => {
  [losesAnswers, searchStatus] = [false, 403];
  expect(await run('jira', true)).toMatchObject({ reference: 'OPS-2', warnings: [expect.stringContaining('it may have arrived twice')] });
  expect(tickets).toHaveLength(2);
});

it('reads on behind the newest tickets of GitHub', async () => {
  [losesAnswers, others] = [false, 75];
  expect(await run('github', true)).toEqual({ ...expected['github'], warnings: [] });
  expect(tickets).toHaveLength(1);
});

it('says that a ticket may be there twice when there are more pages than it reads', async () => {
  [losesAnswers, others] = [false, 1_000];
  expect(await run('github', true)).toMatchObject({ reference: '2', warnings: [expect.stringContaining('it may have arrived twice')] });
});

it('waits for a search that lags behind before it makes another ticket', async () => {
  [losesAnswers, lagsBy] = [false, 1];
  expect(await run('jira', true)).toEqual({ ...expected['jira'], warnings: [] });
  expect(tickets).toHaveLength(1);
});

it('makes a ticket when the one before never arrived', async () => {
  [losesAnswers, isForgotten] = [false, true];
  expect(await run('github', true)).toMatchObject({ reference: '1', warnings: [] });
});

it('refuses an address of another host, to which the secrets would go', async () => {
  const body = { name: 'Elsewhere', actionDefinitionTypeId: 4, tenantId, httpMethod: 'POST', endpointUrl: `${base}/x` };
  const answered = await world.call(me, 'PUT', '/v1/actionDefinitions', { ...body, lookBackAddress: 'https://elsewhere.example/list' });
  expect(answered.status).toBe(400);
  expect(JSON.stringify(answered.body)).toContain('must have the same host');
});

it('gives ready actions that were created earlier an address to look back at and a mark', async () => {
  const older = (body: string): string =>
    body
      .replace(/,\s*"cloudfit-\{MessageId\}"/, '')
      .replace(String.raw`\n\n<!-- cloudfit {MessageId} -->`, '')
      .replace('"cloudfit-{MessageId}"', '"cloudfit-{TenantId}-{WorkUnitId}"');
  const ready = readyActions.filter(({ lookBackAddress }) => lookBackAddress !== undefined);
  const ids: string[] = [];
  for (const { name, description, inputParameters, httpMethod, endpointUrl, headers, body } of ready) {
    const action = { name: `Older ${name}`, description, inputParameters, httpMethod, endpointUrl, headers, body: older(body) };
    expect(action.body).not.toBe(body);
    const created = await world.call(me, 'PUT', '/v1/actionDefinitions', { ...action, actionDefinitionTypeId: 4, tenantId });
    expect(created.body['error']).toBeUndefined();
    ids.push(String(created.body['actionDefinitionId']));
  }
  const migration = readFileSync(new URL('../../db/migrations/0755-look-back-of-earlier-actions.sql', import.meta.url), 'utf8');
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  await client.query(migration);
  await client.end();
  for (const [n, { body, lookBackAddress }] of ready.entries()) {
    const { body: row } = await world.call(me, 'GET', `/v1/actionDefinitions(${ids[n]})`);
    expect(row['lookBackAddress']).toBe(lookBackAddress);
    expect(JSON.parse(String(row['body']))).toEqual(JSON.parse(body));
  }
});
