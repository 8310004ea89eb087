/** Calls whose answers are lost: the service has done what it was asked to, and nobody here knows. Servers of the test keep what they were given. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestCaller } from '../../testing/world.ts';
import { serviceWorld, type ServiceCall, type ServiceReply, type ServiceWorld } from './testing/service-world.ts';

type Body = Record<string, unknown>;

let at: ServiceWorld;
let tenantId: string;
let me: TestCaller;
/** The tickets or messages, and what was written at them. */
let tickets: Body[] = [];
let remarks: Body[] = [];
let ended = false;

const sysId = 'c537bae64f411200adf9f8e18110c76e';
const channel = 'c'.repeat(26);
const keep = (list: Body[], item: Body): Body => {
  list.push(item);
  return item;
};
const page = (list: readonly Body[], query: URLSearchParams) => {
  const size = Number(query.get('per_page'));
  return list.slice((Number(query.get('page')) - 1) * size, Number(query.get('page')) * size);
};

function github({ method, path, body }: ServiceCall): ServiceReply {
  const [place = '', query] = path.split('?');
  const values = new URLSearchParams(query);
  const isRemark = place.endsWith('/comments');
  if (method === 'GET') return { body: page(isRemark ? remarks : [...tickets, ...foreign].toReversed(), values) };
  if (method === 'PATCH') ended = body['state'] === 'closed';
  if (method === 'POST') keep(isRemark ? remarks : tickets, { ...body, number: 1, html_url: 'https://github.com/acme/ops/issues/1' });
  return { status: 201, body: { ...tickets[0], state: ended ? 'closed' : 'open' } };
}
/** Issues of others that were made since. */
const foreign = Array.from({ length: 45 }, (_, n) => ({ number: n + 2, body: n % 2 ? null : 'Another' }));

const jiraStatus = () => ({ name: ended ? 'Done' : 'To Do', statusCategory: { key: ended ? 'done' : 'new' } });
function jira({ method, path, body }: ServiceCall): ServiceReply {
  const [place = '', query] = path.split('?');
  if (place.endsWith('/search/jql')) return { status: 404, body: {} };
  if (place.endsWith('/search')) {
    const label = /labels = "([^"]+)"/.exec(new URLSearchParams(query).get('jql') ?? '')?.[1];
    const matching = tickets.filter(({ fields }) => (fields as { labels: string[] }).labels.includes(label ?? ''));
    return { body: { issues: matching.map(() => ({ key: 'OPS-24' })) } };
  }
  if (place.endsWith('/transitions')) {
    ended ||= method === 'POST';
    return { body: { transitions: [{ id: '31', to: { name: 'Done', statusCategory: { key: 'done' } } }] } };
  }
  if (place.endsWith('/comment')) return { body: method === 'GET' ? { comments: remarks } : keep(remarks, body) };
  if (method === 'POST') keep(tickets, body);
  return { body: { key: 'OPS-24', fields: { status: jiraStatus() } } };
}

function serviceNow({ method, path, body }: ServiceCall): ServiceReply {
  const record = { sys_id: sysId, number: 'INC1', state: '1' };
  const [place = '', query] = path.split('?');
  const isRecord = place.endsWith(sysId);
  if (method === 'GET' && isRecord)
    return {
      body: { result: { comments: '', work_notes: remarks.map((item) => `2026 - CloudFit\n${String(item['work_notes'])}`).join('\n\n') } },
    };
  if (method === 'GET') {
    const condition = new URLSearchParams(query).get('sysparm_query');
    return {
      body: { result: tickets.filter((item) => condition === `correlation_id=${String(item['correlation_id'])}`).map(() => record) },
    };
  }
  if (method === 'POST') keep(tickets, body);
  else if (body['work_notes']) keep(remarks, body);
  ended ||= body['state'] === '6';
  return { body: { result: record } };
}

function slack({ path, body }: ServiceCall): ServiceReply {
  const [method = '', query] = path.slice(1).split('?');
  const values = new URLSearchParams(query);
  if (method === 'conversations.history') {
    const isLater = values.has('cursor');
    const more = isLater ? {} : { response_metadata: { next_cursor: 'next' } };
    return { body: { ok: true, messages: isLater ? tickets : [{ ts: '9', text: 'Of somebody' }], ...more } };
  }
  if (method === 'conversations.replies') return { body: { ok: true, messages: [...tickets, ...remarks] } };
  if (method === 'chat.update') ended = !JSON.stringify(body).includes('"actions"');
  if (method !== 'chat.postMessage') return { body: { ok: true } };
  return { body: { ok: true, channel, ...keep(body['thread_ts'] ? remarks : tickets, { ...body, ts: `17.${tickets.length}` }) } };
}

function mattermost({ method, body }: ServiceCall): ServiceReply {
  const id = 'p'.repeat(26);
  if (method === 'GET')
    return { body: { order: [], posts: Object.fromEntries([...tickets, ...remarks].map((post, n) => [String(n), { id, ...post }])) } };
  if (method === 'PUT') ended = !JSON.stringify(body).includes('"Resolve"');
  else keep(body['root_id'] ? remarks : tickets, body);
  return { body: { id } };
}

const kinds = {
  GitHub: { answer: github, place: 'acme/ops', remarks: 3 },
  Jira: { answer: jira, place: 'OPS', remarks: 3 },
  ServiceNow: { answer: serviceNow, place: 'incident', remarks: 3 },
  // States change the message of a chat.
  Slack: { answer: slack, place: channel, remarks: 1 },
  Mattermost: { answer: mattermost, place: channel, remarks: 1 },
} as const;
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];
let kind: Kind = 'GitHub';

beforeAll(async () => {
  at = await serviceWorld((call) => kinds[kind].answer(call));
});
beforeEach(async () => {
  ({ tenantId, me } = await at.tenant());
  at.disturb = undefined;
  [tickets, remarks, ended] = [[], [], false];
});
afterAll(() => at.close());

const subscribe = (service: Kind) => {
  kind = service;
  return at.subscribe(me, { service, tenantId, place: kinds[service].place, signingSecret: 'Signing' });
};
const isPost = ({ method, path, body }: ServiceCall): boolean =>
  (method === 'POST' && !path.includes('chat.update')) || body['work_notes'] !== undefined;
/** Does what a call asks for and loses the answer, of each text once. */
function loseEach(): void {
  const lost = new Set<string>();
  at.disturb = (call) => {
    const text = `${call.path} ${JSON.stringify(call.body)}`;
    if (!isPost(call) || lost.has(text)) return undefined;
    lost.add(text);
    kinds[kind].answer(call);
    return { isLost: true };
  };
}
/** Tries again, until nothing waits. */
async function tryAgain(id: string): Promise<void> {
  for (let n = 0; n < 12; n += 1) {
    await at.work();
    await at.soon();
    await at.world.call(me, 'POST', `/v1/eventSubscriptions/${id}/resume`);
  }
  await at.work();
  expect((await at.deliveries(me, id)).map(({ status }) => status)).not.toContain('Waiting');
}

it.each(names)('writes nothing twice to %s when answers are lost', async (service) => {
  const { id } = await subscribe(service);
  loseEach();
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  await at.note(me, unit, 'I am on it.');
  await at.change(me, unit, { stateId: 'Acknowledged' });
  await at.change(me, unit, { stateId: 'Resolved', resolution: 'Cleaned up.' });
  await tryAgain(id);
  expect([tickets.length, remarks.length, ended]).toEqual([1, kinds[service].remarks, true]);
  expect(await at.link(me, unit)).toMatchObject({ problem: null });
  expect((await at.deliveries(me, id)).map(({ status }) => status)).toEqual(['Delivered', 'Delivered', 'Delivered', 'Delivered']);
});

it.each(names)('writes nothing twice to %s after a kill between the call and its commit', async (service) => {
  const { id } = await subscribe(service);
  const unit = await at.openUnit(me, tenantId);
  await at.note(me, unit, 'I am on it.');
  await at.work();
  // What is left of a process that was killed: the event is stored, and no outcome of its call.
  await at.rows('delete from unit_link where work_unit_id = $1', unit);
  await at.rows(
    `update event_delivery set status = 'Waiting', attempts = 0, first_attempt = null, last_attempt = null, claimed_by = 1, claimed_until = now() - interval '1 second'
      where event_subscription_id = $1`,
    id,
  );
  await tryAgain(id);
  expect([tickets.length, remarks.length]).toEqual([1, 1]);
  expect(await at.link(me, unit)).toMatchObject({ problem: null });
});

it.each(names)('ends a ticket of %s of which it learns after the unit has ended', async (service) => {
  const { id } = await subscribe(service);
  loseEach();
  const unit = await at.openUnit(me, tenantId);
  await at.work();
  await at.change(me, unit, { stateId: 'Canceled', resolution: 'Nothing to do.' });
  await tryAgain(id);
  expect([tickets.length, ended]).toEqual([1, true]);
});

it('makes a ticket where the token may not look for it, and waits while the service cannot answer', async () => {
  const { id } = await subscribe('Jira');
  await at.openUnit(me, tenantId);
  let status = 503;
  at.disturb = ({ path, method }) => (path.includes('/search') || (method === 'POST' && status === 503) ? { status, body: {} } : undefined);
  await at.work();
  await at.soon();
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${id}/resume`);
  await at.work();
  expect(tickets).toEqual([]);
  // Too many calls: the search was not made, so nothing says that there is no ticket.
  status = 429;
  await at.soon();
  await at.world.call(me, 'POST', `/v1/eventSubscriptions/${id}/resume`);
  await at.work();
  expect(tickets).toEqual([]);
  status = 403;
  await tryAgain(id);
  expect(tickets).toHaveLength(1);
});

it('asks for nothing at a first try', async () => {
  await subscribe('GitHub');
  const unit = await at.openUnit(me, tenantId);
  await at.note(me, unit, 'I am on it.');
  at.calls.length = 0;
  await at.work();
  expect(at.calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
});
