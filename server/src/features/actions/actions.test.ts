/** Action definitions: who may use them where, which rows use them, test runs, and their histories. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let receiver: Server;
let endpointUrl: string;
const calls: { headers: Record<string, unknown>; body: string }[] = [];
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      calls.push({ headers: request.headers, body });
      response.end(body.includes('NUL') ? 'before\0after' : 'noted');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpointUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/{Team}`;
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await automation.stop();
  receiver.closeAllConnections();
  receiver.close();
  await world.close();
});

const definition = async (body: Record<string, unknown> = {}, caller = me): Promise<WorldReply['body']> => {
  const created = await world.call(caller, 'PUT', '/v1/actionDefinitions', {
    name: `Hook ${crypto.randomUUID()}`,
    actionDefinitionTypeId: 4,
    tenantId: home.tenantId,
    inputParameters: 'Team,Text',
    endpointUrl,
    httpMethod: 'POST',
    body: '{"text":"{Text}"}',
    ...body,
  });
  expect([created.status, created.body['error']]).toEqual([201, undefined]);
  return created.body;
};
const rule = (body: Record<string, unknown>) =>
  world.call(me, 'PUT', '/v1/rules', {
    name: `Rule ${crypto.randomUUID()}`,
    ruleTypeId: 1,
    ...home,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
    ...body,
  });
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
const names = (answer: WorldReply) => answer.body.value?.map((row) => row['name']);

describe('action definitions', () => {
  it('keep their fields, are listed with tenant and count, and changed', async () => {
    const created = await definition({ headers: 'X-Team:{Team}', description: 'Calls the desk' });
    const filter = `$filter=actionDefinitionId eq ${String(created['actionDefinitionId'])}&$expand=tenant&$count=true&$top=5&$orderby=name desc`;
    const { body } = await world.call(me, 'GET', `/v1/actionDefinitions?${filter}`);
    await proves('[API-037] [API-038] listed with count and tenant', () =>
      expect(body).toMatchObject({ '@odata.count': 1, value: [{ tenant: { tenantId: home.tenantId } }] }),
    );
    await proves('[ACT-011] [API-040] created with their fields', () =>
      expect(body.value).toMatchObject([{ description: 'Calls the desk', httpMethod: 'POST', endpointUrl }]),
    );
    await proves('[ACT-012] [ACT-014] parameters and headers as text', () =>
      expect(body.value).toMatchObject([{ inputParameters: 'Team,Text', headers: 'X-Team:{Team}' }]),
    );
    const url = `/v1/actionDefinitions/${String(created['actionDefinitionId'])}`;
    await proves('[ACT-013] [API-041] changed to a method of the list alone', async () => {
      expect((await world.call(me, 'POST', url, { httpMethod: 'HEAD' })).body['httpMethod']).toBe('HEAD');
      expect(details(await world.call(me, 'POST', url, { httpMethod: 'FETCH' }))).toMatchObject([{ target: 'httpMethod' }]);
    });
  });

  it.each([
    ['endpointUrl', 'https://{Team}.example.com/', 'A placeholder cannot stand in the host or port of an address.'],
    ['endpointUrl', 'https://ada:secret@example.com/', 'An address cannot have a user name or password'],
    ['endpointUrl', 'https://example.com:99999/', 'Endpoint URL is not a valid address.'],
    ['endpointUrl', 'https://example.com:6379/', 'The port 6379 may only be called where the allow list names the host.'],
    ['endpointUrl', 'http://10.1.2.3/{Team}', '10.1.2.3'],
    ['endpointUrl', 'http://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['headers', 'Authorization: Bearer abc', 'write Authorization:{Secret:name}, or Authorization:Bearer {Secret:name}.'],
    ['headers', 'X-Team:a\nX-Api-Key:abc', 'The header X-Api-Key has a credential'],
    ['headers', 'cookie:session=abc', 'The header cookie has a credential'],
    ['headers', 'X-Auth-Token: abc', 'The header X-Auth-Token has a credential'],
    ['headers', 'Host: example.com', 'The header Host is set by the server; an action cannot set it.'],
    ['headers', 'X-A: 1\ncontent-length:3', 'The header content-length is set by the server'],
    ['headers', 'no colon', 'is not Name:Value.'],
  ])('are refused when their %s could never be sent: %s', async (target, value, message) => {
    const refused = await world.call(me, 'PUT', '/v1/actionDefinitions', {
      name: 'Never',
      actionDefinitionTypeId: 4,
      tenantId: home.tenantId,
      inputParameters: 'Team',
      endpointUrl,
      [target]: value,
    });
    expect([refused.status, details(refused)]).toMatchObject([400, [{ target, message: expect.stringContaining(message) }]]);
  });

  it('are refused with a placeholder that stands for nothing; one that is stored keeps working', async () => {
    const refused = await world.call(me, 'PUT', '/v1/actionDefinitions', {
      name: 'Hook',
      actionDefinitionTypeId: 4,
      tenantId: home.tenantId,
      inputParameters: 'Team, Text',
      endpointUrl: `${endpointUrl}/{PublicWorkunitId}`,
      headers: 'X-Team: {Teem}',
      body: '{"t":"{Team}","v":"{Metrics.Cpu}","s":"{Secret:x}"}',
    });
    expect([refused.status, details(refused)]).toMatchObject([
      400,
      [
        { target: 'endpointUrl', message: expect.stringContaining('Did you mean {PublicWorkUnitId}? These exist: Team, Text, RuleName') },
        { target: 'headers', message: expect.stringContaining('There is no placeholder {Teem}. Did you mean {Team}?') },
      ],
    ]);
    const id = String((await definition())['actionDefinitionId']);
    await world.system.db.query({
      text: `update action_definition set body = '{"x":"{Nothing}","t":"{Text}"}' where action_definition_id = $1`,
      values: [id],
    });
    const url = `/v1/actionDefinitions/${id}`;
    expect((await world.call(me, 'POST', url, { description: 'Still there' })).status).toBe(200);
    expect(details(await world.call(me, 'POST', url, { body: '{"x":"{Nothing}"}' }))).toMatchObject([{ target: 'body' }]);
    // A parameter that a text names cannot be taken away alone.
    expect(details(await world.call(me, 'POST', url, { inputParameters: 'Team' }))).toMatchObject([
      { target: 'body', message: expect.stringContaining('{Text}') },
    ]);
  });

  it('show no credential that an older version stored in their headers, also in the audit', async () => {
    const { actionDefinitionId } = await definition({ headers: 'X-Team:{Team}' });
    const id = String(actionDefinitionId);
    const headers = 'X-Team:desk\nAuthorization: Bearer violet\nX-Api-Key:tractor\r\nX-Token: {Secret:api}\nPartition-Key:7';
    const shown = 'X-Team:desk\nAuthorization:***\nX-Api-Key:***\nX-Token: {Secret:api}\nPartition-Key:7';
    await world.system.db.query({
      text: 'update action_definition set headers = $2 where action_definition_id = $1',
      values: [id, headers],
    });
    await world.system.db.query({
      text: `insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, before, after, correlation_id)
        values ($1, 'system', 'test', 'update', 'actionDefinitions', $2, $3, $3, gen_random_uuid())`,
      values: [home.tenantId, id, JSON.stringify({ name: 'x', headers })],
    });
    const read = await world.call(me, 'GET', `/v1/actionDefinitions?$filter=actionDefinitionId eq ${id}`);
    expect(read.body.value).toMatchObject([{ headers: shown }]);
    expect((await world.call(me, 'GET', `/v1/actionDefinitions?$filter=contains(headers,'violet')`)).body.value).toEqual([]);
    // Whoever saves the row as it was read keeps what is stored.
    const row = read.body.value?.[0] ?? {};
    expect((await world.call(me, 'POST', `/v1/actionDefinitions/${id}`, { headers: row['headers'], description: 'New' })).status).toBe(200);
    const [stored] = await world.system.db.query({
      text: 'select headers from action_definition where action_definition_id = $1',
      values: [id],
    });
    expect(stored).toEqual({ headers });
    const audit = await world.call(me, 'GET', `/v1/audit?$filter=entityId eq '${id}'`);
    expect(audit.body.value?.length).toBeGreaterThan(2);
    expect(audit.body.value?.[0]).toMatchObject({ verb: 'update', before: { headers: shown }, after: { headers: shown } });
    expect(audit.text).not.toMatch(/violet|tractor/);
  });

  it.each([
    ['[ACT-023] [ACT-025]', 'name'],
    ['[ACT-024] [ACT-025]', 'actionDefinitionTypeId'],
  ])('%s need %s', async (_id, target) => {
    const answer = await world.call(me, 'PUT', '/v1/actionDefinitions', { tenantId: home.tenantId, name: '' });
    expect(details(answer)).toContainEqual(expect.objectContaining({ target, message: 'This field is required.' }));
  });

  it('[ACT-029] [ACT-030] built-in ones are neither edited nor deleted, whoever asks', async () => {
    for (const id of Object.values(builtInAction)) {
      const edited = await world.call(holder('all'), 'POST', `/v1/actionDefinitions/${id}`, { name: 'Mine' });
      expect([edited.status, details(edited)[0]?.message]).toEqual([400, 'A built-in action cannot be edited.']);
      const deleted = await world.call(holder('all'), 'DELETE', `/v1/actionDefinitions/${id}`);
      expect([deleted.status, details(deleted)[0]?.message]).toEqual([400, 'A built-in action cannot be deleted.']);
    }
  });

  it('are offered to protocols and rules by their type, with the tenant’s and global ones', async () => {
    const tenantValues = {
      protocol: await definition({ actionDefinitionTypeId: 2 }),
      rule: await definition({ actionDefinitionTypeId: 3 }),
      both: await definition(),
    };
    const global = await definition({ tenantId: null }, holder('all'));
    const theirs = await definition({ tenantId: other.tenantId }, holder('all'));
    const all = holder('all');
    const list = async (of: string, tenantId: string, query = '') =>
      names(await world.call(all, 'GET', `/v1/actionDefinitions/GetActionDefinitionsFor${of}(tenantId=${tenantId})${query}`));
    const forProtocols = await list('Protocols', home.tenantId);
    await proves('[API-045][ACT-018] those for protocols', () => expect(forProtocols).toContain(tenantValues.protocol['name']));
    await proves('[ACT-020] those for both, to protocols', () => expect(forProtocols).toContain(tenantValues.both['name']));
    expect(forProtocols).toEqual(
      expect.arrayContaining([tenantValues.protocol['name'], tenantValues.both['name'], global['name'], 'Email']),
    );
    expect(forProtocols).not.toEqual(expect.arrayContaining([tenantValues.rule['name']]));
    expect(forProtocols).not.toEqual(expect.arrayContaining(['Set Color']));
    expect(forProtocols).not.toEqual(expect.arrayContaining([theirs['name']]));
    const forRules = await list('Rules', home.tenantId);
    await proves('[API-046][ACT-019] those for rules', () => expect(forRules).toContain(tenantValues.rule['name']));
    await proves('[ACT-020] those for both, to rules', () => expect(forRules).toContain(tenantValues.both['name']));
    expect(forRules).toEqual(
      expect.arrayContaining([
        tenantValues.rule['name'],
        tenantValues.both['name'],
        global['name'],
        'Set Color',
        'Create Work Unit',
        'Email',
      ]),
    );
    expect(forRules).not.toEqual(expect.arrayContaining([tenantValues.protocol['name']]));
    expect(await list('Rules', 'null', "?$filter=startswith(name,'Hook')")).toContain(global['name']);
    expect(await list('Rules', 'null')).not.toContain(tenantValues.both['name']);
    expect(await list('Rules', home.tenantId, '?$top=1&$orderby=name desc')).toHaveLength(1);
    for (const of of ['Rules', 'Protocols']) {
      const path = `/v1/actionDefinitions/GetActionDefinitionsFor${of}`;
      expect((await world.call(me, 'GET', `${path}(tenantId=${other.tenantId})`)).status).toBe(404);
      expect((await world.call(me, 'GET', `${path}(tenantId=x)`)).status).toBe(400);
      expect(
        (await world.call(holder([home.tenantId], ['CloudFit.CFS.Rules:view']), 'GET', `${path}(tenantId=${home.tenantId})`)).status,
      ).toBe(403);
    }
  });
});

describe('built-in actions', () => {
  it('are for both, for protocols or for rules, and come with the product alone', async () => {
    for (const [type, name] of [
      [5, 'Built in for protocols'],
      [6, 'Built in for rules'],
    ] as const)
      await world.system.db.query({
        text: 'insert into action_definition (name, action_definition_type_id) values ($1, $2)',
        values: [name, type],
      });
    const list = async (of: string) =>
      names(await world.call(me, 'GET', `/v1/actionDefinitions/GetActionDefinitionsFor${of}(tenantId=${home.tenantId})?$top=1000`));
    const [forProtocols, forRules] = [await list('Protocols'), await list('Rules')];
    const offered = (name: string) => [forProtocols, forRules].map((all) => all?.includes(name));
    await proves('[ACT-017] type 1 is for both', () => expect(offered('Email')).toEqual([true, true]));
    await proves('[ACT-021] type 5 is for protocols', () => expect(offered('Built in for protocols')).toEqual([true, false]));
    await proves('[ACT-022] type 6 is for rules', () => expect(offered('Built in for rules')).toEqual([false, true]));
    for (const actionDefinitionTypeId of [1, 5, 6]) {
      const created = await world.call(me, 'PUT', '/v1/actionDefinitions', {
        name: 'Mine',
        actionDefinitionTypeId,
        tenantId: home.tenantId,
      });
      expect(details(created)).toMatchObject([{ target: 'actionDefinitionTypeId' }]);
    }
  });

  it('create work unit takes tenant, protocol, severity, and what the unit says', async () => {
    const definition = await world.call(me, 'GET', `/v1/actionDefinitions/${builtInAction.createWorkUnit}`);
    expect(definition.body['inputParameters']).toBe(
      'TenantId,ProtocolId,SeverityId,Title,Description,WorkUnitTypeId,WorkUnitCategoryId,Category,AssignmentGroup,AssignedTo',
    );
    const protocol = (await world.call(me, 'PUT', '/v1/protocols', { name: 'Outage', tenantId: home.tenantId })).body;
    const parameters = {
      TenantId: home.tenantId,
      ProtocolId: protocol['protocolId'],
      SeverityId: 'Sev1',
      Title: 'For {TenantName}',
      Category: 'Network',
    };
    const { body } = await world.call(me, 'POST', `/v1/actionDefinitions/${builtInAction.createWorkUnit}/test`, parameters);
    const done = await automation.outcome(body['id']);
    expect(done.result_status_id).toBe(1);
    const unit = await world.call(me, 'GET', `/v1/workunits/${String(done.result_detail?.['workUnitId'])}`);
    expect(unit.body).toMatchObject({ title: expect.stringMatching(/^For Tenant /), category: 'Network', description: null });
    await proves('[ACT-041] the tenant', () => expect(unit.body['tenantId']).toBe(home.tenantId));
    await proves('[ACT-042] the protocol', () => expect(unit.body['protocolId']).toBe(protocol['protocolId']));
    await proves('[ACT-043] the severity', () => expect(unit.body['severityId']).toBe('Sev1'));
  });
});

describe('what uses an action', () => {
  it('is listed, and keeps it from being deleted', async () => {
    const created = await definition();
    const id = String(created['actionDefinitionId']);
    const match = await rule({ matchActions: [{ ActionDefinitionId: id, Parameters: {} }] });
    const end = await rule({ expirationActions: [{ ActionDefinitionId: id, Parameters: {} }] });
    const protocol = (await world.call(me, 'PUT', '/v1/protocols', { name: 'Outage', tenantId: home.tenantId })).body;
    await world.call(me, 'PUT', '/v1/protocolActions', {
      protocolId: protocol['protocolId'],
      actionDefinitionId: id,
      workUnitEventTypeId: 1,
    });
    const rules = await world.call(me, 'GET', `/v1/rules/GetRulesForAction(actionDefinitionId=${id})?$orderby=name&$count=true`);
    await proves('[API-048][ACT-027] the rules', () => {
      expect(rules.body).toMatchObject({ '@odata.count': 2 });
      expect(names(rules)?.toSorted()).toEqual([match.body['name'], end.body['name']].toSorted());
    });
    await proves('[API-047][ACT-026] the protocols', async () =>
      expect(names(await world.call(me, 'GET', `/v1/protocols/GetProtocolsForAction(actionDefinitionId=${id})`))).toEqual(['Outage']),
    );

    const refused = await world.call(me, 'DELETE', `/v1/actionDefinitions/${id}`);
    expect(refused.status).toBe(409);
    const { message } = refused.body['error'] as { message: string };
    await proves('[ERR-006][ACT-048] the refusal names them', () => {
      for (const name of ['Outage', match.body['name'], end.body['name']]) expect(message).toContain(name);
    });

    for (const one of [match, end]) expect((await world.call(me, 'DELETE', `/v1/rules/${String(one.body['ruleId'])}`)).status).toBe(204);
    expect((await world.call(me, 'DELETE', `/v1/protocols/${String(protocol['protocolId'])}`)).status).toBe(204);
    await proves('[API-042] is deleted once nothing uses it', async () =>
      expect((await world.call(me, 'DELETE', `/v1/actionDefinitions/${id}`)).status).toBe(204),
    );
  });

  it('is for those who may view both, in their tenants', async () => {
    const id = String((await definition())['actionDefinitionId']);
    for (const [path, area] of [
      [`/v1/rules/GetRulesForAction(actionDefinitionId=${id})`, 'Rules'],
      [`/v1/protocols/GetProtocolsForAction(actionDefinitionId=${id})`, 'WorkUnits.Protocols'],
    ] as const) {
      expect((await world.call(holder([home.tenantId], ['CloudFit.CFS.ActionDefinitions:view']), 'GET', path)).status).toBe(403);
      expect((await world.call(holder([home.tenantId], [`CloudFit.CFS.${area}:view`]), 'GET', path)).status).toBe(403);
      expect((await world.call(holder([other.tenantId]), 'GET', path)).status).toBe(404);
      expect((await world.call(me, 'GET', path.replace(id, 'x'))).status).toBe(400);
    }
  });
});

describe('trying an action', () => {
  const test = (id: string, body: unknown, caller = me, query = '') =>
    world.call(caller, 'POST', `/v1/actionDefinitions/${id}/test${query}`, body);

  it('runs it through the queue; the history is found by the id', async () => {
    const created = await definition();
    const answer = await test(String(created['actionDefinitionId']), { Team: 'ops', Text: 'It "works"' });
    await proves('[API-043] [API-044] the call answers an id', () =>
      expect([answer.status, answer.body]).toMatchObject([200, { id: expect.any(String) }]),
    );
    await automation.outcome(answer.body['id']);
    const { body } = await world.call(
      me,
      'GET',
      `/v1/actionHistories?$filter=messageId eq ${String(answer.body['id'])}&$expand=actionDefinition`,
    );
    await proves('[ACT-054] [API-071] the history is found by the id', () =>
      expect(body.value).toMatchObject([{ resultStatusId: 1, resultDetail: { answer: 'noted', status: 200 } }]),
    );
    await proves('[API-074] with the name of the action', () =>
      expect(body.value).toMatchObject([{ actionDefinition: { name: created['name'] } }]),
    );
    await proves('[ACT-051] with the parameters as JSON', () =>
      expect(JSON.parse(String(body.value?.[0]?.['inputParameters']))).toEqual({ Team: 'ops', Text: 'It "works"' }),
    );
    expect(calls.at(-1)).toMatchObject({ body: '{"text":"It \\"works\\""}', headers: { 'idempotency-key': answer.body['id'] } });
  });

  it('[ACT-015] [ACT-016] sends its body as JSON, unless a header of the action says otherwise', async () => {
    const sentAs = async (headers: string | null): Promise<unknown> => {
      const created = await definition({ headers });
      const answer = await test(String(created['actionDefinitionId']), { Team: 'ops', Text: 'Hello' });
      await automation.outcome(answer.body['id']);
      return calls.at(-1)?.headers['content-type'];
    };
    expect(await sentAs(null)).toBe('application/json');
    expect(await sentAs('Content-Type: text/plain; charset=utf-8')).toBe('text/plain; charset=utf-8');
  });

  it('records the success of a call whatever bytes its receiver answers', async () => {
    const created = await definition({ body: 'NUL', headers: 'Content-Type: text/plain' });
    const answer = await test(String(created['actionDefinitionId']), {});
    expect(await automation.outcome(answer.body['id'])).toMatchObject({
      result_status_id: 1,
      result_detail: { status: 200, answer: 'before\uFFFDafter' },
    });
  });

  it('[ACT-031] [ACT-032] built-in ones are tried in the tenant that is named', async () => {
    const mail = await test(builtInAction.email, { To: 'desk@example.com', Subject: 'A test', Template: 'None' });
    expect(await automation.outcome(mail.body['id'])).toMatchObject({ tenant_id: home.tenantId, result_status_id: 1 });
    expect(automation.mails).toMatchObject([{ messageId: mail.body['id'], to: 'desk@example.com', subject: 'A test' }]);
    const unit = await test(builtInAction.createWorkUnit, { SeverityId: 'Sev3', TenantId: other.tenantId }, holder('all'));
    expect(await automation.outcome(unit.body['id'])).toMatchObject({ tenant_id: other.tenantId, result_status_id: 1 });
    expect(details(await test(builtInAction.email, {}, holder('all')))).toMatchObject([{ target: 'tenantId' }]);
    expect((await test(builtInAction.email, {}, holder('all'), `?tenantId=${other.tenantId}`)).status).toBe(200);
    expect(details(await test(builtInAction.email, {}, me, `?tenantId=${other.tenantId}`))).toMatchObject([{ target: 'tenantId' }]);
  });

  it('is for those who may edit actions, of their tenant, with plain values', async () => {
    const id = String((await definition())['actionDefinitionId']);
    expect((await test(id, {}, holder([home.tenantId], ['CloudFit.CFS.ActionDefinitions:view']))).status).toBe(403);
    expect((await test(id, {}, holder([other.tenantId]))).status).toBe(404);
    expect(details(await test(id, { Team: { a: 1 } }))).toMatchObject([{ target: 'Team' }]);
    expect((await test('x', {})).status).toBe(400);
  });
});

describe('action histories', () => {
  it('[ACT-050] are found by action, correlation, reference and what stands in their parameters', async () => {
    const correlation = crypto.randomUUID();
    const actionId = builtInAction.createWorkUnit;
    const protocolAction = crypto.randomUUID();
    await world.system.db.query({
      text: `insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, correlation_id, reference_id, message_id)
        select $1, $2, n, case n when 5 then $4 else '{}' end, $3, 'ref-' || n, uuidv7() from generate_series(0, 5) n`,
      values: [home.tenantId, actionId, correlation, JSON.stringify({ ProtocolActionId: protocolAction })],
    });
    const idsOf = async (filter: string) =>
      (await world.call(me, 'GET', `/v1/actionHistories?$filter=${encodeURIComponent(filter)}&$orderby=resultStatusId`)).body.value?.map(
        (row) => row['resultStatusId'],
      );
    await proves('[ACT-053] [API-070] by correlation, in each of the six statuses', async () =>
      expect(await idsOf(`correlationId eq ${correlation}`)).toEqual([0, 1, 2, 3, 4, 5]),
    );
    await proves('[API-069] by action and correlation', async () =>
      expect(await idsOf(`actionDefinitionId eq ${actionId} and correlationId eq ${correlation}`)).toHaveLength(6),
    );
    await proves('[API-160] by correlation and several actions', async () =>
      expect(await idsOf(`correlationId eq ${correlation} and actionDefinitionId in (${actionId},${builtInAction.email})`)).toHaveLength(6),
    );
    await proves('[API-072] by reference', async () =>
      expect(await idsOf(`correlationId eq ${correlation} and referenceId eq 'ref-2'`)).toEqual([2]),
    );
    await proves('[API-073] by a protocol action among the parameters', async () =>
      expect(await idsOf(`contains(inputParameters,'${protocolAction}')`)).toEqual([5]),
    );
  });
});
