/** Rules over HTTP: references, lists and lookups, and the values at their matches. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const make = (body: Record<string, unknown> = {}, caller = me) =>
  world.call(caller, 'PUT', '/v1/rules', { name: `Rule ${crypto.randomUUID()}`, ruleTypeId: 1, ...home, conditions: [cpu], ...body });
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
const open = (Parameters: Record<string, unknown>) => ({
  matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters }],
});

it('keep since when a window is counted, until its condition changes or the rule is enabled again', async () => {
  const few = { Type: 'And', LeftOperand: 71, Operator: 4, RightOperand: '3', WindowSeconds: 30 };
  const { body } = await make({ ruleTypeId: 3, conditions: [cpu, few], useSlidingExpiration: false });
  const edit = async (fields: object) => {
    const { body: row } = await world.call(me, 'POST', `/v1/rules/${String(body['ruleId'])}`, fields);
    return Object.values(row['watchedSince'] as object);
  };
  const [first] = Object.values(body['watchedSince'] as object);
  expect(await edit({ description: 'Too few', matchLifetime: '00:10:00', color: 'red', ...open({}) })).toEqual([first]);
  expect(await edit({ conditions: [{ ...cpu, RightOperand: '95' }, few] })).toEqual([first]);
  const [second] = await edit({ conditions: [cpu, { ...few, RightOperand: '2' }] });
  expect(Date.parse(String(second))).toBeGreaterThan(Date.parse(String(first)));
  await edit({ enabled: false });
  const [third] = await edit({ enabled: true });
  expect(Date.parse(String(third))).toBeGreaterThan(Date.parse(String(second)));
});

it('are enabled and disabled together: all of them or none, each with its entry in the audit', async () => {
  const ids = await Promise.all([make(), make({ enabled: false })].map(async (answer) => String((await answer).body['ruleId'])));
  const foreign = String((await make({ ...other }, holder([other.tenantId]))).body['ruleId']);
  const enable = (named: string[], enabled: boolean) => world.call(me, 'PATCH', '/v1/rules', { ids: named, newState: { enabled } });
  const states = async () =>
    (
      await world.system.db.query<{ enabled: boolean }>({
        text: 'select enabled from rule where rule_id = any($1::uuid[]) order by enabled',
        values: [ids],
      })
    ).map(({ enabled }) => enabled);
  expect((await enable([...ids, foreign], false)).status).toBe(404);
  expect(await states()).toEqual([false, true]);
  expect((await enable(ids, false)).status).toBe(200);
  expect(await states()).toEqual([false, false]);
  expect((await enable(ids, true)).status).toBe(200);
  expect(await states()).toEqual([true, true]);
  const entries = await world.system.db.query<{ id: string }>({
    text: `select entity_id as id from audit where entity = 'rules' and verb = 'update' and entity_id = any($1::text[])`,
    values: [ids],
  });
  expect(ids.map((id) => entries.filter((entry) => entry.id === id).length)).toEqual([2, 1]);
});

describe('rules that look at other rules', () => {
  const state = (RightOperand: unknown, Operator = 2) => ({ Type: 'And', LeftOperand: 83, Operator, RightOperand });
  const change = (id: unknown, body: Record<string, unknown>) => world.call(me, 'POST', `/v1/rules/${String(id)}`, body);

  it('are refused with the names of the circle that they would close', async () => {
    const [disk, heat, load] = [await make({ name: 'Disk' }), await make({ name: 'Heat' }), await make({ name: 'Load' })];
    const [diskId, heatId, loadId] = [disk, heat, load].map(({ body }) => body['ruleId']);
    expect((await change(heatId, { conditions: [cpu, state(diskId)] })).status).toBe(200);
    expect((await change(loadId, { conditions: [cpu], recoveryConditions: [state(heatId)] })).status).toBe(200);
    const answer = await change(diskId, { conditions: [cpu, state(loadId)] });
    expect([answer.status, details(answer)]).toMatchObject([
      400,
      [{ target: 'conditions', message: 'These rules would wait for each other: Disk → Load → Heat → Disk.' }],
    ]);
    const itself = await change(diskId, { conditions: [cpu, state(diskId)] });
    expect([itself.status, details(itself)[0]?.target]).toEqual([400, 'conditions[1].RightOperand']);
    const foreign = await make({ ...other }, holder([other.tenantId]));
    expect(details(await change(diskId, { conditions: [cpu, state(foreign.body['ruleId'])] }))[0]?.message).toBe(
      'Match of Rule on Same Device was not found.',
    );
  });

  it('do not close a circle when two are saved at the same moment', async () => {
    const [one, two] = [await make(), await make()];
    const [oneId, twoId] = [one.body['ruleId'], two.body['ruleId']];
    const holder = new pg.Client({ connectionString: world.url });
    await holder.connect();
    try {
      // The lock keeps rules from being written until both requests have got as far as they can.
      await holder.query('begin; lock table rule in share mode');
      const answers = Promise.all([change(oneId, { conditions: [cpu, state(twoId)] }), change(twoId, { conditions: [cpu, state(oneId)] })]);
      const waiting = `select count(distinct pid)::int as count from pg_locks
where not granted and database = (select oid from pg_database where datname = current_database())`;
      await vi.waitUntil(async () => (await holder.query<{ count: number }>(waiting)).rows[0]?.count === 2, { timeout: 20_000 });
      await holder.query('rollback');
      expect((await answers).map(({ status }) => status).toSorted()).toEqual([200, 400]);
    } finally {
      await holder.end();
    }
  });

  it('keep the rules that they look at from being deleted', async () => {
    const id = String((await make({ name: 'Gateway' })).body['ruleId']);
    const looking = await make({ name: 'Sensor', conditions: [cpu, state(id, 1)] });
    const answer = await world.call(me, 'DELETE', `/v1/rules/${id}`);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining('Sensor looks at the matches of this rule: change that rule first.'),
    ]);
    expect((await world.call(me, 'DELETE', `/v1/rules/${String(looking.body['ruleId'])}`)).status).toBe(204);
    expect((await world.call(me, 'DELETE', `/v1/rules/${id}`)).status).toBe(204);
  });
});

describe('rules', () => {
  const action = { ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } };

  it('[RULE-011] [API-063] are created with their fields', async () => {
    const fields = { color: 'red', useSlidingExpiration: true, timeConditions: { TimeZoneId: 'Europe/Berlin', DaysOfWeek: [1, 2] } };
    expect((await make(fields)).body).toMatchObject({ ...fields, enabled: true, protocolId: null });
  });

  it('[RULE-012] last five minutes at first', async () => {
    expect((await make()).body['matchLifetime']).toBe('00:05:00');
  });

  it('[RULE-015] [RULE-016] keep their actions', async () => {
    const created = await make({ matchActions: [action], expirationActions: [action] });
    expect(created.body).toMatchObject({ matchActions: [action], expirationActions: [action] });
  });

  it('[RULE-013] [API-060] are listed with their conditions, tenant and subscription', async () => {
    const created = await make();
    const listed = await world.call(me, 'GET', `/v1/rules?$filter=ruleId eq ${String(created.body['ruleId'])}&$expand=tenant,subscription`);
    expect(listed.body.value).toMatchObject([
      { tenant: { tenantId: home.tenantId }, subscription: { name: 'Default' }, conditions: [cpu] },
    ]);
  });

  it('[API-064] [API-066] are changed and deleted', async () => {
    const url = `/v1/rules/${String((await make()).body['ruleId'])}`;
    expect((await world.call(me, 'POST', url, { matchLifetime: '01:00:00' })).body).toMatchObject({ matchLifetime: '01:00:00' });
    expect((await world.call(me, 'DELETE', url)).status).toBe(204);
    expect((await world.call(me, 'GET', url)).status).toBe(404);
  });

  it('[API-061] [RULE-003] disabled ones are left out by a filter', async () => {
    const freshTenant = await world.tenant();
    const us = holder([freshTenant.tenantId]);
    await make({ ...freshTenant, name: 'on' }, us);
    await make({ ...freshTenant, name: 'off', enabled: false }, us);
    const names = async (query: string) => (await world.call(us, 'GET', `/v1/rules${query}`)).body.value?.map((row) => row['name']);
    expect(await names('?$filter=enabled eq true')).toEqual(['on']);
    expect(await names('')).toEqual(['off', 'on']);
  });

  it.each([
    ['[RULE-028] [RULE-029]', { matchLifetime: '' }, 'matchLifetime', 'Lifetime is required'],
    ['[RULE-028] [RULE-029]', { matchLifetime: null }, 'matchLifetime', 'Lifetime is required'],
    ['[RULE-031] [RULE-032]', { conditions: undefined }, 'conditions', 'Condtions are required for rules.'],
    ['[RULE-031] [RULE-032]', { conditions: null }, 'conditions', 'Condtions are required for rules.'],
    ['[RULE-026] [RULE-027]', { ruleTypeId: undefined }, 'ruleTypeId', 'Please select a Rule Type'],
    ['[RULE-024] [RULE-025]', { name: undefined }, 'name', 'Please enter a rule name'],
    ['[RULE-014]', { conditions: [{ ...cpu, Type: 'Xor' }] }, 'conditions', expect.any(String)],
  ])('%s refuses %j', async (_ids, change, target, message) => {
    const answer = await make(change);
    expect([answer.status, details(answer)]).toEqual([400, [expect.objectContaining({ target, message })]]);
  });

  it('keep their recovery conditions, which are checked as the others are', async () => {
    const recoveryConditions = [{ ...cpu, Operator: 4, RightOperand: '50' }];
    expect((await make({ recoveryConditions })).body['recoveryConditions']).toEqual(recoveryConditions);
    const refused = async (body: Record<string, unknown>) => details(await make(body)).map(({ target }) => target);
    expect(await refused({ recoveryConditions: [{ ...cpu, RightOperand: 'high' }] })).toEqual(['recoveryConditions[0].RightOperand']);
    const namesNoRule = { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: crypto.randomUUID() };
    expect(await refused({ recoveryConditions: [namesNoRule] })).toEqual(['recoveryConditions[0].RightOperand']);
    expect(
      await refused({ ruleTypeId: 2, conditions: [{ Type: 'And', LeftOperand: 81, Operator: 3, RightOperand: '1' }], recoveryConditions }),
    ).toEqual(['recoveryConditions[0].LeftOperand']);
  });

  it('run actions of their tenant or of nobody, that are for rules', async () => {
    const definition = async (body: Record<string, unknown>) =>
      String((await world.call(holder('all'), 'PUT', '/v1/actionDefinitions', { name: 'Hook', ...body })).body['actionDefinitionId']);
    const forProtocols = await definition({ actionDefinitionTypeId: 2, tenantId: home.tenantId });
    const theirs = await definition({ actionDefinitionTypeId: 3, tenantId: other.tenantId });
    const global = await definition({ actionDefinitionTypeId: 3, tenantId: null });
    const refused = async (id: string, caller = me, list = 'matchActions') =>
      details(await make({ [list]: [{ ActionDefinitionId: id }] }, caller));
    expect(await refused(theirs)).toMatchObject([{ target: 'matchActions[0].ActionDefinitionId', message: 'Action was not found.' }]);
    expect(await refused(theirs, holder('all'), 'expirationActions')).toMatchObject([
      { target: 'expirationActions[0].ActionDefinitionId' },
    ]);
    expect(await refused(crypto.randomUUID())).toMatchObject([{ message: 'Action was not found.' }]);
    expect(await refused(forProtocols)).toMatchObject([{ message: 'Rules cannot run the action Hook. Choose another one.' }]);
    const created = await make({ matchActions: [{ ActionDefinitionId: global }] });
    expect(created.status).toBe(201);
    const url = `/v1/rules/${String(created.body['ruleId'])}`;
    expect(details(await world.call(me, 'POST', url, { expirationActions: [{ ActionDefinitionId: theirs }] }))).toHaveLength(1);
  });

  it('give their actions the parameters that those take; another one is refused by its name', async () => {
    const call = (Parameters: object) => [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters }];
    const refused = await world.call(me, 'PUT', '/v1/rules', {
      ...starterRule,
      name: 'Named',
      ...home,
      matchActions: call({ Titel: 'x' }),
    });
    expect([refused.status, refused.body['error']]).toEqual([
      400,
      expect.objectContaining({
        details: [
          expect.objectContaining({
            target: 'matchActions[0].Parameters.Titel',
            message:
              'Create Work Unit has no parameter Titel. It takes TenantId, ProtocolId, SeverityId, Title, Description, WorkUnitTypeId, WorkUnitCategoryId, Category, AssignmentGroup, AssignedTo.',
          }),
        ],
      }),
    ]);
    const created = await world.call(me, 'PUT', '/v1/rules', {
      ...starterRule,
      name: 'Named',
      ...home,
      matchActions: call({ Title: 'x' }),
    });
    expect(created.status).toBe(201);
    // A rule that was stored before parameters were checked can still be edited in other fields.
    await world.system.db.query({
      text: 'update rule set match_actions = $2 where rule_id = $1',
      values: [created.body['ruleId'], JSON.stringify(call({ Titel: 'x' }))],
    });
    const edited = await world.call(me, 'POST', `/v1/rules/${String(created.body['ruleId'])}`, {
      name: 'Renamed',
      matchActions: call({ Titel: 'x' }),
    });
    expect(edited.status).toBe(200);
  });

  it('are refused with a placeholder that stands for nothing, in any parameter; stored ones stay', async () => {
    const mail = {
      ActionDefinitionId: builtInAction.email,
      Parameters: { Body: '{DeviceNam} {Runbook} {To}', ExtraParameters: 'Runbook=page 7' },
    };
    const refused = await make({ ...open({ Title: '{Metrics.Cpu} on {Devicename}', Description: '{Facts}' }), expirationActions: [mail] });
    expect([refused.status, details(refused)]).toMatchObject([
      400,
      [
        { target: 'matchActions[0].Parameters.Title', message: expect.stringContaining('{Devicename}. Did you mean {DeviceName}?') },
        { target: 'expirationActions[0].Parameters.Body', message: expect.stringContaining('{DeviceNam}. Did you mean {DeviceName}?') },
      ],
    ]);
    const url = `/v1/rules/${String((await make(open({ Title: 'x' }))).body['ruleId'])}`;
    const stored = open({ Title: '{Nothing}' }).matchActions;
    await world.system.db.query({
      text: 'update rule set match_actions = $2 where rule_id = $1',
      values: [url.slice('/v1/rules/'.length), JSON.stringify(stored)],
    });
    expect((await world.call(me, 'POST', url, { matchActions: [...stored, ...open({ Title: 'y' }).matchActions] })).status).toBe(200);
  });

  it('open work units in their own tenant, with a protocol and a severity that exist', async () => {
    const theirs = await world.call(holder('all'), 'PUT', '/v1/protocols', { name: 'Theirs', tenantId: other.tenantId });
    const freshTenant = await world.call(me, 'PUT', '/v1/protocols', { name: 'Ours', tenantId: home.tenantId });
    const refused = async (parameters: Record<string, unknown>) => details(await make(open(parameters)))[0];
    expect(await refused({ TenantId: other.tenantId })).toMatchObject({ target: 'matchActions[0].Parameters.TenantId' });
    expect(await refused({ ProtocolId: theirs.body['protocolId'] })).toMatchObject({
      target: 'matchActions[0].Parameters.ProtocolId',
      message: 'Protocol was not found.',
    });
    expect(await refused({ ProtocolId: 'x' })).toMatchObject({ target: 'matchActions[0].Parameters.ProtocolId' });
    expect(await refused({ SeverityId: 'Sev9' })).toMatchObject({ target: 'matchActions[0].Parameters.SeverityId' });
    expect((await make(open({ TenantId: home.tenantId, ProtocolId: freshTenant.body['protocolId'], SeverityId: 'Sev2' }))).status).toBe(
      201,
    );
    expect(details(await make({ protocolId: theirs.body['protocolId'] }))).toMatchObject([{ target: 'protocolId' }]);
    expect((await make({ protocolId: freshTenant.body['protocolId'] })).status).toBe(201);
  });

  it('the condition that names their tenant follows them to another one', async () => {
    const named = { Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: home.tenantId };
    const created = await make({ conditions: [named, cpu], subscriptionId: null });
    const moved = await world.call(holder([home.tenantId, other.tenantId]), 'POST', `/v1/rules/${String(created.body['ruleId'])}`, {
      tenantId: other.tenantId,
    });
    expect(moved.body).toMatchObject({ conditions: [{ ...named, RightOperand: other.tenantId }, cpu] });
  });
});

describe('rule matches', () => {
  let device: string;
  let match: string;
  let correlation: string;
  beforeAll(async () => {
    device = String((await world.call(me, 'PUT', '/v1/devices', { name: 'web-1', ...home })).body['deviceId']);
    const rule = await make({ name: 'Hot' });
    correlation = crypto.randomUUID();
    const rows = await world.system.db.query<{ id: string }>({
      text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, rule_packet, created, closed)
        select $1, $2, $3, 'Hot: web-1', now() + interval '5 minutes' * n, now(), now(), $4, $5, now() + interval '1 second' * n, case when n < 0 then now() end
        from unnest(array[-1, 1]) n returning rule_match_id as id`,
      values: [
        home.tenantId,
        rule.body['ruleId'],
        device,
        correlation,
        JSON.stringify({ EntityId: device, Timestamp: '2026-11-21T08:00:00.000Z', Value: 5, Properties: { Rack: 'A1' } }),
      ],
    });
    match = rows[1]?.id ?? '';
  });

  it('[MATCH-008] [API-067] are found by subject with their rule, newest first', async () => {
    const answer = await world.call(me, 'GET', `/v1/rulematches?$filter=subjectId eq ${device}&$expand=rule&$count=true`);
    expect(answer.body).toMatchObject({
      '@odata.count': 2,
      value: [{ ruleMatchId: match, rule: { name: 'Hot' } }, { rule: { name: 'Hot' } }],
    });
  });

  it('[MATCH-010] have the fields of the specification', async () => {
    const answer = await world.call(me, 'GET', `/v1/rulematches?$filter=subjectId eq ${device}&$expand=rule`);
    expect(Object.keys(answer.body.value?.[0] ?? {})).toEqual(
      expect.arrayContaining(
        'ruleMatchId ruleId label expires created subjectId rule rulePacket matchCount firstMatch lastMatch inMaintenance completionProcessed modified'.split(
          ' ',
        ),
      ),
    );
  });

  it('[API-068] are filtered by any query', async () => {
    const active = await world.call(
      me,
      'GET',
      `/v1/rulematches?$filter=${encodeURIComponent(`subjectId eq ${device} and expires gt now()`)}`,
    );
    expect(active.body.value?.map((row) => row['ruleMatchId'])).toEqual([match]);
  });

  it('[API-161] what they saw is looked up for the relations of a work unit', async () => {
    const read = (ids: string, caller = me) => world.call(caller, 'GET', `/v1/relationLogEntries?referenceIds=${ids}`);
    const [entry] = (await read(`${match},${crypto.randomUUID()}`)).body.value ?? [];
    expect(entry).toMatchObject({ referenceId: match, created: expect.stringMatching(/Z$/) });
    expect(JSON.parse(String(entry?.['message']))).toEqual({
      EntityId: device,
      Timestamp: '2026-11-21T08:00:00.000Z',
      Value: 5,
      Properties: { Rack: 'A1', BlockName: 'web-1', DeviceName: 'web-1' },
    });
    expect((await read(match, holder([other.tenantId]))).body.value).toEqual([]);
    expect((await read(match, holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
    expect((await read('x')).status).toBe(400);
    expect((await world.call(me, 'GET', '/v1/relationLogEntries')).status).toBe(400);
  });
});

describe('choices for the right side of a condition', () => {
  const options = (operand: number | string, { tenant = home.tenantId, query = '', caller = me } = {}) =>
    world.call(caller, 'GET', `/api/${tenant}/rulelookup/conditionInputOptions/${operand}${query}`);

  it('[API-020] are those of a select operand, or rows of the tenant', async () => {
    expect((await options(11)).body).toEqual([
      { id: 'device', name: 'Device' },
      { id: 'operation', name: 'Device operation' },
      { id: 'block', name: 'Block' },
    ]);
    await world.call(me, 'PUT', '/v1/blocks', { name: 'Queue', blockTypeId: 1, ...home });
    const lookedUp = (await options(50)).body as unknown as { id: string; name: string }[];
    expect(lookedUp.map((named) => named.name)).toContain('Queue');
    expect((await options(20)).body).toEqual([{ id: home.tenantId, name: expect.any(String) }]);
    expect((await options(108)).body).toContainEqual({ id: 1, name: 'Incident' });
    expect((await options(31)).body).toEqual([]);
  });

  it('[API-021] are those of the tenant that is named beside the one of the address', async () => {
    const both = holder([home.tenantId, other.tenantId]);
    expect((await options(20, { caller: both, query: `?tenantId=${other.tenantId}` })).body).toMatchObject([{ id: other.tenantId }]);
    expect((await options(20, { query: `?tenantId=${other.tenantId}` })).status).toBe(404);
    expect((await options(20, { tenant: other.tenantId })).status).toBe(404);
    expect((await options(999)).status).toBe(404);
    expect((await options('x')).status).toBe(400);
    expect((await options(20, { tenant: 'x' })).status).toBe(400);
    expect((await options(11, { caller: holder([home.tenantId], ['CloudFit.CFS.Blocks:view']) })).status).toBe(403);
    expect((await options(50, { caller: holder([home.tenantId], ['CloudFit.CFS.Rules:view']) })).status).toBe(403);
  });
});

describe('the left operands of a rule type', () => {
  it('say how their value is entered; another tenant’s are not told of', async () => {
    const read = (query: string) => world.call(me, 'GET', `/api/generalLookup/ruleleftoperands?${query}`);
    const rows = (await read(`ruleType=1&tenantId=${home.tenantId}`)).body as unknown as Record<string, unknown>[];
    await proves('[API-011] of a rule type', async () => {
      expect(rows).toContainEqual({
        id: 20,
        name: 'Tenant',
        input: 'lookup',
        needsFieldName: false,
        operators: expect.arrayContaining([1, 2]),
      });
      expect(rows).toContainEqual(expect.objectContaining({ name: 'Metric', input: 'number', needsFieldName: true }));
      expect((await read('tenantId=')).status).toBe(400);
    });
    await proves('[API-012] of a tenant of the caller', async () => {
      expect((await read(`ruleType=1&tenantId=${other.tenantId}`)).status).toBe(404);
      expect((await read('ruleType=1&tenantId=x')).status).toBe(400);
    });
  });
});
