import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exitCodes, runCommand } from './run-command.ts';

let home: string;
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'cloudfit-fetch-'))));
afterEach(() => rm(home, { recursive: true, force: true }));

type Answers = Record<string, object | (() => Response)>;

/** Runs `cloudfit fetch` on answers by path and query; an unnamed one is an empty list. */
async function fetched(line: readonly string[], answers: Answers = {}, key = 'secret-key\n') {
  const written = { out: '', err: '' };
  const sent: { address: string; authorization: string | null }[] = [];
  const keyFile = join(home, 'key');
  await writeFile(keyFile, key);
  const code = await runCommand(['fetch', ...line, ...(line.includes('--key-file') ? [] : ['--key-file', keyFile])], {
    env: {},
    fetch: (input, init) => {
      const url = new URL(String(input));
      const address = `${url.origin}${url.pathname}${url.search.replaceAll(/\d{4}-\d\d-\d\d[^&]*/g, 'TIME')}`;
      sent.push({ address, authorization: new Headers(init?.headers).get('authorization') });
      const answer = answers[address] ?? { data: [], results: [] };
      return Promise.resolve(typeof answer === 'function' ? answer() : Response.json(answer));
    },
    readIn: () => Promise.resolve(new TextEncoder().encode('from-input')),
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    columns: undefined,
    signal: new AbortController().signal,
    platform: 'linux',
    home,
  });
  return { ...written, code, sent };
}

it('reads all pages of Opsgenie, waits when asked to, and goes on without what the key may not read', async () => {
  const eu = 'https://api.eu.opsgenie.com';
  const out = join(home, 'opsgenie.json');
  let tries = 0;
  const answers: Answers = {
    [`${eu}/v2/users?limit=100`]: { data: [{ id: 'a' }], paging: { next: `https://api.opsgenie.com/v2/users?limit=100&offset=100` } },
    [`${eu}/v2/users?limit=100&offset=100`]: () =>
      (tries += 1) === 1 ? new Response('', { status: 429, headers: { 'retry-after': '0' } }) : Response.json({ data: [{ id: 'b' }] }),
    [`${eu}/v2/schedules?expand=rotation`]: { data: [{ id: 's/1' }] },
    [`${eu}/v2/schedules/s%2F1/overrides`]: { data: [{ alias: 'x' }] },
    [`${eu}/v2/schedules/s%2F1/timeline?interval=2&intervalUnit=weeks`]: { data: { finalTimeline: {} } },
    [`${eu}/v2/integrations`]: () => new Response('', { status: 403 }),
  };
  const { code, sent, err } = await fetched(['opsgenie', '--server', `${eu}/`, '--out', out], answers);
  expect([code, err]).toEqual([0, expect.stringContaining(`Left out: ${eu}/v2/integrations refuses the key (403).`)]);
  expect(JSON.parse(await readFile(out, 'utf8'))).toEqual({
    cloudfit: 'moving',
    '/v2/users': [{ id: 'a' }, { id: 'b' }],
    '/v2/schedules': [{ id: 's/1' }],
    '/v2/schedules/s%2F1/overrides': [{ alias: 'x' }],
    '/v2/schedules/s%2F1/timeline': { data: { finalTimeline: {} } },
    '/v2/escalations': [],
  });
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  // The next page is asked of the server that was named, whatever the answer says.
  expect(new Set(sent.map(({ address, authorization }) => `${new URL(address).origin} ${authorization}`))).toEqual(
    new Set([`${eu} GenieKey secret-key`]),
  );
});

it('reads PagerDuty and Grafana OnCall by the numbers of their pages', async () => {
  const pd = 'https://api.pagerduty.com';
  const first = await fetched(['pagerduty'], {
    [`${pd}/users?limit=100&offset=0`]: { users: [{ id: 'a' }], more: true },
    [`${pd}/users?limit=100&offset=100`]: { users: [{ id: 'b' }], more: false },
    [`${pd}/schedules?limit=100&offset=0`]: { schedules: [{ id: 'P1' }] },
    [`${pd}/schedules/P1?since=TIME&until=TIME`]: { schedule: { id: 'P1' } },
  });
  expect(JSON.parse(first.out)).toMatchObject({
    '/users': { users: [{ id: 'a' }, { id: 'b' }] },
    '/schedules/P1': { schedule: { id: 'P1' } },
  });
  expect(first.sent[0]?.authorization).toBe('Token token=secret-key');
  const base = 'https://oncall.example.com/oncall';
  const second = await fetched(['oncall', '--server', base, '--key-file', '-'], {
    [`${base}/api/v1/schedules/?page=1`]: { results: [{ id: 'S1' }], next: 'http://internal/api/v1/schedules/?page=2' },
    [`${base}/api/v1/schedules/?page=2`]: { results: [{ id: 'S2' }], next: null },
  });
  expect(JSON.parse(second.out)).toMatchObject({ '/api/v1/schedules/': { results: [{ id: 'S1' }, { id: 'S2' }] } });
  expect(second.sent.every(({ authorization, address }) => authorization === 'from-input' && address.startsWith(base))).toBe(true);
  expect(second.sent.map(({ address }) => address)).toContain(
    `${base}/api/v1/schedules/S2/final_shifts/?page=1&start_date=TIME&end_date=TIME`,
  );
});

it('reads the tickets of Zammad page by page, with the articles of each', async () => {
  const desk = 'https://desk.example.com/api/v1';
  const ticket = { id: 81, number: '22081' };
  const answers: Answers = {
    [`${desk}/users?page=1&per_page=100`]: () => new Response('', { status: 403 }),
    [`${desk}/tickets?page=1&per_page=100&expand=true`]: [ticket],
    [`${desk}/tickets?page=2&per_page=100&expand=true`]: [],
    [`${desk}/ticket_articles/by_ticket/81?expand=true`]: [{ id: 501, ticket_id: 81 }],
  };
  const { code, out, err, sent } = await fetched(['zammad', '--server', 'https://desk.example.com'], answers);
  expect([code, sent[0]?.authorization]).toEqual([0, 'Token token=secret-key']);
  expect(err).toContain('Left out');
  expect(JSON.parse(out)).toEqual({
    cloudfit: 'moving',
    '/api/v1/tickets': [ticket],
    '/api/v1/ticket_articles/by_ticket/81': [{ id: 501, ticket_id: 81 }],
  });
});

it.each([
  [[], exitCodes.usage, 'Name one product: opsgenie, pagerduty, oncall, zammad.'],
  [['oncall'], exitCodes.usage, 'Name the address of its API'],
  [['pagerduty', '--server', 'http://api.example.com'], exitCodes.usage, '--server is an address such as https'],
  [['pagerduty', '--key-file', '/nowhere'], exitCodes.usage, 'The file /nowhere cannot be read.'],
])('says what is wrong with %j', async (line, exit, message) => {
  const { code, err, sent } = await fetched(line);
  expect([code, err, sent]).toEqual([exit, expect.stringContaining(message), []]);
});

it('names neither the key nor the answer when a product refuses', async () => {
  const { code, err, out } = await fetched(['pagerduty'], {
    'https://api.pagerduty.com/users?limit=100&offset=0': () => new Response('secret-key is wrong', { status: 401 }),
  });
  expect([code, out]).toEqual([exitCodes.failed, '']);
  expect(err).toBe('https://api.pagerduty.com/users refuses the key (401). It needs the right to read.\n');
  expect((await fetched(['pagerduty'], {}, 'two words')).err).toContain('has to contain the key alone.');
});
