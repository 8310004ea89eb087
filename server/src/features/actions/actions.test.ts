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
    ['endpointUrl', 'https://{Team}.example.com/', 'A placeholder cannot be part of the host or port of an address. Write them out.'],
    ['endpointUrl', 'https://ada:secret@example.com/', 'An address cannot contain a user name or password'],
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
    // A parameter that the body uses cannot be removed while the body is unchanged.
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
    // A client that saves the row as it was read keeps the stored values.
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
    const answer = await test(String(created['actionDefinitionId']), { Team: 'ops' });
    expect(await automation.outcome(answer.body['id'])).toMatchObject({
      result_status_id: 1,
      result_detail: { status: 200, answer: 'before\uFFFDafter' },
    });
  });

  it('built-in ones are tried in the tenant that is named', async () => {
    const mail = await test(builtInAction.email, { To: 'desk@example.com', Subject: 'A test', Template: 'None' });
    await proves('[ACT-032] email', async () => {
      expect(await automation.outcome(mail.body['id'])).toMatchObject({ tenant_id: home.tenantId, result_status_id: 1 });
      expect(automation.mails).toMatchObject([{ messageId: mail.body['id'], to: 'desk@example.com', subject: 'A test' }]);
    });
    const unit = await test(builtInAction.createWorkUnit, { SeverityId: 'Sev3', TenantId: other.tenantId }, holder('all'));
    const opened = await automation.outcome(unit.body['id']);
    await proves('[ACT-031] another', () => expect(opened).toMatchObject({ tenant_id: other.tenantId, result_status_id: 1 }));
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

describe('what a test fills in', () => {
  const hook = async (body: string, more: Record<string, unknown> = {}) =>
    String(
      (await definition({ inputParameters: null, endpointUrl: endpointUrl.replace('{Team}', ''), body, ...more }))['actionDefinitionId'],
    );
  const ask = (what: 'test' | 'preview', id: string, body: Record<string, unknown>, query = '', caller = me) =>
    world.call(caller, 'POST', `/v1/actionDefinitions/${id}/${what}${query}`, body);
  const run = async (id: string, body: Record<string, unknown> = {}, query = '') => {
    const answer = await ask('test', id, body, query);
    expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
    return automation.outcome(answer.body['id']);
  };
  const openUnit = async (caller: TestCaller, tenantId: string) => {
    const unit = await world.call(caller, 'PUT', '/v1/workunits', {
      title: 'Pump "3" stands',
      workUnitTypeId: 1,
      severityId: 'Sev1',
      tenantId,
    });
    expect([unit.status, unit.body['error']]).toEqual([201, undefined]);
    return unit.body;
  };

  it('is an example, so that what arrives is what a run would send', async () => {
    const id = await hook('{"unit":{PublicWorkUnitId},"device":"{DeviceName}","cpu":{Metrics.Cpu},"tenant":"{TenantId}"}');
    expect(await run(id)).toMatchObject({ result_status_id: 1, result_detail: { status: 200 } });
    expect(JSON.parse(calls.at(-1)?.body ?? '')).toEqual({ unit: 2042, device: 'web-1', cpu: 42.5, tenant: home.tenantId });
  });

  it('fails, and sends nothing, when a placeholder has no value or the body is no JSON', async () => {
    const sent = calls.length;
    const failure = (error: string) => ({ result_status_id: 2, result_detail: { error } });
    const id = await hook('{"team":"{Team}","text":"{Text}"}', { inputParameters: 'Team,Text' });
    expect(await run(id)).toMatchObject(failure('Not sent: {Team}, {Text} have no value.'));
    expect(await run(id, { Team: 'ops', Text: 'on {DeviceNam}' })).toMatchObject(failure('Not sent: {DeviceNam} has no value.'));
    expect(await run(id, { Team: 'ops', Text: '{Secret:none}' })).toMatchObject(failure('Not sent: {Secret:none} has no value.'));
    expect(await run(await hook('{"unit":{PublicWorkUnitId},}'))).toMatchObject(failure('Not sent: The body is not valid JSON.'));
    const email = { To: 'desk@example.com', Subject: '{Nothing}', Template: 'None' };
    const mails = automation.mails.length;
    expect(await run(builtInAction.email, email)).toMatchObject(failure('Not sent: {Nothing} has no value.'));
    expect(await run(builtInAction.createWorkUnit, { Title: '{Nothing}' })).toMatchObject(failure('Not sent: {Nothing} has no value.'));
    expect([calls.length, automation.mails.length]).toEqual([sent, mails]);
  });

  it('is a work unit that the caller may view, whose feed has nothing of the test', async () => {
    const unit = await openUnit(me, home.tenantId);
    const number = Number(unit['workUnitId']);
    const id = await hook('{"id":{WorkUnitId},"title":"{Title}","severity":"{Severity}","ack":"{AckUrl}"}');
    const feed = async () =>
      (await world.system.db.query({ text: 'select 1 from work_unit_note where work_unit_id = $1', values: [number] })).length;
    const before = await feed();
    expect(await run(id, {}, `?forWorkUnitId=${number}`)).toMatchObject({ result_status_id: 1, reference_id: null });
    expect(JSON.parse(calls.at(-1)?.body ?? '')).toEqual({
      id: number,
      title: 'Pump "3" stands',
      severity: 'Sev1',
      // The link of a test acknowledges nothing.
      ack: 'http://localhost/ack/test',
    });
    expect(await feed()).toBe(before);
    const histories = await world.call(me, 'GET', `/v1/actionHistories?$filter=workUnitId eq ${number}`);
    expect(histories.body.value).toEqual([]);
    const audits = await world.system.db.query({ text: "select after from audit where verb = 'test' and entity_id = $1", values: [id] });
    expect(audits).toMatchObject([{ after: { workUnitId: number, messageId: expect.any(String) } }]);
    // The placeholder needs a match, which a test for a work unit does not have.
    const rest = await hook('{"a":"{DeviceName}"}');
    expect(await run(rest, {}, `?forWorkUnitId=${number}`)).toMatchObject({
      result_status_id: 2,
      result_detail: { error: 'Not sent: {DeviceName} has no value.' },
    });
  });

  it('is never a row that the caller may not view, or of another tenant', async () => {
    const id = await hook('{"title":"{Title}"}');
    const theirs = Number((await openUnit(holder([other.tenantId]), other.tenantId))['workUnitId']);
    const mine = Number((await openUnit(me, home.tenantId))['workUnitId']);
    const blind = holder([home.tenantId], ['CloudFit.CFS.ActionDefinitions:view', 'CloudFit.CFS.ActionDefinitions:edit']);
    const match = crypto.randomUUID();
    for (const what of ['test', 'preview'] as const) {
      expect((await ask(what, id, {}, `?forWorkUnitId=${theirs}`)).status).toBe(404);
      expect((await ask(what, id, {}, `?forWorkUnitId=${mine}`, blind)).status).toBe(403);
      expect((await ask(what, id, {}, `?forRuleMatchId=${match}`)).status).toBe(404);
      expect((await ask(what, id, {}, `?forRuleMatchId=${match}`, blind)).status).toBe(403);
      expect(details(await ask(what, id, {}, `?forWorkUnitId=${theirs}`, holder('all')))).toMatchObject([
        { target: 'forWorkUnitId', message: 'The work unit belongs to another tenant than the test.' },
      ]);
      expect(details(await ask(what, id, {}, `?forWorkUnitId=${mine}&forRuleMatchId=${match}`))).toMatchObject([
        { target: 'forRuleMatchId' },
      ]);
      expect((await ask(what, id, {}, '', holder([home.tenantId], ['CloudFit.CFS.ActionDefinitions:view']))).status).toBe(403);
    }
    // A global action runs for the tenant of its subject.
    const mail = { To: 'desk@example.com', Subject: 'About {Title}', Template: 'None' };
    const { body } = await ask('test', builtInAction.email, mail, `?forWorkUnitId=${theirs}`, holder('all'));
    expect(await automation.outcome(body['id'])).toMatchObject({ tenant_id: other.tenantId, result_status_id: 1 });
    expect(automation.mails.at(-1)).toMatchObject({ subject: 'About Pump "3" stands' });
  });

  it('is a match with its device and its packet', async () => {
    const device = (await world.call(me, 'PUT', '/v1/devices', { name: 'pump-3', ...home })).body['deviceId'];
    const hot = (await rule({ name: `Hot ${crypto.randomUUID()}` })).body;
    const [match] = await world.system.db.query<{ rule_match_id: string }>({
      text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, rule_packet)
        values ($1, $2, $3, 'Hot: pump-3', now(), now(), now(), uuidv7(), '{"Timestamp":"2026-03-02T08:15:00.000Z","Metrics":{"Cpu":97}}')
        returning rule_match_id`,
      values: [home.tenantId, hot['ruleId'], device],
    });
    const id = await hook('{"rule":"{RuleName}","label":"{Label}","device":"{DeviceName}","cpu":{Metrics.Cpu}}');
    const query = `?forRuleMatchId=${match?.rule_match_id}`;
    expect(await run(id, {}, query)).toMatchObject({ result_status_id: 1, reference_id: null });
    expect(JSON.parse(calls.at(-1)?.body ?? '')).toEqual({ rule: hot['name'], label: 'Hot: pump-3', device: 'pump-3', cpu: 97 });
  });

  it('is shown before it is sent: the request as it will be, with secrets masked, and what has no value', async () => {
    await world.call(me, 'PUT', `/v1/tenants/${home.tenantId}/secrets`, {
      name: 'pager',
      value: 'TopSecret-77',
      allowedHosts: '127.0.0.1',
    });
    const id = await hook('{"key":"{Secret:pager}","team":"{Team}","title":"{Title}"}', {
      inputParameters: 'Team',
      headers: 'X-Key: {Secret:pager}\nX-None: {Secret:none}',
    });
    const unit = await openUnit(me, home.tenantId);
    const query = `?forWorkUnitId=${Number(unit['workUnitId'])}`;
    const sent = calls.length;
    const shown = await ask('preview', id, { Team: '{Secret:pager}' }, query);
    expect(shown.text).not.toContain('TopSecret-77');
    expect(shown.body).toEqual({
      request: {
        method: 'POST',
        url: endpointUrl.replace('{Team}', ''),
        headers: [
          { name: 'content-type', value: 'application/json' },
          { name: 'x-key', value: '***' },
          { name: 'x-none', value: '{Secret:none}' },
        ],
        body: '{"key":"***","team":"***","title":"Pump \\"3\\" stands"}',
      },
      mail: null,
      parameters: [{ name: 'Team', value: '***' }],
      unfilled: ['Secret:none'],
      problem: null,
    });
    expect((await ask('preview', await hook('{"n":{Title}"}'), {}, query)).body).toMatchObject({ problem: 'The body is not valid JSON.' });
    const mail = { To: 'desk@example.com', Subject: '{Title} {Nothing}', Template: 'None' };
    expect((await ask('preview', builtInAction.email, mail, query)).body).toMatchObject({
      request: null,
      mail: { to: 'desk@example.com', subject: 'Pump "3" stands {Nothing}' },
      unfilled: ['Nothing'],
    });
    const opened = await ask('preview', builtInAction.createWorkUnit, { Title: 'On {DeviceName}' });
    expect(opened.body).toMatchObject({ parameters: [{ name: 'Title', value: 'On web-1' }], unfilled: [], problem: null });
    expect(calls.length).toBe(sent);
    expect(await run(id, { Team: '{Secret:pager}' }, query)).toMatchObject({ result_status_id: 2 });
  });
});
