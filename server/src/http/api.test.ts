/** The API over real HTTP: addresses, errors, limits, lookups, and permissions of each call. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let subscriptionId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId, subscriptionId } = await world.tenant('Northwind'));
  me = holder([tenantId]);
});
afterAll(() => world.close());

const target = (body: Record<string, unknown>): unknown => (body['error'] as { target?: string }).target;

describe('addresses', () => {
  it('answers /v1 and /api/v1 alike, whatever the case', async () => {
    for (const path of ['/v1/locations', '/api/v1/locations', '/V1/LOCATIONS', '/Api/v1/Locations/']) {
      expect([path, (await world.call(me, 'GET', path)).status]).toEqual([path, 200]);
    }
  });

  it('[API-143] answers one row by key in brackets or as a segment', async () => {
    for (const path of [`/v1/tenants(${tenantId})`, `/v1/tenants/${tenantId}`, `/v1/tenants(${tenantId.toUpperCase()})`]) {
      expect((await world.call(me, 'GET', path)).body).toMatchObject({ tenantId, name: 'Northwind' });
    }
  });

  it('expands and selects on one row', async () => {
    const { body } = await world.call(me, 'GET', `/v1/tenants(${tenantId})?$select=name&$expand=subscriptions($select=name)`);
    expect(body).toEqual({
      '@odata.context': expect.any(String),
      '@odata.etag': expect.any(String),
      name: 'Northwind',
      subscriptions: [{ name: 'Default' }],
    });
  });

  it.each([
    '/v1/nothing',
    '/api/nothing',
    '/v1/locations/1/2/3',
    '/v1/tenants(x)',
    `/v1/tenants(${crypto.randomUUID()})`,
    '/v1/workunits(99999999999999999999)',
  ])('answers 404 in the error form at %s', async (path) => {
    const answer = await world.call(me, 'GET', path);
    expect([answer.status, (answer.body['error'] as { code: string }).code]).toEqual([404, 'NotFound']);
  });

  it('answers HEAD like GET without a body', async () => {
    const answer = await world.call(me, 'HEAD', '/v1/locations');
    expect([answer.status, answer.body]).toEqual([200, {}]);
  });

  it('asks who calls before it tells what exists', async () => {
    const answer = await world.call(null, 'GET', '/v1/nothing');
    expect(answer.status).toBe(401);
  });
});

describe('errors', () => {
  it('names option and offset', async () => {
    const answer = await world.call(me, 'GET', '/v1/locations?$filter=foo eq 1');
    expect([answer.status, target(answer.body)]).toEqual([400, '$filter']);
    expect(answer.body['error']).toMatchObject({
      details: [{ code: 'UnknownProperty', target: '$filter:0' }],
      innererror: { requestId: expect.any(String) },
    });
  });

  it.each(['$apply=concat(identity,identity)', '$filter=cast(name,Edm.String) eq %27x%27'])('says 501 to %s', async (option) => {
    expect((await world.call(me, 'GET', `/v1/tenants?${option}`)).status).toBe(501);
  });

  it.each(['/v1/locations/$ref', '/v1/currentUser/$count'])('says 501 to %s', async (path) => {
    expect((await world.call(me, 'GET', path)).status).toBe(501);
  });

  it('turns a division by zero in the database into 400', async () => {
    await world.call(me, 'PUT', '/v1/devices', { name: 'Zero', tenantId, subscriptionId, heartbeatInterval: 0 });
    expect((await world.call(me, 'GET', '/v1/devices?$filter=1 div heartbeatInterval eq 1')).status).toBe(400);
  });

  it.each([
    ['no JSON', '{"name":', 400],
    ['an array', '[]', 400],
    ['text', '"x"', 400],
    ['a deep body', `${'['.repeat(70)}${']'.repeat(70)}`, 400],
    ['a prototype', '{"__proto__": {"name": "x"}}', 400],
    ['an escaped prototype', String.raw`{"\u005f_proto\u005F_" : {"name": "x"}}`, 400],
    ['an escaped constructor', String.raw`{"a":{"c\u006Fnstruct\u006fr":1}}`, 400],
    ['an object of too many properties', `{${Array.from({ length: 10_001 }, (_, i) => `"p${i}":1`).join(',')}}`, 400],
    ['too many values', `{"name":[${'1,'.repeat(200_000)}1]}`, 400],
    ['a large body', JSON.stringify({ name: 'x'.repeat(1_100_000) }), 413],
  ])('refuses %s', async (_what, body, status) => {
    expect((await world.call(me, 'PUT', '/v1/locations', body)).status).toBe(status);
  });

  it('names a property that a call does not have, unless an agent sends it', async () => {
    const answer = await world.call(me, 'POST', '/v1/people/names', { userNames: ['a'], userName: 'b' });
    expect([answer.status, answer.body['error']]).toMatchObject([
      400,
      { details: [{ target: 'userName', message: 'There is no userName here; there is userNames.' }] },
    ]);
    const list = await world.call(me, 'POST', '/v1/people/names', [{ userNames: ['a'] }]);
    expect([list.status, list.text]).toEqual([400, expect.stringContaining('The body must be a JSON object.')]);
    const agent = holder([tenantId], []);
    agent.actor = { kind: 'token', id: '1', name: 'agent', scopes: ['agent'] };
    const { text } = await world.call(agent, 'POST', '/v1/agent/logs', { logs: 'none', later: true });
    expect(text).not.toContain('later');
  });

  it('refuses bodies that are not JSON with 415', async () => {
    expect((await world.call(me, 'PUT', '/v1/locations', 'name=x', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('lets who sends far too much read why it is refused, throws the rest away, and goes on with the connection', async () => {
    const { root, authorization } = await world.connect(me);
    const { host, hostname, port } = new URL(root);
    const socket = connect(Number(port), hostname);
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
    const head = `HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n`;
    const [start, rest] = ['{"name":"', 'x'.repeat(3_000_000)];
    socket.write(
      `PUT /v1/locations ${head}Content-Type: application/json\r\nContent-Length: ${start.length + rest.length}\r\n\r\n${start}`,
    );
    // The server answers before the rest has come; an end of the connection would reach the sender first.
    await vi.waitFor(() => expect(answers).toContain('too large'), { timeout: 20_000 });
    expect(answers).toMatch(/^HTTP\/1\.1 413 (?!.*\r\nconnection: close\r\n)/is);
    answers = '';
    socket.write(`${rest}GET /v1/locations/$count ${head}\r\n`);
    await vi.waitFor(() => expect(answers).toMatch(/^HTTP\/1\.1 200 /), { timeout: 20_000 });
    socket.destroy();
  });

  it('refuses an address that is too long', async () => {
    expect((await world.call(me, 'GET', `/v1/locations?$filter=name eq '${'x'.repeat(9_000)}'`)).status).toBe(414);
  });

  it('names a duplicate by its field', async () => {
    await world.call(me, 'PUT', '/v1/subscriptions', { name: 'Grid', tenantId });
    const answer = await world.call(me, 'PUT', '/v1/subscriptions', { name: 'grid', tenantId });
    expect([answer.status, JSON.stringify(answer.body).includes('already')]).toEqual([409, true]);
  });
});

describe('paging', () => {
  it('cuts at the cap and says where the next page is', async () => {
    const { tenantId: freshTenant } = await world.tenant();
    await world.system.db.query({
      text: "insert into location (tenant_id, name) select $1, 'Place ' || lpad(n::text, 4, '0') from generate_series(1, 150) n",
      values: [freshTenant],
    });
    const first = await world.call(holder([freshTenant]), 'GET', `/v1/locations?$filter=tenantId eq ${freshTenant}`);
    expect(first.body.value).toHaveLength(100);
    const next = new URL(String(first.body['@odata.nextLink']));
    const second = await world.call(holder([freshTenant]), 'GET', next.pathname + next.search);
    expect(second.body.value).toHaveLength(50);
    expect(second.body['@odata.nextLink']).toBeUndefined();
    expect((await world.call(holder([freshTenant]), 'GET', '/v1/locations?$top=10')).body['@odata.nextLink']).toBeUndefined();
  });
});

describe('the session', () => {
  it('[API-002] [SHELL-081] answers who is signed in', async () => {
    expect((await world.call(me, 'GET', '/v1/currentUser')).body).toMatchObject({
      name: 'Test Person',
      userName: 'person@example.com',
      tenantId: null,
      subscriptionId: null,
    });
  });

  it('answers the permission strings of one tenant or of all', async () => {
    const other = await world.tenant();
    const caller: TestCaller = {
      tenants: [tenantId, other.tenantId],
      permissions: new Map([
        [tenantId, new Set(['CloudFit.CFS.Devices:view'])],
        [other.tenantId, new Set(['CloudFit.CFS.Rules:edit'])],
      ]),
    };
    await proves('[PERM-002] strings of area and verb', async () =>
      expect((await world.call(caller, 'GET', '/v1/permissions')).body).toEqual(['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Rules:edit']),
    );
    await proves('[API-003] of one tenant, or of all', async () => {
      expect((await world.call(caller, 'GET', `/v1/permissions?tenantId=${tenantId}`)).body).toEqual(['CloudFit.CFS.Devices:view']);
      expect((await world.call(caller, 'GET', '/v1/permissions?everywhere=true')).body).toEqual([]);
      const everywhere = holder('all', ['CloudFit.CFS.Compliance:edit']);
      expect((await world.call(everywhere, 'GET', '/v1/permissions?everywhere=true')).body).toEqual(['CloudFit.CFS.Compliance:edit']);
    });
  });

  it('answers 403 to the permission lookup of a person without any grant', async () => {
    expect((await world.call({ tenants: [], permissions: new Map() }, 'GET', '/v1/permissions')).status).toBe(403);
  });

  it('signs out people only: those without an access token of a person are refused', async () => {
    expect((await world.call(null, 'POST', '/v1/signOut')).status).toBe(401);
    expect((await world.call(me, 'POST', '/v1/signOut')).status).toBe(403);
  });

  it('[API-027] takes a context that exists for the caller, and no other', async () => {
    expect((await world.call(me, 'POST', `/v1/tenantSubscriptionContext/${tenantId}`, { tenant: tenantId, subscriptionId })).body).toEqual({
      tenantId,
      subscriptionId,
    });
    const other = await world.tenant();
    expect(
      (await world.call(me, 'POST', `/v1/tenantSubscriptionContext/${other.tenantId}`, { subscriptionId: other.subscriptionId })).status,
    ).toBe(404);
    expect(
      (await world.call(me, 'POST', `/v1/tenantSubscriptionContext/${tenantId}`, { subscriptionId: other.subscriptionId })).status,
    ).toBe(404);
  });
});

describe('lookups', () => {
  it('[API-029] tells anyone how to sign in', async () => {
    expect((await world.call(null, 'GET', '/api/generalLookup/oidcclientconfig')).body).toMatchObject({
      authority: expect.any(String),
      clientId: 'cloudfit-portal',
      lifetime: 600,
    });
  });

  it('[API-015] [API-016] answers the version', async () => {
    expect((await world.call(null, 'GET', '/api/generalLookup/version')).body).toEqual({ version: '0.0.0' });
  });

  it('[API-017] [API-018] answers the environment with the end of the trial', async () => {
    const { body } = await world.call(me, 'GET', '/api/generallookup/environment');
    expect(body).toMatchObject({ environmentColor: 'green', environmentName: 'Test' });
    const days = (Date.parse(String(body['licenseExpiration'])) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(60);
  });

  it('[API-019] answers the environment colour', async () => {
    expect((await world.call(me, 'GET', '/api/generalLookup/environmentcolor')).body).toEqual({ environmentColor: 'green' });
  });

  it('answers tenants and subscriptions of the caller alone', async () => {
    const freshTenant = await world.tenant('Only mine');
    await proves('[API-025][API-026] tenants', async () =>
      expect((await world.call(holder([freshTenant.tenantId]), 'GET', '/api/generallookup/tenants')).body).toEqual([
        { tenantId: freshTenant.tenantId, name: 'Only mine' },
      ]),
    );
    await proves('[API-022][API-024] subscriptions', async () =>
      expect((await world.call(holder([freshTenant.tenantId]), 'GET', '/api/generallookup/subscriptions')).body).toEqual([
        { subscriptionId: freshTenant.subscriptionId, name: 'Default', tenantId: freshTenant.tenantId },
      ]),
    );
  });

  it('answers the work unit types without Legacy, Request as User Request', async () => {
    const names = ((await world.call(me, 'GET', '/api/generallookup/workunittypes')).body as unknown as { name: string }[]).map(
      (t) => t.name,
    );
    await proves('[API-030][API-162] the types', () => expect(names).toContain('Incident'));
    await proves('[API-032] Request has another name', () => {
      expect(names).toContain('User Request');
      expect(names).not.toContain('Request');
    });
    await proves('[API-031] without Legacy', () => expect(names).not.toContain('Legacy'));
  });

  it('[API-009] [RULE-018] answers the rule types', async () => {
    expect((await world.call(me, 'GET', '/api/generalLookup/ruletypes')).body).toMatchObject([
      { id: 1, name: 'Ingestion' },
      { id: 2, name: 'Correlation' },
      { id: 3, name: 'History' },
      { id: 4, name: 'WorkUnit' },
      { id: 5, name: 'Maintenance' },
      { id: 6, name: 'Aggregation' },
    ]);
  });

  it('[API-011] [API-012] answers the left operands of a rule type, Tenant as 20', async () => {
    const rows = (await world.call(me, 'GET', `/api/generalLookup/ruleleftoperands?ruleType=1&tenantId=${tenantId}`)).body as unknown as {
      id: number;
      name: string;
    }[];
    expect(rows.find((r) => r.id === 20)?.name).toBe('Tenant');
    expect((await world.call(me, 'GET', '/api/generalLookup/ruleleftoperands')).status).toBe(400);
    const inOtherCase = `/api/generallookup/RULELEFTOPERANDS?ruletype=1&TenantID=${tenantId}`;
    expect((await world.call(me, 'GET', inOtherCase)).body).toEqual(rows);
  });

  it('answers time zones, occurrence options and the fourteen operators', async () => {
    const rows = async (path: string) => (await world.call(me, 'GET', path)).body as unknown as { id: unknown; name: string }[];
    const names = async (path: string) => (await rows(path)).map((r) => r.name);
    await proves('[API-014][RULE-047] operators', async () =>
      expect(await names('/api/generalLookup/operators')).toEqual([
        'Equals',
        'NotEquals',
        'GreaterThan',
        'LessThan',
        'Contains',
        'GreaterThanOrEqual',
        'LessThanOrEqual',
        'Matches',
        'StartsWith',
        'EndsWith',
        'NotContains',
        'NotMatches',
        'IsEmpty',
        'IsNotEmpty',
      ]),
    );
    await proves('[API-013] occurrence options', async () => expect(await names('/api/generalLookup/occuranceoptions')).toHaveLength(6));
    expect((await rows('/api/generalLookup/ruleplaceholders')).map((r) => r.id)).toContain('RuleName');
    await proves('[API-010] time zones', async () =>
      expect((await rows('/api/generalLookup/timezones')).map((r) => r.id)).toContain('America/New_York'),
    );
  });

  it('[API-126] answers locations of the tenant and global ones', async () => {
    const freshTenant = await world.tenant();
    const other = await world.tenant();
    for (const [name, tenant] of [
      ['Mine', freshTenant.tenantId],
      ['Theirs', other.tenantId],
      ['Everyone', null],
    ] as const)
      await world.call(holder('all'), 'PUT', '/v1/locations', { name: `${name} ${freshTenant.tenantId}`, tenantId: tenant });
    const rows = (await world.call(holder([freshTenant.tenantId]), 'GET', '/api/generallookup/locations')).body as unknown as {
      name: string;
    }[];
    expect(rows.map((r) => r.name).filter((n) => n.endsWith(freshTenant.tenantId))).toEqual([
      `Everyone ${freshTenant.tenantId}`,
      `Mine ${freshTenant.tenantId}`,
    ]);
  });

  it('[API-004] [API-005] looks people up by a part of the name, not by one letter', async () => {
    await world.call(holder('all'), 'PUT', '/v1/people', { name: "Siân O'Neil", userName: `sian-${crypto.randomUUID()}@example.com` });
    const find = async (term: string) =>
      (await world.call(holder('all'), 'GET', `/api/people?searchTerm=${encodeURIComponent(term)}`)).body as unknown as {
        displayName: string;
        mail: string;
      }[];
    expect((await find("o'ne"))[0]).toMatchObject({ displayName: "Siân O'Neil", mail: expect.stringContaining('@example.com') });
    expect(await find('o')).toEqual([]);
  });

  it('[API-033] answers whether a feature is enabled, without signing in', async () => {
    const response = await world.app.inject({ url: '/v1/features/I3ERequestForm/enabled' });
    expect([response.statusCode, response.payload]).toEqual([200, 'false']);
  });

  it('[API-163] [API-187] answers the assignment groups of the comma list', async () => {
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { assignmentGroups: 'Databases, Network ,, Desk' });
    await proves('[TEN-008] separated by commas', async () =>
      expect((await world.call(me, 'GET', `/v1/tenants/${tenantId}/assignmentGroups`)).body).toEqual(['Databases', 'Network', 'Desk']),
    );
    const freshTenant = holder([tenantId], ['CloudFit.CFS.WorkUnits:view:mine']);
    expect((await world.call(freshTenant, 'GET', `/v1/tenants/${tenantId}/assignmentGroups`)).status).toBe(403);
    const elsewhere = {
      ...freshTenant,
      permissions: new Map([...freshTenant.permissions, [crypto.randomUUID(), new Set(['CloudFit.CFS.WorkUnits:view'])]]),
    };
    expect((await world.call(elsewhere, 'GET', `/v1/tenants/${tenantId}/assignmentGroups`)).status).toBe(404);
  });
});

describe('toggles', () => {
  it('[API-065] [RULE-019] switches a rule off and on', async () => {
    const rule = await world.call(me, 'PUT', '/v1/rules', {
      name: 'Hot',
      ruleTypeId: 1,
      tenantId,
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
    });
    expect([rule.status, rule.body['enabled'], rule.body['matchLifetime']]).toEqual([201, true, '00:05:00']);
    const toggle = async () => (await world.call(me, 'POST', `/v1/rules/toggledisabled/${String(rule.body['ruleId'])}`)).body['enabled'];
    expect([await toggle(), await toggle()]).toEqual([false, true]);
  });

  it('[API-186] [TEN-014] switches a tenant off and on', async () => {
    const toggle = async () => (await world.call(me, 'POST', `/v1/tenants/toggledisabled/${tenantId}`)).body['enabled'];
    expect([await toggle(), await toggle()]).toEqual([false, true]);
  });
});

describe('rules', () => {
  it.each([
    ['[RULE-024] [RULE-025]', { name: '' }, 'Please enter a rule name'],
    ['[RULE-026] [RULE-027]', { ruleTypeId: 0 }, 'Please select a Rule Type'],
    ['[RULE-030]', { matchLifetime: '00:04:59' }, 'Must be at least 5 minutes.'],
    ['[RULE-031] [RULE-032]', { conditions: [] }, 'Condtions are required for rules.'],
    ['[RULE-033] [RULE-034]', { ruleTypeId: 5 }, 'Time limitations are required for Maintenance rules.'],
    [
      '[RULE-035] [RULE-036]',
      { ruleTypeId: 5, timeConditions: { TimeZoneId: 'UTC', DaysOfWeek: [] } },
      'At least one day should be selected when using a Maintenance rule.',
    ],
    ['[RULE-037] [RULE-038]', { timeConditions: { DaysOfWeek: [1] } }, 'A timezone is required.'],
    ['[RULE-045]', { timeConditions: { TimeZoneId: 'UTC', DaysOfMonth: [32] } }, ''],
    ['', { ruleTypeId: 2 }, 'Metric is not offered by rules of type Correlation.'],
    ['', { conditions: [{ Type: 'And', LeftOperand: 61, LeftOperandFieldName: 'Host', Operator: 8, RightOperand: '(a)\\1' }] }, ''],
  ])('%s refuses %j', async (_ids, change, text) => {
    const answer = await world.call(me, 'PUT', '/v1/rules', {
      name: 'A rule',
      ruleTypeId: 1,
      tenantId,
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
      ...change,
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(text);
  });
});

it('tells a hundred faults of a body, not all that somebody can put into one', async () => {
  const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
  const answer = await world.call(holder('all'), 'PUT', '/v1/locations', body);
  expect([answer.status, (answer.body['error'] as { details: unknown[] }).details.length]).toEqual([400, 100]);
});
