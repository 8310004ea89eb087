/** Ready actions call a real receiver in the form of their service, with secrets, links and quotes in the right places. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readyActions } from '@cloudfit/contract/protocols/ready-actions.ts';
import { until } from '../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let worker: Automation;
let tenantId: string;
let me: TestCaller;
let receiver: Server;
let base: string;
/** What the services answer by their documentation, by path. */
const answers: Readonly<Record<string, string>> = {
  '/rest/api/2/issue': '{"id":"10000","key":"OPS-24","self":"https://your-site.atlassian.net/rest/api/2/issue/10000"}',
  '/repos/acme/ops/issues': '{"id":1,"number":1347,"html_url":"https://github.com/acme/ops/issues/1347","state":"open"}',
  '/api/now/table/incident': '{"result":{"sys_id":"c537bae64f411200adf9f8e18110c76e","number":"INC0010002"}}',
};
const received: { path: string; headers: IncomingHttpHeaders; text: string; body: Record<string, unknown> }[] = [];

type Check = (headers: IncomingHttpHeaders, body: string, secret: string) => boolean;

/** Returns the function for receivers that checks a signature, from docs/CLIENTS.md. */
async function documentedCheck(): Promise<Check> {
  const page = await readFile(new URL('../../../docs/CLIENTS.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]+?)```/.exec(page)?.[1] ?? '';
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { isGenuine: Check };
  return isGenuine;
}

beforeAll(async () => {
  world = await createWorld();
  worker = await startAutomation(world);
  ({ tenantId } = await world.tenant('Nord "West"'));
  me = holder([tenantId]);
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) as Record<string, unknown> });
      response.end(answers[request.url ?? ''] ?? 'ok');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  for (const name of [
    'SlackWorkspace',
    'SlackWebhook',
    'SlackKey',
    'TeamsWorkflow',
    'TeamsSignature',
    'PagerDutyRoutingKey',
    'OpsgenieKey',
    'JiraLogin',
    'GitHubToken',
    'ServiceNowLogin',
    'SmsToken',
    'webhook-signature',
  ]) {
    const [row] = await world.system.db.query<{ id: string }>({
      text: 'insert into tenant_secret (tenant_id, name, latest_version) values ($1, $2, 1) returning id',
      values: [tenantId, name],
    });
    await world.secrets.write(world.system.db, { tenantId, secretId: row?.id ?? '', version: 1 }, `value-of-${name}`, 'test');
  }
});
afterAll(async () => {
  await worker.stop();
  await world.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

/** The addresses that are called, at the receiver. */
function addressesHere({ endpointUrl, lookBackAddress }: { endpointUrl: string; lookBackAddress?: string }) {
  const here = (address: string) => address.replace(/^https:\/\/[^/]+/, base);
  return { endpointUrl: here(endpointUrl), ...(lookBackAddress === undefined ? {} : { lookBackAddress: here(lookBackAddress) }) };
}

const parameters: Readonly<Record<string, object>> = {
  pagerduty: { Level: 'critical' },
  opsgenie: { Priority: 'P1' },
  jira: { Project: 'OPS', IssueType: 'Task' },
  'jira-close': { TransitionId: '31' },
  github: { Owner: 'acme', Repository: 'ops' },
  'github-comment': { Owner: 'acme', Repository: 'ops' },
  'github-close': { Owner: 'acme', Repository: 'ops' },
  servicenow: { Impact: '2', Urgency: '1' },
  'servicenow-resolve': { CloseCode: 'Solved (Permanently)' },
  sms: { To: '+491700000' },
  'standard-webhook': { Type: 'workUnit.opened' },
};
const expected: Readonly<Record<string, { path: string; authorization?: string; body: object }>> = {
  slack: {
    path: '/services/value-of-SlackWorkspace/value-of-SlackWebhook/value-of-SlackKey',
    body: { text: 'Sev1: Pump "A" is\\down' },
  },
  teams: {
    path: '/workflows/value-of-TeamsWorkflow/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=value-of-TeamsSignature',
    body: { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] },
  },
  pagerduty: {
    path: '/v2/enqueue',
    body: {
      routing_key: 'value-of-PagerDutyRoutingKey',
      event_action: 'trigger',
      payload: { summary: 'Sev1: Pump "A" is\\down', source: 'Nord "West"', severity: 'critical' },
    },
  },
  'pagerduty-resolve': { path: '/v2/enqueue', body: { routing_key: 'value-of-PagerDutyRoutingKey', event_action: 'resolve' } },
  opsgenie: { path: '/v2/alerts', authorization: 'GenieKey value-of-OpsgenieKey', body: { priority: 'P1', source: 'CloudFit' } },
  jira: {
    path: '/rest/api/2/issue',
    authorization: 'Basic value-of-JiraLogin',
    body: { fields: { project: { key: 'OPS' }, issuetype: { name: 'Task' }, summary: 'Sev1: Pump "A" is\\down' } },
  },
  'jira-comment': {
    path: '/rest/api/2/issue/REF-7/comment',
    authorization: 'Basic value-of-JiraLogin',
    body: { body: expect.stringContaining('State: New') },
  },
  'jira-close': {
    path: '/rest/api/2/issue/REF-7/transitions',
    authorization: 'Basic value-of-JiraLogin',
    body: { transition: { id: '31' } },
  },
  github: {
    path: '/repos/acme/ops/issues',
    authorization: 'Bearer value-of-GitHubToken',
    body: { title: 'Sev1: Pump "A" is\\down', labels: ['cloudfit'] },
  },
  'github-comment': {
    path: '/repos/acme/ops/issues/REF-7/comments',
    authorization: 'Bearer value-of-GitHubToken',
    body: { body: expect.stringContaining('Assigned to: nobody') },
  },
  'github-close': {
    path: '/repos/acme/ops/issues/REF-7',
    authorization: 'Bearer value-of-GitHubToken',
    body: { state: 'closed', state_reason: 'completed' },
  },
  servicenow: {
    path: '/api/now/table/incident',
    authorization: 'Basic value-of-ServiceNowLogin',
    body: { impact: '2', urgency: '1', correlation_display: 'CloudFit' },
  },
  'servicenow-note': {
    path: '/api/now/table/incident/REF-7',
    authorization: 'Basic value-of-ServiceNowLogin',
    body: { work_notes: expect.stringContaining('State: New') },
  },
  'servicenow-resolve': {
    path: '/api/now/table/incident/REF-7',
    authorization: 'Basic value-of-ServiceNowLogin',
    body: { state: '6', close_code: 'Solved (Permanently)' },
  },
  'standard-webhook': {
    path: '/cloudfit',
    body: { type: 'workUnit.opened', data: { title: 'Pump "A" is\\down', severity: 'Sev1', state: 'New' } },
  },
  sms: { path: '/messages', authorization: 'Bearer value-of-SmsToken', body: { to: '+491700000' } },
};

/** Actions about a ticket or an incident that another one has made: they acknowledge nothing. */
const afterwards: ReadonlySet<string> = new Set([
  'pagerduty-resolve',
  'jira-comment',
  'jira-close',
  'github-comment',
  'github-close',
  'servicenow-note',
  'servicenow-resolve',
]);

it.each(readyActions.map((ready) => [ready.id, ready] as const))('%s arrives in the form of its service', async (id, ready) => {
  const { id: _id, ...fields } = ready;
  const addresses = addressesHere(ready);
  const action = await world.call(me, 'PUT', '/v1/actionDefinitions', { ...fields, ...addresses, actionDefinitionTypeId: 2, tenantId });
  expect(action.body['error']).toBeUndefined();
  const protocol = await world.call(me, 'PUT', '/v1/protocols', { name: ready.name, tenantId });
  const step = await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId: protocol.body['protocolId'],
    actionDefinitionId: action.body['actionDefinitionId'],
    workUnitEventTypeId: 1,
    runAutomatically: true,
    parameters: JSON.stringify(parameters[id] ?? {}),
  });
  expect(step.body['error']).toBeUndefined();
  const before = received.length;
  const unit = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Pump "A" is\\down',
    severityId: 'Sev1',
    workUnitTypeId: 1,
    tenantId,
    protocolId: protocol.body['protocolId'],
    ...(afterwards.has(id) ? { referenceId: 'REF-7' } : {}),
  });
  expect(unit.body['error']).toBeUndefined();
  await until(() => received.length > before);
  const call = received.at(-1);
  const { path, authorization, body } = expected[id] ?? { path: '', body: {} };
  expect([call?.path, call?.headers.authorization]).toEqual([path, authorization]);
  expect(call?.body).toMatchObject(body);
  const text = JSON.stringify(call?.body);
  const isGenuine = await documentedCheck();
  expect(isGenuine(call?.headers ?? {}, call?.text ?? '', 'value-of-webhook-signature')).toBe(true);
  expect(isGenuine(call?.headers ?? {}, `${call?.text ?? ''} `, 'value-of-webhook-signature')).toBe(false);
  expect(call?.headers['webhook-id']).toBe(call?.headers['idempotency-key']);
  // No placeholder is left, and all except one have the link that acknowledges.
  expect(text).not.toMatch(/\{[A-Z]\w*(:\w+)?\}/);
  if (!afterwards.has(id)) expect(text).toMatch(/\/ack\/[\w-]+\.[\w-]+/);
  if (id.startsWith('pagerduty')) expect(call?.body['dedup_key']).toBe(`cloudfit-${tenantId}-${String(unit.body['workUnitId'])}`);
});

it.each([
  ['jira', 'OPS-24', 'https://your-site.atlassian.net/browse/OPS-24'],
  ['github', '1347', 'https://github.com/acme/ops/issues/1347'],
  [
    'servicenow',
    'c537bae64f411200adf9f8e18110c76e',
    'https://your-instance.service-now.com/incident.do?sys_id=c537bae64f411200adf9f8e18110c76e',
  ],
])('%s stores its ticket as the reference of the unit, once, and the next steps are about it', async (id, referenceId, referenceUrl) => {
  const protocol = await world.call(me, 'PUT', '/v1/protocols', { name: `Tickets ${id}`, tenantId });
  const closing = id === 'servicenow' ? 'servicenow-resolve' : `${id}-close`;
  for (const [part, eventId] of [
    [id, 1],
    [id, 1],
    [closing, 6],
  ] as const) {
    const { id: _id, ...fields } = readyActions.find((ready) => ready.id === part) ?? { id: '', endpointUrl: '' };
    const addresses = addressesHere(fields);
    const action = await world.call(me, 'PUT', '/v1/actionDefinitions', { ...fields, ...addresses, actionDefinitionTypeId: 2, tenantId });
    const step = await world.call(me, 'PUT', '/v1/protocolActions', {
      protocolId: protocol.body['protocolId'],
      actionDefinitionId: action.body['actionDefinitionId'],
      workUnitEventTypeId: eventId,
      runAutomatically: true,
      parameters: JSON.stringify(parameters[part] ?? {}),
    });
    expect(step.status, step.text).toBe(201);
  }
  const before = received.length;
  const body = { title: 'Pump', severityId: 'Sev1', workUnitTypeId: 1, tenantId, protocolId: protocol.body['protocolId'] };
  const unit = await world.call(me, 'PUT', '/v1/workunits', body);
  const path = `/v1/workunits/${String(unit.body['workUnitId'])}`;
  await until(() => received.slice(before).filter((call) => answers[call.path] !== undefined).length === 2);
  const stored = await until(async () => {
    const row = (await world.call(me, 'GET', path)).body;
    return row['referenceId'] !== null && row;
  });
  expect(stored).toMatchObject({ referenceId, referenceUrl });
  const notes = await world.call(
    me,
    'GET',
    `/v1/workUnitNotes?$filter=workUnitId eq ${String(unit.body['workUnitId'])} and field eq 'referenceId'`,
  );
  expect(notes.body.value).toMatchObject([{ newValue: referenceId, historyType: 'FieldChange' }]);
  const ended = await world.call(me, 'POST', path, { stateId: 'Canceled' });
  expect(ended.status, ended.text).toBe(200);
  // Others may still be trying again.
  await until(() => received.slice(before).some((call) => call.path.includes(`/${referenceId}`)));
});
