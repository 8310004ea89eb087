/** Slack in both directions. The server of the test answers as the documentation of the Web API says; requests are signed as Slack signs them. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { personIn } from '../../testing/samples.ts';
import { holder, type TestCaller } from '../../testing/world.ts';
import { serviceWorld, type ServiceCall, type ServiceReply, type ServiceWorld } from './testing/service-world.ts';

const channel = 'C024BE91L';
let at: ServiceWorld;
let tenantId: string;
let me: TestCaller;
let to: { id: string };
let posts = 0;
let users: Record<string, object> = {};

function answer({ path, body }: ServiceCall): ServiceReply {
  const [method = '', query = ''] = path.slice(1).split('?');
  if (method === 'chat.postMessage') {
    if (body['channel'] !== channel) return { body: { ok: false, error: 'channel_not_found' } };
    posts += 1;
    return { body: { ok: true, channel, ts: `1700000000.00000${posts}` } };
  }
  if (method === 'users.info') {
    const user = users[new URLSearchParams(query).get('user') ?? ''];
    return { body: user ? { ok: true, user } : { ok: false, error: 'user_not_found' } };
  }
  if (method === 'chat.getPermalink')
    return { body: { ok: true, permalink: 'https://acme.slack.com/archives/C024BE91L/p1700000000000001' } };
  return { body: { ok: true } };
}

const names = { U1: 'Ada Lovelace', U2: 'Bob Viewer' };

beforeAll(async () => {
  at = await serviceWorld(answer);
});
beforeEach(async () => {
  ({ tenantId, me } = await at.tenant());
  at.calls.length = 0;
  at.disturb = undefined;
  posts = 0;
  users = {};
  to = await at.subscribe(me, { service: 'Slack', tenantId, place: channel, signingSecret: 'Signing' });
  for (const [user, name] of Object.entries(names)) {
    const id = await personIn(at.world, tenantId, name);
    const [row] = await at.rows<{ email: string }>('update person set email_verified = true where person_id = $1 returning email', id);
    users[user] = { id: user, profile: { email: row?.email.toUpperCase() } };
    if (user === 'U2') await at.rows('delete from access_grant where person_id = $1', id);
  }
  await at.rows(
    `update permission_set set permissions = permissions || '["CloudFit.CFS.WorkUnits:create"]' where tenant_id = $1`,
    tenantId,
  );
  users['U3'] = { id: 'U3', profile: { email: 'nobody@example.com' } };
  users['U4'] = { ...users['U1'], is_stranger: true };
});
afterAll(() => at.close());

const bodies = (method: string) => at.calls.filter(({ path }) => path.startsWith(`/${method}`)).map(({ body }) => body);
const whispers = () => bodies('chat.postEphemeral').map(({ user, text }) => [user, text]);

interface Signed {
  secret?: string;
  seconds?: number;
  form?: boolean;
  /** What follows the media type of a form. */
  formEnd?: string;
}

function send(json: object, { secret = 'value-of-Signing', seconds = 0, form = false, formEnd = '' }: Signed = {}) {
  const text = form ? new URLSearchParams({ payload: JSON.stringify(json) }).toString() : JSON.stringify(json);
  const time = Math.floor(Date.now() / 1_000) + seconds;
  return at.world.call(null, 'POST', `/v1/eventSubscriptions/${to.id}/calls`, text, {
    'content-type': form ? `application/x-www-form-urlencoded${formEnd}` : 'application/json',
    'x-slack-request-timestamp': String(time),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${time}:${text}`).digest('hex')}`,
  });
}
const ts = (n: number) => `1700000000.00000${n}`;
const press = (deed: string, workUnitId: number, user = 'U1', message = ts(1), actionTs: string = randomUUID()) =>
  send(
    {
      type: 'block_actions',
      user: { id: user },
      container: { channel_id: channel, message_ts: message },
      channel: { id: channel },
      message: { ts: message },
      response_url: 'https://hooks.slack.com/actions/T/1/x',
      actions: [{ action_id: `cloudfit_${deed}`, value: String(workUnitId), action_ts: actionTs, type: 'button' }],
    },
    { form: true },
  );
const reply = (text: string, user = 'U1', more: object = {}, eventId: string = randomUUID()) =>
  send({
    type: 'event_callback',
    event_id: eventId,
    event: { type: 'message', channel, user, text, ts: '1700000009.000001', thread_ts: ts(1), ...more },
  });

it('posts one message for a unit, which follows it, with notes in its thread', async () => {
  const unit = await at.openUnit(me, tenantId, { title: 'Disk <full> & hot' });
  await at.work();
  await at.note(me, unit, 'I am on it.');
  await at.change(me, unit, { severityId: 'Sev2' });
  await at.change(me, unit, { description: 'Nobody sees this in the message.' });
  await at.change(me, unit, { stateId: 'Acknowledged' });
  await at.change(me, unit, { stateId: 'Resolved', resolution: 'Cleaned up.' });
  await at.work();
  expect(at.calls.map(({ path }) => path.split('?')[0])).toEqual(
    ['chat.postMessage', 'chat.getPermalink', 'chat.postMessage', 'chat.update', 'chat.update', 'chat.update'].map((name) => `/${name}`),
  );
  const [opened, thread] = bodies('chat.postMessage');
  expect(JSON.stringify(opened)).toContain('Disk &lt;full&gt; &amp; hot');
  expect(opened).toMatchObject({ channel, blocks: [{}, {}, { type: 'actions', elements: [{ value: String(unit) }, {}, {}] }] });
  expect(thread).toMatchObject({ channel, thread_ts: ts(1), text: 'person@example.com: I am on it.' });
  const last = JSON.stringify(bodies('chat.update').at(-1));
  expect(last).toContain('person@example.com resolved #');
  expect(last).not.toContain('"actions"');
  expect(await at.link(me, unit)).toMatchObject({
    service: 'Slack',
    remoteState: 'Resolved',
    url: 'https://acme.slack.com/archives/C024BE91L/p1700000000000001',
    problem: null,
  });
});

it('acknowledges, assigns and resolves in the name of the person who pressed, and the message shows it', async () => {
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const once = randomUUID();
  for (let n = 0; n < 2; n += 1) expect(await press('acknowledge', unit, 'U1', ts(1), once)).toMatchObject({ status: 200, body: {} });
  const acknowledged = await at.unit(me, unit);
  expect(acknowledged).toMatchObject({ stateId: 'Acknowledged', modifiedBy: expect.stringMatching(/^ada\.lovelace/) as string });
  expect(acknowledged['assignedTo']).toBe(acknowledged['modifiedBy']);
  await at.work();
  expect(JSON.stringify(bodies('chat.update').at(-1))).toMatch(/Ada Lovelace acknowledged #\d+ in CloudFit.*Assign to me/);
  await press('acknowledge', unit);
  await press('assign', unit);
  await press('resolve', unit);
  await press('resolve', unit);
  expect(whispers().map(([, text]) => text)).toEqual([
    expect.stringMatching(/is Acknowledged already/),
    expect.stringMatching(/is assigned to you already/),
    expect.stringMatching(/is Resolved already/),
  ]);
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'Resolved', resolution: 'Resolved in Slack.' });
  const audit = await at.rows<{ actor: string }>(
    "select actor_name as actor from audit where entity = 'workUnits' and entity_id = $1",
    String(unit),
  );
  expect(audit.filter(({ actor }) => actor.startsWith('ada.lovelace')).length).toBe(2);
});

it('asks how a unit was resolved, and takes what is entered', async () => {
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const pressed = (more: object) =>
    send(
      {
        type: 'block_actions',
        user: { id: 'U1' },
        trigger_id: '13345224609.738474920',
        container: { channel_id: channel, message_ts: ts(1) },
        actions: [{ action_id: 'cloudfit_resolve', value: String(unit), action_ts: randomUUID(), type: 'button' }],
        ...more,
      },
      { form: true, formEnd: '; charset=utf-8' },
    );
  expect((await pressed({})).body).toEqual({});
  const [opened] = bodies('views.open');
  expect(opened).toMatchObject({ trigger_id: '13345224609.738474920', view: { type: 'modal', callback_id: 'cloudfit_resolve' } });
  expect((await at.unit(me, unit))['stateId']).toBe('New');
  const submit = (user: string, value: string | null, viewId: string = randomUUID()) =>
    send(
      {
        type: 'view_submission',
        user: { id: user },
        view: {
          id: viewId,
          callback_id: 'cloudfit_resolve',
          private_metadata: (opened?.['view'] as undefined | { private_metadata: string })?.private_metadata,
          state: { values: { resolution: { text: { type: 'plain_text_input', value } } } },
        },
      },
      { form: true },
    );
  // Who sends the dialog needs the right, not who has pressed.
  expect((await submit('U2', 'Not mine.')).body).toMatchObject({
    response_action: 'errors',
    errors: { resolution: expect.stringContaining('You may not edit') as string },
  });
  for (let n = 0; n < 2; n += 1) expect((await submit('U1', ' Cleaned up. ', 'V1')).body).toEqual({});
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'Resolved', resolution: 'Cleaned up.' });
  expect((await submit('U1', 'Again.')).body).toMatchObject({
    errors: { resolution: expect.stringMatching(/is Resolved already/) as string },
  });
  await pressed({});
  expect(whispers().at(-1)?.[1]).toMatch(/is Resolved already/);
  expect(bodies('views.open')).toHaveLength(1);
  // Where no dialog opens, the button works as it says.
  const other = await at.openUnit(me, tenantId);
  await at.work();
  at.disturb = ({ path }) => (path === '/views.open' ? { body: { ok: false, error: 'expired_trigger_id' } } : undefined);
  await pressed({
    container: { channel_id: channel, message_ts: ts(2) },
    actions: [{ action_id: 'cloudfit_resolve', value: String(other), action_ts: '1' }],
  });
  expect(await at.unit(me, other)).toMatchObject({ stateId: 'Resolved', resolution: 'Resolved in Slack.' });
});

it('refuses whom it does not know or who may not, and tells only them', async () => {
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  for (const user of ['U2', 'U3', 'U4', 'U5']) await press('acknowledge', unit, user);
  await press('acknowledge', unit, 'U1', ts(8));
  await press('acknowledge', unit + 1);
  expect(whispers()).toEqual([
    ['U2', expect.stringContaining('You may not edit work units of this customer')],
    ['U3', expect.stringContaining('Nobody in CloudFit has the verified address nobody@example.com')],
    ['U4', expect.stringContaining('does not tell CloudFit your e-mail address')],
    ['U5', expect.stringContaining('user_not_found')],
    ['U1', 'This message belongs to no work unit any more.'],
    ['U1', 'This message belongs to no work unit any more.'],
  ]);
  await at.rows("update person set email_verified = false where name = 'Ada Lovelace'");
  await press('acknowledge', unit);
  expect(whispers().at(-1)?.[1]).toContain('Nobody in CloudFit has the verified address');
  expect((await at.unit(me, unit))['stateId']).toBe('New');
  // Slack is down while somebody presses: nothing happens, and nothing breaks.
  at.disturb = () => ({ status: 503, body: {} });
  expect((await press('acknowledge', unit)).status).toBe(200);
});

it('gives whom it does not know a link, by which a person connects that user with themselves, until it ends', async () => {
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const [personId, otherId] = [await personIn(at.world, tenantId, 'Cleo'), await personIn(at.world, tenantId, 'Dora')];
  await at.rows('update person set email_verified = true where person_id = $1', personId);
  const as = (id: string): TestCaller => ({ ...holder([tenantId]), actor: { kind: 'person', id, userName: `user-${id}`, name: 'Cleo' } });
  const cleo = as(personId);
  const pressAs = (user: string, team: string, deed = 'acknowledge') =>
    send(
      {
        type: 'block_actions',
        team: { id: team, domain: 'acme' },
        user: { id: user, username: 'cleo.c', team_id: team },
        container: { channel_id: channel, message_ts: ts(1) },
        actions: [{ action_id: `cloudfit_${deed}`, value: String(unit), action_ts: randomUUID(), type: 'button' }],
      },
      { form: true },
    );
  const linkOf = async (user: string, team = 'T1', deed = 'acknowledge') => {
    at.calls.length = 0;
    await pressAs(user, team, deed);
    const text = JSON.stringify(bodies('chat.postEphemeral')[0]?.['blocks'] ?? '');
    return /http:\/\/localhost\/notifications\?connect=([\w-]+)/.exec(text)?.[1] ?? '';
  };
  const call = (who: TestCaller, method: 'PUT' | 'POST' | 'GET' | 'DELETE', path: string, body?: object) =>
    at.world.call(who, method, `/v1/chatAccounts${path}`, body);

  const [first, token] = [await linkOf('U3'), await linkOf('U3')];
  // A later link ends the earlier one; a link of a customer to whom one has no access is dead too, and a token is no person.
  expect((await call(cleo, 'PUT', '', { token: first })).status).toBe(404);
  const elsewhere = await at.world.tenant();
  expect((await call({ ...as(otherId), ...holder([elsewhere.tenantId]) }, 'PUT', '', { token })).status).toBe(404);
  expect((await call({ ...me, actor: { kind: 'token', id: otherId, name: 'Token', scopes: [] } }, 'PUT', '', { token })).status).toBe(403);
  expect((await call(cleo, 'POST', '/link', { token })).body).toMatchObject({
    service: 'Slack',
    workspaceName: 'acme',
    userName: 'cleo.c',
    email: 'nobody@example.com',
  });
  const created = await call(cleo, 'PUT', '', { token });
  expect(created.status, created.text).toBe(200);
  const [mail] = await at.rows<{ payload: object }>(
    "select payload from job where name = 'send-mail' and payload->>'text' like 'Cleo, @cleo.c%'",
  );
  expect(mail?.payload).toMatchObject({ link: '/notifications' });
  expect((await call(as(otherId), 'PUT', '', { token })).status).toBe(404);
  expect(await linkOf('U3')).toBe('');
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'Acknowledged', modifiedBy: expect.stringMatching(/^cleo\./) as string });
  // The same id in another workspace, or at another customer, is somebody else.
  expect(await linkOf('U3', 'T2')).not.toBe('');
  expect(await linkOf('U2')).not.toBe('');
  users['U9'] = { id: 'U9', name: 'helper', is_bot: true };
  expect(await linkOf('U9')).toBe('');

  const accounts = async (who: TestCaller, query = '') => ((await call(who, 'GET', query)).body['accounts'] ?? []) as object[];
  expect([await accounts(cleo), await accounts(as(otherId))]).toMatchObject([[{ userName: 'cleo.c' }], []]);
  expect(await accounts(holder([tenantId]), `?personId=${personId}`)).toHaveLength(1);
  const id = String(created.body['chatAccountId']);
  expect((await call({ ...as(otherId), ...holder([tenantId], ['CloudFit.CFS.People:view']) }, 'DELETE', `/${id}`)).status).toBe(403);
  expect((await call(cleo, 'DELETE', `/${id}`)).status).toBe(204);
  expect(await accounts(cleo)).toEqual([]);
  expect(await linkOf('U3', 'T1', 'resolve')).not.toBe('');
  expect(await at.rows("select verb, tenant_id from audit where entity = 'people' and entity_id = $1 order by audit_id", personId)).toEqual(
    [
      { verb: 'connect-chat', tenant_id: tenantId },
      { verb: 'disconnect-chat', tenant_id: tenantId },
    ],
  );
  await at.rows("update chat_account set expires = now() - interval '1 second'");
  const late = await linkOf('U3');
  await at.rows("update chat_account set expires = now() - interval '1 second'");
  expect((await call(cleo, 'PUT', '', { token: late })).status).toBe(404);
});

it('takes replies in the thread as notes of their people, once, and no others', async () => {
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const notes = async () => (await at.notes(me, unit)).filter(({ historyType }) => historyType === null);
  for (let n = 0; n < 2; n += 1) await reply('See &lt;log&gt; at <https://x.example/a|the log>', 'U1', {}, 'Ev1');
  await reply('Not from a thread', 'U1', { thread_ts: undefined });
  await reply('Another thread', 'U1', { thread_ts: ts(7) });
  await reply('From the app itself', 'U1', { bot_id: 'B1' });
  await reply('Edited', 'U1', { subtype: 'message_changed' });
  expect(await notes()).toMatchObject([
    { detail: 'See <log> at the log (https://x.example/a)', createdBy: expect.stringMatching(/^ada/) as string },
  ]);
  await reply('From outside', 'U3');
  await at.rows(
    `update permission_set set permissions = '["CloudFit.CFS.WorkUnits:view", "CloudFit.CFS.WorkUnits:edit"]' where tenant_id = $1`,
    tenantId,
  );
  await reply('Without the right', 'U1');
  expect(whispers()).toEqual([
    ['U3', expect.stringMatching(/^Your message was not added to the work unit\. Nobody/)],
    ['U1', 'Your message was not added to the work unit. You do not have the permission CloudFit.CFS.WorkUnits:create.'],
  ]);
  at.calls.length = 0;
  await at.work();
  expect(at.calls).toEqual([]);
  expect(await notes()).toHaveLength(1);
});

it('answers only what Slack has signed within five minutes', async () => {
  const hello = { type: 'url_verification', challenge: '3eZbrw1aB' };
  expect((await send(hello)).body).toEqual({ challenge: '3eZbrw1aB' });
  for (const wrong of [{ secret: 'x' }, { seconds: -301 }, { seconds: 301 }]) {
    const refused = await send(hello, wrong);
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('X-Slack-Signature')]);
  }
  expect((await at.world.call(null, 'POST', `/v1/eventSubscriptions/${to.id}/calls`, hello)).status).toBe(401);
});

it('loses nothing when Slack is down or asks to wait, and names what it refuses', async () => {
  at.disturb = () => ({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } });
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  await at.change(me, unit, { stateId: 'Acknowledged' });
  await at.work().catch(() => undefined);
  expect([at.calls.length, (await at.unit(me, unit))['stateId']]).toEqual([1, 'Acknowledged']);
  at.disturb = () => ({ body: { ok: false, error: 'invalid_auth' } });
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${to.id}/resume`);
  await at.work();
  expect((await at.deliveries(me, to.id)).map(({ status, error }) => [status, error])).toEqual([
    ['Waiting', 'Slack answered invalid_auth.'],
    ['Waiting', null],
  ]);
  at.disturb = undefined;
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${to.id}/resume`);
  await at.work();
  expect((await at.deliveries(me, to.id)).map(({ status }) => status)).toEqual(['Delivered', 'Delivered']);
  expect([bodies('chat.update').length, (await at.link(me, unit))?.['remoteState']]).toEqual([1, 'Acknowledged']);
});
