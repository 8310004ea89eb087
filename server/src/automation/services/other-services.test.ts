/** Jira, ServiceNow, Mattermost and Teams. The server of the test answers as the documentation of each says, and calls back as it says. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { personIn } from '../../testing/samples.ts';
import type { TestCaller } from '../../testing/world.ts';
import { serviceWorld, type ServiceCall, type ServiceReply, type ServiceWorld } from './testing/service-world.ts';

const sysId = 'c537bae64f411200adf9f8e18110c76e';
const idOf = (start: string) => start.padEnd(26, 'a');
const channel = idOf('ch1');
const [ada, bot] = [idOf('ad1'), idOf('bo1')];
const post = (n: number) => idOf(`po${n}`);
let at: ServiceWorld;
let tenantId: string;
let me: TestCaller;
let isDone = false;
let posts = 0;
let email = '';

const status = (done: boolean) => ({ name: done ? 'Done' : 'To Do', statusCategory: { key: done ? 'done' : 'new' } });

function answer({ method, path, body }: ServiceCall): ServiceReply {
  const to = `${method} ${path}`;
  if (to === 'POST /rest/api/2/issue')
    return { status: 201, body: { id: '10000', key: 'OPS-24', self: `${at.origin}/rest/api/2/issue/10000` } };
  if (to === 'GET /rest/api/2/issue/OPS-24?fields=status') return { body: { key: 'OPS-24', fields: { status: status(isDone) } } };
  if (to === 'GET /rest/api/2/issue/OPS-24/transitions')
    return {
      body: {
        transitions: [
          { id: '11', name: 'Start', to: status(false) },
          { id: '31', name: 'Finish', to: status(true) },
        ],
      },
    };
  if (to === 'POST /rest/api/2/issue/OPS-24/transitions') {
    isDone = (body['transition'] as { id: string }).id === '31';
    return { status: 204 };
  }
  if (to === 'POST /rest/api/2/issue/OPS-24/comment') return { status: 201, body: { id: '7' } };
  if (path.startsWith('/api/now/table/incident'))
    return {
      status: method === 'POST' ? 201 : 200,
      body: { result: { sys_id: sysId, number: 'INC0010002', state: body['state'] ?? '1' } },
    };
  if (to === 'POST /api/v4/posts') {
    posts += 1;
    return { status: 201, body: { id: post(posts), channel_id: channel } };
  }
  if (to === `GET /api/v4/users/${ada}`) return { body: { id: ada, email, email_verified: true, delete_at: 0 } };
  if (to === `GET /api/v4/users/${bot}`) return { body: { id: bot, email, email_verified: false, delete_at: 0 } };
  if (to === `GET /api/v4/posts/${post(5)}`) return { body: { id: post(5), channel_id: channel, root_id: post(1), props: {} } };
  if (to === `GET /api/v4/posts/${post(6)}`) return { body: { id: post(6), channel_id: channel, root_id: '', props: {} } };
  return { body: {} };
}

beforeAll(async () => {
  at = await serviceWorld(answer);
});
beforeEach(async () => {
  ({ tenantId, me } = await at.tenant());
  at.calls.length = 0;
  isDone = false;
  posts = 0;
});
afterAll(() => at.close());

const sent = () => at.calls.map(({ method, path }) => `${method} ${path}`);
const bodyOf = (to: string) => at.calls.find(({ method, path }) => `${method} ${path}` === to)?.body;
const callBack = (id: string, body: object | string, headers: Record<string, string>) =>
  at.world.call(null, 'POST', `/v1/eventSubscriptions/${id}/calls`, typeof body === 'string' ? body : JSON.stringify(body), headers);
const written = async (unit: number) => (await at.notes(me, unit)).filter(({ historyType }) => historyType === null);
const act = async (unit: number) => {
  await at.work();
  await at.note(me, unit, 'I am on it.');
  await at.change(me, unit, { stateId: 'Acknowledged' });
  await at.change(me, unit, { stateId: 'Resolved', resolution: 'Cleaned up.' });
  await at.work();
};

it('keeps issues of Jira in step', async () => {
  const { id, secret } = await at.subscribe(me, { service: 'Jira', tenantId, place: 'OPS' });
  const unit = await at.openUnit(me, tenantId);
  await act(unit);
  expect(sent()).toEqual([
    'POST /rest/api/2/issue',
    'POST /rest/api/2/issue/OPS-24/comment',
    'GET /rest/api/2/issue/OPS-24?fields=status',
    'POST /rest/api/2/issue/OPS-24/comment',
    'GET /rest/api/2/issue/OPS-24?fields=status',
    'GET /rest/api/2/issue/OPS-24/transitions',
    'POST /rest/api/2/issue/OPS-24/transitions',
    'POST /rest/api/2/issue/OPS-24/comment',
  ]);
  expect(bodyOf('POST /rest/api/2/issue')).toMatchObject({
    fields: { project: { key: 'OPS' }, issuetype: { name: 'Task' }, summary: 'Sev1: Disk full' },
  });
  expect(await at.link(me, unit)).toMatchObject({ name: 'OPS-24', url: `${at.origin}/browse/OPS-24`, remoteState: 'Done', problem: null });
  const hook = (payload: object, key = secret, header = randomUUID()) => {
    const text = JSON.stringify(payload);
    const signature = `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;
    return callBack(id, text, {
      'content-type': 'application/json',
      'x-hub-signature': signature,
      'x-atlassian-webhook-identifier': header,
    });
  };
  const issue = (done: boolean) => ({ key: 'OPS-24', fields: { summary: 'x', status: status(done) } });
  const comment = { id: '99', author: { displayName: 'Grace Hopper' }, body: 'Look at the log.' };
  for (let n = 0; n < 2; n += 1) await hook({ timestamp: 1_900_000_000_000, webhookEvent: 'comment_created', comment, issue: issue(true) });
  expect(await written(unit)).toMatchObject([{ detail: 'I am on it.' }, { detail: 'Look at the log.', createdBy: 'Grace Hopper (Jira)' }]);
  const mine = bodyOf('POST /rest/api/2/issue/OPS-24/comment')?.['body'];
  await hook({
    timestamp: 1_900_000_000_000,
    webhookEvent: 'comment_created',
    comment: { ...comment, id: '100', body: mine },
    issue: issue(true),
  });
  expect(await written(unit)).toHaveLength(2);
  const updated = {
    webhookEvent: 'jira:issue_updated',
    user: { displayName: 'Grace Hopper' },
    changelog: { items: [{ field: 'status' }] },
  };
  expect((await hook({ ...updated, timestamp: 1_900_000_001_000, issue: issue(false) })).body).toMatchObject({ deeds: ['reopened'] });
  // Somebody has saved several fields at once, and the summary is not the first.
  const edited = { ...updated, changelog: { items: [{ field: 'description' }, { field: 'summary' }] } };
  const renamed = { key: 'OPS-24', fields: { summary: 'Sev1: Disk of web-1', status: status(false) } };
  expect((await hook({ ...edited, timestamp: 1_900_000_001_200, issue: renamed })).body).toMatchObject({ deeds: ['renamed'] });
  expect((await at.unit(me, unit))['title']).toBe('Disk of web-1');
  expect((await hook({ ...updated, timestamp: 1_900_000_002_000, issue: issue(true) })).body).toMatchObject({ deeds: ['resolved'] });
  expect((await hook({ ...updated, timestamp: 1_900_000_001_500, issue: issue(false) })).body['outcome']).toBe('unchanged');
  expect(await at.unit(me, unit)).toMatchObject({
    stateId: 'Resolved',
    resolution: 'Cleaned up.\n\nGrace Hopper set OPS-24 in Jira to Done.',
    modifiedBy: 'Grace Hopper (Jira)',
  });
  expect((await hook({ ...updated, issue: { key: 'DEV-1' } })).body['outcome']).toBe('unknown');
  expect((await hook(updated, 'wrong')).status).toBe(401);
  at.calls.length = 0;
  await at.work();
  expect(sent()).toEqual([]);
});

it('keeps records of ServiceNow in step', async () => {
  const { id, secret } = await at.subscribe(me, { service: 'ServiceNow', tenantId, place: 'incident' });
  const unit = await at.openUnit(me, tenantId);
  await act(unit);
  expect(sent()).toEqual(['POST /api/now/table/incident', ...Array.from({ length: 3 }, () => `PATCH /api/now/table/incident/${sysId}`)]);
  expect(at.calls.map(({ body }) => [body['state'], body['close_code']])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
    ['6', 'Solved (Permanently)'],
  ]);
  expect(at.calls[1]?.body['work_notes']).toContain('I am on it.');
  const call = (body: object, token = secret) =>
    callBack(id, { sys_id: sysId, number: 'INC0010002', by: 'Grace Hopper', ...body }, { authorization: `Bearer ${token}` });
  const entry = '2026-05-01 10:00:00 - Grace Hopper (Work notes)\nLook at the log.\n\n';
  for (let n = 0; n < 2; n += 1) await call({ event_id: 'e1', comment: entry, updated: '2030-05-01 10:00:00' });
  await call({ event_id: 'e2', comment: String(at.calls[1]?.body['work_notes']), updated: '2030-05-01 10:00:00' });
  expect(await written(unit)).toMatchObject([
    { detail: 'I am on it.' },
    { detail: 'Look at the log.', createdBy: 'Grace Hopper (ServiceNow)' },
  ]);
  expect((await call({ event_id: 'e3', state: '2', updated: '2030-05-01 10:01:00' })).body).toMatchObject({ deeds: ['reopened'] });
  expect((await call({ event_id: 'e4', state: '7', updated: '2030-05-01 10:02:00' })).body).toMatchObject({ deeds: ['resolved'] });
  expect(await at.link(me, unit)).toMatchObject({ name: 'INC0010002', remoteState: 'Closed' });
  expect((await call({ state: '7' }, 'wrong')).status).toBe(401);
  expect((await call({ sys_id: 'x' })).status).toBe(400);
  expect((await call({ sys_id: sysId.replace('c', 'd'), state: '7' })).body['outcome']).toBe('unknown');
});

it('lets people of Mattermost acknowledge and answer', async () => {
  const { id } = await at.subscribe(me, { service: 'Mattermost', tenantId, place: channel, signingSecret: 'Signing' });
  const person = await personIn(at.world, tenantId, 'Ada Lovelace');
  const rows = await at.rows<{ email: string }>('update person set email_verified = true where person_id = $1 returning email', person);
  email = rows[0]?.email ?? '';
  await at.rows(
    `update permission_set set permissions = permissions || '["CloudFit.CFS.WorkUnits:create"]' where tenant_id = $1`,
    tenantId,
  );
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const [attachment] =
    (
      at.calls[0]?.body['props'] as
        | undefined
        | { attachments: { actions: { id: string; integration: { url: string; context: object } }[] }[] }
    )?.attachments ?? [];
  const [button] = attachment?.actions ?? [];
  expect([button?.id, button?.integration.url]).toEqual(['acknowledge', `http://localhost/v1/eventSubscriptions/${id}/calls`]);
  const press = (context: object | undefined, user: string) =>
    callBack(
      id,
      { user_id: user, channel_id: channel, post_id: post(1), trigger_id: randomUUID(), context },
      { 'content-type': 'application/json' },
    );
  expect((await press({ ...button?.integration.context, deed: 'resolve' }, ada)).status).toBe(401);
  expect((await press(button?.integration.context, bot)).body).toEqual({
    ephemeral_text: expect.stringContaining('does not tell CloudFit your e-mail address') as string,
  });
  const address = email;
  email = 'elsewhere@example.com';
  expect((await press(button?.integration.context, ada)).body).toEqual({
    ephemeral_text: expect.stringMatching(
      /elsewhere@.*\n\n\[Connect\]\(http:\/\/localhost\/notifications\?connect=[\w-]{32}\)$/s,
    ) as string,
  });
  email = address;
  expect((await press(button?.integration.context, ada)).body).toEqual({});
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'Acknowledged' });
  await at.note(me, unit, 'I am on it, @channel.');
  await at.work();
  expect(sent()).toContain(`PUT /api/v4/posts/${post(1)}/patch`);
  expect(at.calls.at(-1)?.body).toMatchObject({
    channel_id: channel,
    root_id: post(1),
    message: expect.not.stringContaining('@channel') as string,
  });
  const outgoing = (fields: object, token = 'value-of-Signing') =>
    callBack(id, new URLSearchParams({ token, user_id: ada, channel_id: channel, text: 'Look at the log.', ...fields }).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  for (let n = 0; n < 2; n += 1) expect((await outgoing({ post_id: post(5) })).status).toBe(200);
  await outgoing({ post_id: post(6) });
  expect((await outgoing({ post_id: post(5) }, 'wrong')).status).toBe(401);
  expect(await written(unit)).toMatchObject([{ detail: 'I am on it, @channel.' }, { detail: 'Look at the log.', createdBy: email }]);
});

it('asks people of Mattermost how a unit was resolved', async () => {
  const { id } = await at.subscribe(me, { service: 'Mattermost', tenantId, place: channel });
  const person = await personIn(at.world, tenantId, 'Ada Lovelace');
  const rows = await at.rows<{ email: string }>('update person set email_verified = true where person_id = $1 returning email', person);
  email = rows[0]?.email ?? '';
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const props = at.calls[0]?.body['props'] as
    | undefined
    | { attachments: { actions: { id: string; integration: { context: object } }[] }[] };
  const actions = props?.attachments[0]?.actions;
  const context = actions?.find((action) => action.id === 'resolve')?.integration.context;
  const json = { 'content-type': 'application/json' };
  const pressed = { user_id: ada, channel_id: channel, post_id: post(1), trigger_id: 't1', context };
  expect((await callBack(id, pressed, json)).body).toEqual({});
  const opened = bodyOf('POST /api/v4/actions/dialogs/open') as { url: string; trigger_id: string; dialog: { state: string } };
  expect([opened.url, opened.trigger_id]).toEqual([`http://localhost/v1/eventSubscriptions/${id}/calls`, 't1']);
  const submit = (state: string, more: object = {}) =>
    callBack(
      id,
      {
        type: 'dialog_submission',
        user_id: ada,
        channel_id: channel,
        state,
        submission: { resolution: 'Cleaned up.' },
        cancelled: false,
        ...more,
      },
      json,
    );
  const { state } = opened.dialog;
  expect((await submit(JSON.stringify({ ...(JSON.parse(state) as object), workUnitId: unit + 1 }))).status).toBe(401);
  expect((await submit('')).status).toBe(401);
  expect((await submit(state, { cancelled: true })).body).toEqual({});
  expect((await at.unit(me, unit))['stateId']).toBe('New');
  expect((await submit(state, { user_id: bot })).body).toMatchObject({ error: expect.stringContaining('e-mail address') as string });
  for (let n = 0; n < 2; n += 1) expect((await submit(state)).body).toEqual({});
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'Resolved', resolution: 'Cleaned up.' });
  await at.work();
});

it('posts cards with a link that acknowledges to Teams, one for each state', async () => {
  const { id } = await at.subscribe(me, { service: 'Teams', tenantId, address: `${at.origin}/workflows/1/triggers/manual/paths/invoke` });
  const unit = await at.openUnit(me, tenantId);
  await act(unit);
  expect(sent()).toEqual(Array.from({ length: 3 }, () => 'POST /workflows/1/triggers/manual/paths/invoke?value-of-Token'));
  expect(JSON.stringify(at.calls[0]?.body)).toMatch(/"Action\.OpenUrl","title":"Acknowledge","url":"http:\/\/localhost\/ack\//);
  expect(JSON.stringify(at.calls[2]?.body)).toContain('resolved #');
  expect(JSON.stringify(at.calls[2]?.body)).not.toContain('/ack/');
  expect(JSON.stringify(at.calls)).not.toContain('twice');
  // Of a card whose answer was lost nobody can say whether it is there: the next one says that it may be the second.
  at.calls.length = 0;
  at.disturb = () => ({ isLost: true });
  await at.openUnit(me, tenantId);
  await at.work();
  at.disturb = undefined;
  await at.soon();
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${id}/resume`);
  await at.work();
  expect(at.calls.map(({ body }) => JSON.stringify(body).includes('may be here twice'))).toEqual([false, true]);
  expect((await callBack(id, '{}', {})).status).toBe(401);
  expect((await at.world.call(me, 'POST', `/v1/eventSubscriptions/${id}`, { address: `${at.origin}/x?sig=1` })).status).toBe(400);
});
