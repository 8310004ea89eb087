/** GitHub in both directions. The server of the test answers as the documentation of GitHub says, and its webhooks have the documented form. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { holder, type TestCaller } from '../../testing/world.ts';
import { serviceWorld, type ServiceCall, type ServiceReply, type ServiceWorld } from './testing/service-world.ts';

interface Issue {
  number: number;
  title: string;
  state: string;
  state_reason: string | null;
  html_url: string;
  updated_at: string;
}

let at: ServiceWorld;
let tenantId: string;
let me: TestCaller;
let issues: Issue[] = [];
let minute = 0;
/** GitHub's clock goes on by a minute at each change. */
const tick = () => `2026-05-01T08:${String((minute += 1)).padStart(2, '0')}:00Z`;

function answer({ method, path, body }: ServiceCall): ServiceReply {
  if (method === 'GET' && path === '/repos/acme/ops') return { body: { full_name: 'acme/ops' } };
  if (method === 'POST' && path === '/repos/acme/ops/issues') {
    const number = issues.length + 1;
    const issue: Issue = {
      number,
      title: String(body['title']),
      state: 'open',
      state_reason: null,
      html_url: `https://github.com/acme/ops/issues/${number}`,
      updated_at: tick(),
    };
    issues.push(issue);
    return { status: 201, body: issue };
  }
  const [, number, comments] = /^\/repos\/acme\/ops\/issues\/(\d+)(\/comments)?$/.exec(path) ?? [];
  const issue = issues[Number(number) - 1];
  if (!issue) return { status: 404, body: { message: 'Not Found' } };
  issue.updated_at = tick();
  if (comments) return { status: 201, body: { id: 1, body: body['body'] } };
  Object.assign(issue, body);
  return { body: issue };
}

beforeAll(async () => {
  at = await serviceWorld(answer);
});
beforeEach(async () => {
  ({ tenantId, me } = await at.tenant());
  at.calls.length = 0;
  at.disturb = undefined;
  issues = [];
  minute = 0;
});
afterAll(() => at.close());

const subscribe = (body: object = {}) => at.subscribe(me, { service: 'GitHub', tenantId, place: 'acme/ops', ...body });

interface Hook {
  id: string;
  secret: string;
  delivery?: string;
  form?: boolean;
}

function hook({ id, secret, delivery = randomUUID(), form = false }: Hook, event: string, payload: object) {
  const json = JSON.stringify(payload);
  const body = form ? new URLSearchParams({ payload: json }).toString() : json;
  return at.world.call(null, 'POST', `/v1/eventSubscriptions/${id}/calls`, body, {
    'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
    'x-github-event': event,
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });
}
const about = (action: string, more: object = {}, issue: Partial<Issue> = {}, login = 'octocat') => ({
  action,
  issue: { ...(issues[0] as Issue), ...issue },
  repository: { full_name: 'Acme/ops' },
  sender: { login },
  ...more,
});
const sent = () => at.calls.map(({ method, path, body }) => [`${method} ${path}`, body['state'] ?? body['body'] ?? body['title']]);

it('makes an issue for a unit, and mirrors its notes and states with the names of people', async () => {
  const { id } = await subscribe();
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  await at.note(me, unit, 'I am on it.');
  await at.change(me, unit, { stateId: 'Acknowledged' });
  await at.change(me, unit, { title: 'Disk full on web-1' });
  await at.change(me, unit, { stateId: 'Resolved', resolution: 'Cleaned up.' });
  await at.work();
  expect(sent()).toEqual([
    ['POST /repos/acme/ops/issues', expect.stringMatching(/Sev1[\s\S]+workunitsv2\?workUnitId=/)],
    ['POST /repos/acme/ops/issues/1/comments', expect.stringContaining('I am on it.')],
    ['POST /repos/acme/ops/issues/1/comments', expect.stringMatching(/^person@example\.com acknowledged #\d+ in CloudFit\./)],
    ['PATCH /repos/acme/ops/issues/1', 'Sev1: Disk full on web-1'],
    ['PATCH /repos/acme/ops/issues/1', 'closed'],
    ['POST /repos/acme/ops/issues/1/comments', expect.stringContaining('Cleaned up.')],
  ]);
  expect(at.calls.every(({ headers }) => headers.authorization === 'Bearer value-of-Token')).toBe(true);
  expect(await at.link(me, unit)).toMatchObject({
    name: 'acme/ops#1',
    url: 'https://github.com/acme/ops/issues/1',
    remoteState: 'closed',
    problem: null,
  });
  await at.change(me, unit, { stateId: 'New' });
  await at.work();
  expect(sent().slice(6)).toEqual([
    ['PATCH /repos/acme/ops/issues/1', 'open'],
    ['POST /repos/acme/ops/issues/1/comments', expect.stringContaining('back to New')],
  ]);
  // A unit that is over before anybody is told of it gets no issue.
  const short = await at.openUnit(me, tenantId);
  await at.change(me, short, { stateId: 'Acknowledged' });
  await at.change(me, short, { stateId: 'Resolved', resolution: 'Nothing.' });
  await at.work();
  expect(await at.link(me, short)).toBeUndefined();
  // The token is in no answer that people read.
  expect(JSON.stringify(await at.deliveries(me, id))).not.toContain('value-of-Token');
});

it('takes comments as notes and the end of an issue as that of its unit, each once, and answers nothing of it', async () => {
  const to = await subscribe();
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  at.calls.length = 0;
  const comment = { comment: { body: 'Looks like the log.', user: { login: 'hubot' }, html_url: 'https://github.com/c/1' } };
  const delivery = randomUUID();
  for (const form of [false, true]) await hook({ ...to, delivery, form }, 'issue_comment', about('created', comment));
  const closed = about('closed', {}, { state: 'closed', state_reason: 'completed', updated_at: '2026-05-01T09:00:00Z' });
  const first = await hook(to, 'issues', closed);
  expect([first.status, first.body]).toEqual([200, { outcome: 'taken', workUnitId: unit, deeds: ['resolved'] }]);
  const again = await hook(to, 'issues', closed);
  expect(again.body['outcome']).toBe('unchanged');
  expect(await at.unit(me, unit)).toMatchObject({
    stateId: 'Resolved',
    resolution: 'octocat set acme/ops#1 in GitHub to closed.',
    modifiedBy: 'octocat (GitHub)',
  });
  const notes = (await at.notes(me, unit)).filter(({ historyType }) => historyType === null);
  expect(notes).toMatchObject([{ detail: 'Looks like the log.', createdBy: 'hubot (GitHub)' }]);
  await at.work();
  expect(sent()).toEqual([]);
  // Late: an older delivery, from before the issue was closed.
  await hook(
    to,
    'issues',
    about('edited', { changes: { title: { from: 'x' } } }, { updated_at: '2026-05-01T08:30:00Z', title: 'Sev1: Old' }),
  );
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'Resolved', title: 'Disk full' });
  await hook(to, 'issues', about('reopened', {}, { updated_at: '2026-05-01T09:05:00Z' }));
  await hook(
    to,
    'issues',
    about('edited', { changes: { title: { from: 'x' } } }, { updated_at: '2026-05-01T09:06:00Z', title: 'Sev1: Disk of web-1' }),
  );
  expect(await at.unit(me, unit)).toMatchObject({ stateId: 'New', title: 'Disk of web-1' });
  await at.work();
  expect(sent()).toEqual([]);
  await at.note(me, unit, 'Thanks.');
  await at.work();
  expect(sent()).toEqual([['POST /repos/acme/ops/issues/1/comments', expect.stringContaining('Thanks.')]]);
});

it('takes the end of an issue whose webhook is later than a change from here, and says why a unit stays open', async () => {
  const to = await subscribe();
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  const closing = { state: 'closed', updated_at: tick() };
  Object.assign(issues[0] as Issue, closing);
  await at.change(me, unit, { title: 'Disk full on web-1' });
  await at.work();
  expect((await hook(to, 'issues', about('closed', {}, closing))).body).toMatchObject({ deeds: ['resolved'] });
  // A change request ends by its plan.
  const change = await at.openUnit(me, tenantId, { title: 'New firmware' });
  await at.work();
  await at.rows('update work_unit set work_unit_type_id = 2 where work_unit_id = $1', change);
  const other = about('closed', {}, { ...issues[1], state: 'closed', updated_at: '2026-05-01T09:00:00Z' });
  expect((await hook(to, 'issues', other)).body).toMatchObject({ deeds: ['noted'] });
  expect((await at.notes(me, change)).at(-1)?.detail).toMatch(
    /^octocat set acme\/ops#2 in GitHub to closed\. The work unit stays New: .+ required/,
  );
});

it('does not read back what it has written, also before GitHub has answered', async () => {
  const to = await subscribe();
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  await at.note(me, unit, 'From here.');
  await at.change(me, unit, { stateId: 'Acknowledged' });
  await at.work();
  const written = at.calls.filter(({ path }) => path.endsWith('/comments')).map(({ body }) => body['body']);
  expect(written).toHaveLength(2);
  for (const body of written) {
    const read = await hook(to, 'issue_comment', about('created', { comment: { body, user: { login: 'cloudfit-bot' } } }));
    expect(read.body['outcome']).toBe('unchanged');
  }
  expect((await at.notes(me, unit)).filter(({ historyType }) => historyType === null)).toHaveLength(1);
});

it('refuses what is not signed by its secret, and says what it has no unit for', async () => {
  const to = await subscribe();
  const other = await subscribe({ place: 'acme/other' });
  await at.openUnit(me, tenantId);
  await at.work();
  const closed = about('closed', {}, { state: 'closed', updated_at: '2026-05-01T09:00:00Z' });
  for (const wrong of [
    { ...to, secret: other.secret },
    { ...to, secret: '' },
    { id: randomUUID(), secret: to.secret },
  ])
    expect((await hook(wrong, 'issues', closed)).status).toBe(401);
  const unsigned = await at.world.call(null, 'POST', `/v1/eventSubscriptions/${to.id}/calls`, closed, { 'x-github-event': 'issues' });
  expect([unsigned.status, unsigned.text]).toEqual([401, expect.stringContaining('X-Hub-Signature-256')]);
  expect((await hook(other, 'issues', closed)).body).toMatchObject({
    outcome: 'unknown',
    message: expect.stringContaining('acme/other') as string,
  });
  expect((await hook(to, 'issues', about('closed', {}, { number: 77, html_url: 'https://github.com/acme/ops/issues/77' }))).body).toEqual({
    outcome: 'unknown',
    message: 'No work unit is linked to Acme/ops#77.',
  });
  expect((await hook(to, 'ping', { zen: 'Keep it logically awesome.' })).body['outcome']).toBe('pong');
  expect((await hook(to, 'issues', about('labeled'))).body['outcome']).toBe('ignored');
  expect((await hook(to, 'push', { ref: 'x' })).body['outcome']).toBe('ignored');
  const renewed = await at.world.call(me, 'PUT', `/v1/eventSubscriptions/${to.id}/secret`);
  for (const secret of [to.secret, String(renewed.body['generatedSecret'])])
    expect((await hook({ ...to, secret }, 'ping', {})).status).toBe(200);
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${to.id}`, { enabled: false });
  expect((await hook(to, 'ping', {})).status).toBe(403);
});

it('links an issue that is the reference of a unit, in its own tenant only', async () => {
  const to = await subscribe({ creates: false, reopens: false, externalOnly: true });
  const outsider = await at.tenant();
  const url = 'https://github.com/acme/ops/issues/1';
  answer({ method: 'POST', path: '/repos/acme/ops/issues', headers: {}, body: { title: 'By hand' } });
  const theirs = await at.openUnit(outsider.me, outsider.tenantId, { referenceId: '1', referenceUrl: url });
  const closed = about('closed', {}, { state: 'closed', updated_at: '2026-05-01T09:00:00Z' });
  expect((await hook(to, 'issues', closed)).body['outcome']).toBe('unknown');
  const unit = await at.openUnit(me, tenantId);
  const ours = await at.openUnit(me, tenantId, { referenceId: '1', referenceUrl: url });
  await at.note(me, ours, 'Only for us.');
  await at.note(me, ours, 'For everybody.', true);
  await at.work();
  expect(sent()).toEqual([['POST /repos/acme/ops/issues/1/comments', expect.stringContaining('For everybody.')]]);
  expect((await hook(to, 'issues', closed)).body).toMatchObject({ outcome: 'taken', workUnitId: ours });
  await hook(to, 'issues', about('reopened', {}, { updated_at: '2026-05-01T09:10:00Z' }));
  expect((await at.unit(me, ours))['stateId']).toBe('Resolved');
  expect((await at.notes(me, ours)).at(-1)?.detail).toBe('octocat opened acme/ops#1 in GitHub again. The work unit stays Resolved.');
  expect([(await at.unit(outsider.me, theirs))['stateId'], (await at.unit(me, unit))['stateId']]).toEqual(['New', 'New']);
  expect(await at.link(outsider.me, ours)).toBeUndefined();
  // A unit that moves to another customer is no longer this subscription's.
  await at.change(holder([tenantId, outsider.tenantId]), ours, { tenantId: outsider.tenantId });
  await at.work();
  at.calls.length = 0;
  await at.note(outsider.me, ours, 'Of another customer.', true);
  await at.work();
  expect(sent()).toEqual([]);
  const comment = { comment: { body: 'Still there?', user: { login: 'octocat' } } };
  expect((await hook(to, 'issue_comment', about('created', comment))).body['outcome']).toBe('unknown');
});

it('waits as long as GitHub says, makes no second issue, and passes an issue that is deleted', async () => {
  const { id } = await subscribe();
  at.disturb = ({ path }) =>
    path.endsWith('/comments') ? { status: 429, headers: { 'retry-after': '120' }, body: { message: 'slow down' } } : undefined;
  const unit = await at.openUnit(me, tenantId);
  await at.note(me, unit, 'Slowly.');
  await at.work();
  const [pause] = await at.rows<{ seconds: number }>(
    'select extract(epoch from hold_until - now())::int as seconds from event_subscription where event_subscription_id = $1',
    id,
  );
  expect(pause?.seconds).toBeGreaterThan(100);
  expect((await at.link(me, unit))?.['problem']).toBe('The receiver answered 429.');
  at.disturb = undefined;
  await at.soon();
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${id}/resume`);
  await at.work();
  expect([issues.length, (await at.link(me, unit))?.['problem']]).toEqual([1, null]);
  at.disturb = ({ path }) => (path.endsWith('/comments') ? { status: 410, body: { message: 'This issue was deleted' } } : undefined);
  await at.note(me, unit, 'Nobody reads it.');
  const other = await at.openUnit(me, tenantId);
  await at.work();
  expect((await at.deliveries(me, id)).map(({ status }) => status)).toEqual(['Delivered', 'Delivered', 'Failed', 'Delivered']);
  expect((await at.link(me, unit))?.['problem']).toBe('The receiver answered 410.');
  expect(await at.link(me, other)).toMatchObject({ name: 'acme/ops#2' });
});

it('asks for what GitHub needs, and whether the caller may use it', async () => {
  const make = (body: object, caller = me) =>
    at.world.call(caller, 'PUT', '/v1/eventSubscriptions', {
      name: 'GitHub',
      service: 'GitHub',
      entity: 'workUnits',
      address: at.origin,
      tenantId,
      place: 'acme/ops',
      tokenSecret: 'Token',
      ...body,
    });
  const targets = (reply: { body: Record<string, unknown> }) =>
    (reply.body['error'] as { details: { target: string }[] }).details.map(({ target }) => target);
  expect(targets(await make({ place: 'ops', tokenSecret: null, entity: 'ruleMatches' }))).toEqual(['entity', 'place', 'tokenSecret']);
  expect(targets(await make({ tokenSecret: 'Nowhere' }))).toEqual(['tokenSecret']);
  const settings = [
    'CloudFit.CFS.Settings:view',
    'CloudFit.CFS.Settings:edit',
    'CloudFit.CFS.Settings:create',
    'CloudFit.CFS.WorkUnits:view',
  ] as const;
  expect(targets(await make({}, holder([tenantId], [...settings])))).toEqual(['tokenSecret', 'service']);
  const created = await make({});
  const tested = await at.world.call(me, 'POST', `/v1/eventSubscriptions/${String(created.body['eventSubscriptionId'])}/test`);
  expect(tested.status, tested.text).toBe(200);
  await at.work();
  expect(at.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /repos/acme/ops']);
});
