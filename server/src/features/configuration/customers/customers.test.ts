/** A customer from a template: made as one, previewed as it is made, and never with rows of an existing tenant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { until } from '../../../rules/testing/flow.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';

type Row = Record<string, unknown>;
let world: TestWorld;
let source: { tenantId: string; subscriptionId: string };
let templateId: string;
let setId: string;
const provider = holder('all');

const put = async (name: string, body: object): Promise<Row> => {
  const created = await world.call(provider, 'PUT', `/v1/${name}`, body);
  expect([name, created.status, created.body['error']]).toEqual([name, 201, undefined]);
  return created.body;
};
const make = (body: object, caller = provider) => world.call(caller, 'POST', '/v1/customers', body);
const createCustomer = async (body: object): Promise<Row> => {
  const answer = await make(body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body;
};
const messages = (body: Row): string[] => {
  const { details, message } = body['error'] as { message: string; details?: { message: string }[] };
  return details?.map((detail) => detail.message) ?? [message];
};
const rows = <T = Row>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
/** Ids differ between two customers; everything else must not. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id'));

async function makeTemplate(tenantId: string): Promise<string> {
  const answer = await world.call(provider, 'POST', '/v1/customerTemplates/fromTenant', { tenantId, name: 'Standard' });
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  const template = answer.body['template'] as Row;
  expect(answer.body['left']).toMatchObject([
    { resource: 'people', name: 'nora@northwind.example', reason: 'Has rights with this customer alone.' },
    { resource: 'onCallSchedules', name: 'Of the customer', reason: 'Names nora@northwind.example, with rights with this customer alone.' },
    { resource: 'tenants', name: 'it@northwind.example', reason: 'Gets the messages of this customer alone.' },
    { resource: 'rules', name: 'Only web-01', reason: 'Names the device web-01 of the tenant Northwind.' },
  ]);
  return String(template['customerTemplateId']);
}

beforeAll(async () => {
  world = await createWorld();
  source = await world.tenant('Northwind');
  const { tenantId, subscriptionId } = source;
  const ada = await put('people', { name: 'Ada', userName: 'ada@example.com', email: 'ada@example.com' });
  const set = await put('permissionSets', {
    name: 'Night shift',
    tenantId,
    permissions: ['CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.OnCall:view'],
  });
  setId = String(set['permissionSetId']);
  await put('grants', { personId: ada['personId'], permissionSetId: setId, tenantId });
  // Ada works for other customers too; Nora is of this one.
  const elsewhere = await world.tenant('Elsewhere');
  const { permissionSetId: there } = await put('permissionSets', {
    name: 'There',
    tenantId: elsewhere.tenantId,
    permissions: ['CloudFit.CFS.WorkUnits:view'],
  });
  await put('grants', { personId: ada['personId'], permissionSetId: there, tenantId: elsewhere.tenantId });
  const nora = await put('people', { name: 'Nora', userName: 'nora@northwind.example', email: 'nora@northwind.example' });
  await put('grants', { personId: nora['personId'], permissionSetId: setId, tenantId });
  await put('grants', { claim: 'northwind-desk', permissionSetId: setId, tenantId });
  await put('onCallSchedules', {
    name: 'Night',
    tenantId,
    timeZone: 'Europe/Berlin',
    layers: [
      {
        name: 'First',
        people: [ada['personId']],
        start: '2026-01-05T08:00',
        unit: 'Weeks',
        every: 1,
        restrictions: [],
        holidays: 'Same',
      },
    ],
  });
  await put('onCallSchedules', {
    name: 'Of the customer',
    tenantId,
    timeZone: 'Europe/Berlin',
    layers: [
      { name: 'Day', people: [nora['personId']], start: '2026-01-05T08:00', unit: 'Weeks', every: 1, restrictions: [], holidays: 'Same' },
    ],
  });
  await world.call(provider, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'it@northwind.example' });
  const protocol = await put('protocols', { name: 'Outage', tenantId });
  await put('protocolActions', {
    protocolId: protocol['protocolId'],
    actionDefinitionId: builtInAction.email,
    workUnitEventTypeId: 1,
    parameters: '{"To":"desk@example.com"}',
    summary: 'Mail the desk',
  });
  const category = await put('workUnitCategories', { name: 'Network', workUnitTypeId: 1, tenantId });
  await put('workUnitSubcategories', { name: 'Wireless', workUnitCategoryId: category['workUnitCategoryId'] });
  const calendar = await put('workingCalendars', { name: 'Office', tenantId, timeZone: 'Europe/Berlin' });
  await put('serviceLevels', { name: 'Gold', tenantId, resolveMinutes: 240, workingCalendarId: calendar['workingCalendarId'] });
  await put('locations', { name: 'Hall 1', tenantId, city: 'Bergen' });
  await put('statusPages', { title: 'Services', tenantId, address: 'northwind' });
  const selection = await put('deviceSelections', { name: 'Web', tenantId, filter: "contains(name,'web')" });
  await put('policies', {
    name: 'Web servers',
    tenantId,
    deviceSelectionId: selection['deviceSelectionId'],
    enabled: true,
    rank: 10,
    tags: 'web',
  });
  await put('rules', { ...starterRule, name: 'Hot', tenantId, subscriptionId, protocolId: protocol['protocolId'] });
  await put('tokens', { name: 'Machines', lifetimeYears: 1, tenantId, scopes: ['agent'], promoteTo: subscriptionId, machinesInAll: 7 });
  // What names a machine stays behind.
  const device = await put('devices', { name: 'web-01', tenantId, subscriptionId });
  await put('rules', {
    ...starterRule,
    name: 'Only web-01',
    tenantId,
    subscriptionId,
    conditions: [
      ...(starterRule.conditions ?? []),
      { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: String(device['deviceId']) },
    ],
  });
  templateId = await makeTemplate(tenantId);
});
afterAll(() => world.close());

describe('a template', () => {
  it('has the configuration of its customer, and no value of a token', async () => {
    const { body } = await world.call(provider, 'GET', `/v1/customerTemplates/${templateId}`);
    const text = JSON.stringify(body);
    for (const name of [
      'Night shift',
      'Network',
      'Wireless',
      'Office',
      'Gold',
      'Hall 1',
      'Services',
      'Web servers',
      'Hot',
      'Outage',
      'Mail the desk',
      'Night',
      'Machines',
      'ada@example.com',
      'northwind-desk',
    ])
      expect(text, name).toContain(name);
    expect(text).not.toMatch(/cfst_|token_hash|tokenHash/);
  });

  it('is seen only by those who see all tenants', async () => {
    expect((await world.call(holder([source.tenantId]), 'GET', '/v1/customerTemplates')).body.value).toEqual([]);
    expect((await make({ name: 'Mine' }, holder([source.tenantId]))).status).toBe(403);
    expect(
      (await world.call(holder([source.tenantId]), 'POST', '/v1/customerTemplates/fromTenant', { tenantId: source.tenantId, name: 'x' }))
        .status,
    ).toBe(403);
  });

  it('with a row of an existing tenant, or one for all, is refused by name', async () => {
    const other = await world.tenant('Southwind');
    const hall = await put('locations', { name: 'Dock', tenantId: other.tenantId });
    const document = (rowsOf: object) => ({ cloudfit: 'configuration', version: 1, rows: rowsOf });
    const of = '00000000-0000-4000-8000-000000000001';
    const page = {
      statusPageId: '00000000-0000-4000-8000-000000000002',
      tenantId: of,
      title: 'P',
      components: [{ name: 'Dock', kind: 'Location', of: hall['locationId'] }],
    };
    const refused = async (content: object) =>
      messages((await world.call(provider, 'PUT', '/v1/customerTemplates', { name: 'Bad', content })).body);
    expect(await refused({ document: document({ statusPages: [page] }) })).toEqual([
      expect.stringContaining('statusPages[0] P names the location Dock of the tenant Southwind.'),
    ]);
    expect(await refused({ document: document({ locations: [{ locationId: of, tenantId: null, name: 'Everywhere' }] }) })).toEqual([
      expect.stringContaining('The location Everywhere is for all tenants'),
    ]);
    expect(await refused({ document: document({}), access: [{ userName: 'ada@example.com', permissionSetId: setId }] })).toEqual([
      expect.stringContaining('access[0] ada@example.com names the permission set Night shift of the tenant Northwind.'),
    ]);
    expect(await refused({ document: document({ features: [] }) })).toEqual([expect.stringContaining('A template has no features.')]);
    expect(await refused({ rows: {} })).not.toEqual([]);
  });
});

describe('a new customer', () => {
  const request = (name: string, more: object = {}) => ({
    name,
    customerTemplateId: templateId,
    people: [{ email: 'eva@example.org', name: 'Eva', permissionSetId: setId }],
    ...more,
  });

  it('is what the preview has said, which itself leaves nothing', async () => {
    const counts = () =>
      rows(
        'select (select count(*) from tenant)::int as tenants, (select count(*) from audit)::int as audits, (select count(*) from job)::int as jobs',
      );
    const before = await counts();
    const preview = await createCustomer(request('Eastwind', { dryRun: true }));
    expect(await counts()).toEqual(before);
    const real = await createCustomer(request('Eastwind'));
    const { tokens, dryRun: _, ...rest } = real;
    const { tokens: previewed, dryRun: isDry, ...would } = preview;
    expect(isDry).toBe(true);
    expect(withoutIds(rest)).toEqual(withoutIds(would));
    expect(previewed).toEqual([{ name: 'Machines' }]);
    expect(tokens).toEqual([{ name: 'Machines', generatedToken: expect.stringMatching(/^cfst_/) }]);
    expect(real).toMatchObject({
      access: [
        { who: 'ada@example.com', permissionSet: 'Night shift' },
        { who: 'northwind-desk', permissionSet: 'Night shift' },
      ],
      invitations: [{ email: 'eva@example.org', permissionSet: 'Night shift' }],
    });
  });

  it('has rows of its own, which name each other and nothing of its model', async () => {
    const [customer] = await rows<{ tenant_id: string }>("select tenant_id from tenant where name = 'Eastwind'");
    const tenantId = customer?.tenant_id;
    const [token] = await rows(
      'select t.machines_in_all, s.name, s.tenant_id from token_grant t join subscription s on s.subscription_id = t.promote_to where t.tenant_id = $1',
      tenantId,
    );
    expect(token).toEqual({ machines_in_all: 7, name: 'Default', tenant_id: tenantId });
    const [rule] = await rows(
      'select p.tenant_id as protocol, s.tenant_id as subscription from rule r join protocol p using (protocol_id) join subscription s on s.subscription_id = r.subscription_id where r.tenant_id = $1',
      tenantId,
    );
    expect(rule).toEqual({ protocol: tenantId, subscription: tenantId });
    expect(
      await rows(
        'select g.claim, s.tenant_id from access_grant g join permission_set s using (permission_set_id) where g.tenant_id = $1 and s.tenant_id = $1',
        tenantId,
      ),
    ).toHaveLength(2);
    const text = JSON.stringify((await world.call(provider, 'GET', `/v1/configuration?tenantId=${tenantId}`)).body);
    expect(text).not.toContain(source.tenantId);
    expect(text).not.toContain(setId);
  });

  it('can be made again from the same template under another name, and under the same name is refused', async () => {
    const second = await createCustomer(request('Westwind', { people: [] }));
    expect((second['changes'] as Row[]).length).toBe(15);
    const twice = await make(request('Westwind', { people: [] }));
    expect([twice.status, messages(twice.body)[0]]).toEqual([409, 'There is already a tenant with this name.']);
    const [addresses] = await rows<{ n: number }>("select count(distinct address)::int as n from status_page where title = 'Services'");
    expect(addresses?.n).toBe(3);
  });

  it('comes without what is left out, and without a template with one subscription', async () => {
    const some = await createCustomer(
      request('Smallwind', { dryRun: true, people: [], without: ['statusPages[0]', 'tokens[0]', 'access[1]'] }),
    );
    const nowhere = await world.call(
      provider,
      'POST',
      '/v1/customers',
      request('Smallwind', { dryRun: true, people: [], without: ['rules[99]'] }),
    );
    expect(messages(nowhere.body)).toEqual(['The template has nothing at rules[99]. Name places of the preview, as rules[3].']);
    expect(some).toMatchObject({ tokens: [], access: [{ who: 'ada@example.com' }] });
    expect((some['changes'] as Row[]).some(({ resource }) => resource === 'statusPages')).toBe(false);
    const bare = await createCustomer({ name: 'Bare' });
    expect(bare['changes']).toMatchObject([{ resource: 'tenants' }, { resource: 'subscriptions', name: 'Default' }]);
  });

  it('names the part that is wrong, and is not made at all then', async () => {
    const answer = await make(request('Brokenwind', { people: [{ email: 'nobody', name: 'No', permissionSetId: setId }] }));
    expect([answer.status, messages(answer.body)]).toEqual([400, ['people[0]: Please enter one email address.']]);
    expect(await rows("select 1 from tenant where name = 'Brokenwind'")).toEqual([]);
  });

  it('is not left half when the server ends in the middle', async () => {
    const blocker = new pg.Client({ connectionString: world.url });
    await blocker.connect();
    try {
      await blocker.query('begin; lock table token_grant in share mode');
      const lost = make(request('Lostwind'));
      // Its rows are written, and its tokens wait: here a killed server loses its connection.
      const [waiting] = await until(async () => {
        const locks = await blocker.query<{ pid: number }>(
          "select pid from pg_locks where not granted and relation = 'token_grant'::regclass and database = (select oid from pg_database where datname = current_database())",
        );
        return locks.rows.length > 0 && locks.rows;
      });
      await blocker.query('select pg_terminate_backend($1)', [waiting?.pid]);
      expect((await lost).status).toBeGreaterThanOrEqual(500);
    } finally {
      await blocker.query('rollback');
      await blocker.end();
    }
    expect(await rows("select 1 from tenant where name = 'Lostwind'")).toEqual([]);
    expect(await rows('select 1 from location l where not exists (select from tenant t where t.tenant_id = l.tenant_id)')).toEqual([]);
    await createCustomer(request('Lostwind'));
  });
});
