/** Protocols and their actions: fields, limits, what uses them, and manual actions of work units through the queue. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { builtInAction, workUnitEventTypes } from '@cloudfit/contract/enums.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await automation.stop();
  await world.close();
});

const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
const make = (body: Record<string, unknown> = {}, caller = me) =>
  world.call(caller, 'PUT', '/v1/protocols', { name: `Outage ${crypto.randomUUID()}`, tenantId: home.tenantId, ...body });
const add = (protocol: WorldReply, body: Record<string, unknown> = {}, caller = me) =>
  world.call(caller, 'PUT', '/v1/protocolActions', {
    protocolId: protocol.body['protocolId'],
    actionDefinitionId: builtInAction.email,
    workUnitEventTypeId: 1,
    parameters: JSON.stringify({ To: 'desk@example.com', Template: 'None', Subject: 'Unit {PublicWorkUnitId}' }),
    summary: 'Tell the desk',
    ...body,
  });
const unit = async (protocol: WorldReply, body: Record<string, unknown> = {}) => {
  const created = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Mail is down',
    workUnitTypeId: 1,
    tenantId: home.tenantId,
    protocolId: protocol.body['protocolId'],
    ...body,
  });
  expect([created.status, created.body['error']]).toEqual([201, undefined]);
  return created.body;
};

describe('protocols', () => {
  it('[PROT-014] [API-054] are created with their fields', async () => {
    const fields = { description: 'When mail is down', manualActions: 'Open {WorkUnitUrl}' };
    expect((await make(fields)).body).toMatchObject({ ...fields, tenantId: home.tenantId });
  });

  it('[PROT-015] say who changed them', async () => {
    expect((await make()).body).toMatchObject({ modified: expect.stringMatching(/Z$/), modifiedBy: 'person@example.com' });
  });

  it('[PROT-024] have a timer of ten minutes at first', async () => {
    expect((await make()).body['timerInverval']).toBe('00:10:00');
  });

  it('[API-055] are changed', async () => {
    const url = `/v1/protocols/${String((await make()).body['protocolId'])}`;
    expect((await world.call(me, 'POST', url, { timerInverval: '01:30:00' })).body).toMatchObject({ timerInverval: '01:30:00' });
  });

  it('[API-049] are listed with their tenant', async () => {
    const created = await make();
    const [row] =
      (await world.call(me, 'GET', `/v1/protocols?$filter=protocolId eq ${String(created.body['protocolId'])}&$expand=tenant`)).body
        .value ?? [];
    expect(row).toMatchObject({ tenant: { tenantId: home.tenantId } });
  });

  it.each([
    ['[PROT-019]', { name: ' ' }, 'name', 'Name is required.'],
    ['[PROT-020] [PROT-021]', { timerInverval: '' }, 'timerInverval', 'Timer Interval is required'],
    ['[PROT-020] [PROT-021]', { timerInverval: null }, 'timerInverval', 'Timer Interval is required'],
    ['[PROT-022]', { timerInverval: '00:09:59' }, 'timerInverval', 'Must be at least 10 minutes.'],
    ['[PROT-016] [PROT-023]', { timerInverval: '10 minutes' }, 'timerInverval', 'Please enter the Timer Interval as hh:mm:ss.'],
    ['[PROT-016] [PROT-023]', { timerInverval: '00:99:00' }, 'timerInverval', 'Please enter the Timer Interval as hh:mm:ss.'],
  ])('%s refuses %j', async (_ids, change, target, message) => {
    const answer = await make(change);
    expect([answer.status, details(answer)]).toEqual([400, [expect.objectContaining({ target, message })]]);
  });

  it('are looked up of a tenant or of none, by name', async () => {
    const name = crypto.randomUUID();
    const all = holder('all');
    for (const [n, tenantId] of [
      ['c', home.tenantId],
      ['b', null],
      ['a', home.tenantId],
      ['d', other.tenantId],
    ] as const)
      await make({ name: `${name} ${n}`, tenantId }, all);
    const filter = encodeURIComponent(`(tenantId eq ${home.tenantId} or tenantId eq null) and startswith(name,'${name}')`);
    const rows = (await world.call(all, 'GET', `/v1/protocols?$filter=${filter}`)).body.value ?? [];
    const names = rows.map((row) => String(row['name']).at(-1));
    await proves('[API-051] those of the tenant and of none', () => expect(names.toSorted()).toEqual(['a', 'b', 'c']));
    await proves('[PROT-013] [API-052] sorted by name', () => expect(names).toEqual(names.toSorted()));
  });

  it('[API-056] are deleted with their actions, but not while rules or work units use them', async () => {
    const protocol = await make();
    const id = String(protocol.body['protocolId']);
    const action = await add(protocol);
    const rule = await world.call(me, 'PUT', '/v1/rules', {
      name: `Linked ${crypto.randomUUID()}`,
      ruleTypeId: 1,
      ...home,
      protocolId: id,
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
    });
    const refused = await world.call(me, 'DELETE', `/v1/protocols/${id}`);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([409, expect.stringContaining(String(rule.body['name']))]);
    await world.call(me, 'DELETE', `/v1/rules/${String(rule.body['ruleId'])}`);
    const { workUnitId } = await unit(protocol);
    expect(JSON.stringify((await world.call(me, 'DELETE', `/v1/protocols/${id}`)).body)).toContain('one work unit');
    await world.call(me, 'POST', `/v1/workunits/${String(workUnitId)}`, { protocolId: null });
    expect((await world.call(me, 'DELETE', `/v1/protocols/${id}`)).status).toBe(204);
    expect((await world.call(me, 'GET', `/v1/protocolActions/${String(action.body['protocolActionId'])}`)).status).toBe(404);
  });

  it('tell which rules are assigned: linked, or opening work units with them', async () => {
    const protocol = await make();
    const id = String(protocol.body['protocolId']);
    const conditions = [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }];
    const open = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { ProtocolId: id.toUpperCase(), SeverityId: 'Sev1' } };
    for (const body of [{ name: 'b', protocolId: id }, { name: 'a', matchActions: [open] }, { name: 'c' }])
      await world.call(me, 'PUT', '/v1/rules', { ruleTypeId: 1, ...home, conditions, ...body });
    const path = `/v1/protocols/GetMatchedRules(id=${id})`;
    await proves('[PROT-009] lists both kinds', async () =>
      expect((await world.call(me, 'GET', path)).body.value?.map((row) => row['name'])).toEqual(['a', 'b']),
    );
    await proves('[API-053] of a protocol that the caller may see', async () => {
      expect((await world.call(holder([home.tenantId], ['CloudFit.CFS.Rules:view']), 'GET', path)).status).toBe(403);
      expect((await world.call(holder([other.tenantId]), 'GET', path)).status).toBe(404);
      expect((await world.call(me, 'GET', '/v1/protocols/GetMatchedRules(id=x)')).status).toBe(400);
    });
  });
});

describe('protocol actions', () => {
  it('are refused with a placeholder that stands for nothing, by the name of the parameter', async () => {
    const protocol = await make();
    const refused = await add(protocol, { parameters: JSON.stringify({ To: 'a@example.com', Subject: 'Unit {PublicWorkUnit}' }) });
    expect([refused.status, details(refused)]).toMatchObject([
      400,
      [{ target: 'parameters', message: expect.stringContaining('Subject: There is no placeholder {PublicWorkUnit}. Did you mean') }],
    ]);
    const added = await add(protocol);
    expect(added.status).toBe(201);
    await world.system.db.query({
      text: `update protocol_action set parameters = '{"Subject":"{Nothing}"}' where protocol_action_id = $1`,
      values: [added.body['protocolActionId']],
    });
    const url = `/v1/protocolActions/${String(added.body['protocolActionId'])}`;
    expect((await world.call(me, 'POST', url, { summary: 'Stored ones stay' })).status).toBe(200);
  });

  it('[PACT-006] [PACT-010] keep the parameters that the action names', async () => {
    const created = await add(await make(), { parameters: '{"To":"a@example.com","Nonsense":1}' });
    expect(created.body['parameters']).toBe('{"To":"a@example.com"}');
  });

  it('[PACT-004] [API-165] are created with their fields', async () => {
    const created = await add(await make(), { sequence: 3, repeatable: true });
    expect(created.body).toMatchObject({
      sequence: 3,
      repeatable: true,
      runAutomatically: false,
      createdBy: 'person@example.com',
      modifiedBy: 'person@example.com',
      tenantId: home.tenantId,
    });
  });

  it('[PACT-005] [API-164] are listed with their action', async () => {
    const protocol = await make();
    await add(protocol);
    const filter = `$filter=protocolId eq ${String(protocol.body['protocolId'])}&$expand=actionDefinition`;
    expect((await world.call(me, 'GET', `/v1/protocolActions?${filter}`)).body.value).toMatchObject([
      { actionDefinition: { name: 'Email', description: expect.any(String), inputParameters: expect.stringContaining('To,Cc') } },
    ]);
  });

  it('[PACT-015] [API-166] change their event', async () => {
    const url = `/v1/protocolActions/${String((await add(await make())).body['protocolActionId'])}`;
    for (const { value } of workUnitEventTypes)
      expect((await world.call(me, 'POST', url, { workUnitEventTypeId: value })).body['workUnitEventTypeId']).toBe(value);
  });

  it('[API-167] are deleted', async () => {
    const url = `/v1/protocolActions/${String((await add(await make())).body['protocolActionId'])}`;
    expect((await world.call(me, 'DELETE', url)).status).toBe(204);
    expect((await world.call(me, 'GET', url)).status).toBe(404);
  });

  it('[PACT-008] need an event that protocols may use', async () => {
    const protocol = await make();
    for (const workUnitEventTypeId of [undefined, 99])
      expect(details(await add(protocol, { workUnitEventTypeId }))).toMatchObject([{ target: 'workUnitEventTypeId' }]);
  });

  it('[PACT-009] need an action that protocols may use', async () => {
    const protocol = await make();
    for (const actionDefinitionId of [undefined, builtInAction.setColor, crypto.randomUUID()])
      expect(details(await add(protocol, { actionDefinitionId }))).toMatchObject([{ target: 'actionDefinitionId' }]);
  });

  it('name all that is missing, have texts as parameters, and belong to the tenant of their protocol', async () => {
    const protocol = await make();
    expect(details(await add(protocol, { workUnitEventTypeId: undefined, actionDefinitionId: undefined })).map((d) => d.target)).toEqual([
      'actionDefinitionId',
      'workUnitEventTypeId',
    ]);
    for (const parameters of ['To=me', '[1]', '{"To":{"a":1}}'])
      expect(details(await add(protocol, { parameters }))).toMatchObject([{ target: 'parameters' }]);
    const theirs = await make({ tenantId: other.tenantId }, holder('all'));
    expect(details(await add(theirs))).toMatchObject([{ target: 'protocolId' }]);
    const global = await make({ tenantId: null }, holder('all'));
    expect((await add(global)).status).toBe(403);
    expect((await add(global, {}, holder('all'))).body).toMatchObject({ tenantId: null });
  });

  it('manual ones of an event come with their protocol', async () => {
    const protocol = await make();
    await add(protocol, { sequence: 2, summary: 'second' });
    await add(protocol, { sequence: 1, summary: 'first' });
    await add(protocol, { runAutomatically: true });
    await add(protocol, { workUnitEventTypeId: 4 });
    const expand = 'protocolActions($filter=workUnitEventTypeId eq 1 and runAutomatically eq false;$expand=actionDefinition)';
    const { body } = await world.call(
      me,
      'GET',
      `/v1/protocols?$filter=protocolId eq ${String(protocol.body['protocolId'])}&$expand=${encodeURIComponent(expand)}`,
    );
    const actions = body.value?.[0]?.['protocolActions'];
    await proves('[API-058] [API-059] the manual ones in their order', () =>
      expect(actions).toMatchObject([{ summary: 'first' }, { summary: 'second' }]),
    );
    await proves('[API-057] with their actions', () =>
      expect(actions).toMatchObject([{ actionDefinition: { name: 'Email' } }, { actionDefinition: { name: 'Email' } }]),
    );
  });
});

describe('a manual action of a work unit', () => {
  const trigger = (workUnitId: unknown, action: WorldReply, body: Record<string, unknown> = {}, caller = me) =>
    world.call(caller, 'POST', `/v1/workunits/${String(workUnitId)}/protocolActions/${String(action.body['protocolActionId'])}/trigger`, {
      workUnitEventType: 1,
      userDefinedParams: {},
      reject: false,
      ...body,
    });
  const feed = async (workUnitId: unknown) =>
    (await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${String(workUnitId)})`)).body.value ?? [];

  it('sends no secret that whoever runs it names', async () => {
    const protocol = await make();
    const action = await add(protocol, { parameters: JSON.stringify({ To: 'desk@example.com', Subject: '{Secret:kept}' }) });
    const { workUnitId } = await unit(protocol);
    const refused = await trigger(workUnitId, action, { userDefinedParams: { Subject: '{Secret:erp}' } });
    expect([refused.status, details(refused)]).toEqual([400, [expect.objectContaining({ target: 'userDefinedParams.Subject' })]]);
    expect((await trigger(workUnitId, action, { userDefinedParams: { Subject: '{Secret:kept}' } })).status).toBe(200);
  });

  it('runs through the queue, with history on the action and in the feed', async () => {
    const protocol = await make();
    const action = await add(protocol);
    const created = await unit(protocol);
    const answer = await trigger(created['workUnitId'], action, {
      userDefinedParams: { Subject: 'Unit {PublicWorkUnitId} now', Other: 'x' },
    });
    await proves('[API-156] [PACT-015] the call takes event and parameters', () =>
      expect([answer.status, answer.body]).toEqual([200, { id: expect.any(String), rejected: false }]),
    );
    expect(await automation.outcome(answer.body['id'])).toMatchObject({ result_status_id: 1, reference_id: String(created['workUnitId']) });
    const mail = automation.mails.find(({ messageId }) => messageId === answer.body['id']);
    expect(mail?.subject).toBe(`Unit ${String(created['publicWorkUnitId'])} now`);
    const filter = encodeURIComponent(
      `referenceId eq '${String(created['workUnitId'])}' and contains(inputParameters,'${String(action.body['protocolActionId'])}')`,
    );
    const [history] = (await world.call(me, 'GET', `/v1/actionHistories?$filter=${filter}`)).body.value ?? [];
    await proves('[API-072] the history is found by its reference', () => expect(history).toBeDefined());
    await proves('[ACT-052] the history names the protocol action', () =>
      expect(JSON.parse(String(history?.['inputParameters']))).toEqual({
        To: 'desk@example.com',
        Template: 'None',
        Subject: 'Unit {PublicWorkUnitId} now',
        ProtocolActionId: action.body['protocolActionId'],
      }),
    );
    expect((await feed(created['workUnitId'])).map((entry) => [entry['historyType'], entry['detail']])).toEqual(
      expect.arrayContaining([
        ['ProtocolActionActivity', 'Email was started by hand.'],
        ['ProtocolActionActivity', 'Email succeeded.'],
      ]),
    );
  });

  it('says in the feed why it failed', async () => {
    const protocol = await make();
    const action = await add(protocol, { parameters: '{"Template":"Nonsense","To":"a@example.com"}' });
    const { workUnitId } = await unit(protocol);
    const answer = await trigger(workUnitId, action);
    expect(await automation.outcome(answer.body['id'])).toMatchObject({ result_status_id: 2 });
    expect(await feed(workUnitId)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ historyType: 'ProtocolActionFailure', detail: 'Email failed: There is no mail template Nonsense.' }),
      ]),
    );
  });

  it('runs once, also when it is asked for twice at the same time, unless it is repeatable', async () => {
    const protocol = await make();
    const [once, often] = [await add(protocol), await add(protocol, { repeatable: true })];
    const { workUnitId } = await unit(protocol);
    const both = await Promise.all([1, 2, 3, 4].map(() => trigger(workUnitId, once)));
    expect(both.map((answer) => answer.status).toSorted()).toEqual([200, 409, 409, 409]);
    const late = await trigger(workUnitId, once, { reject: true });
    expect(late.body['error']).toMatchObject({ message: 'This action has already been run for this work unit and is not repeatable.' });
    const ids = [await trigger(workUnitId, often), await trigger(workUnitId, often)].map((answer) => answer.body['id']);
    expect(new Set(ids).size).toBe(2);
    expect((await trigger((await unit(protocol))['workUnitId'], once)).status).toBe(200);
  });

  it('[API-157] is rejected: recorded, not run, and then neither run nor rejected again', async () => {
    const protocol = await make();
    const action = await add(protocol);
    const { workUnitId } = await unit(protocol);
    const answer = await trigger(workUnitId, action, { reject: true });
    expect(answer.body).toMatchObject({ rejected: true });
    expect(await automation.outcome(answer.body['id'])).toMatchObject({ result_status_id: 5, result_detail: { reason: 'rejected' } });
    for (const reject of [true, false]) {
      const again = await trigger(workUnitId, action, { reject });
      expect([again.status, again.body['error']]).toEqual([
        409,
        expect.objectContaining({ message: 'This action has already been rejected for this work unit and is not repeatable.' }),
      ]);
    }
    expect(details(await trigger(workUnitId, action, { reject: 'yes' }))).toMatchObject([{ target: 'reject' }]);
    expect((await feed(workUnitId)).map((entry) => entry['detail'])).toContain('Email was rejected.');
  });

  it('belongs to its event, its state and its protocol', async () => {
    const protocol = await make();
    const [onNew, onTimer, automatic] = [
      await add(protocol),
      await add(protocol, { workUnitEventTypeId: 7 }),
      await add(protocol, { runAutomatically: true }),
    ];
    const { workUnitId } = await unit(protocol);
    expect(details(await trigger(workUnitId, onNew, { workUnitEventType: 4 }))).toMatchObject([
      { target: 'workUnitEventType', message: 'This action belongs to the event OnNew.' },
    ]);
    expect(details(await trigger(workUnitId, onNew, { workUnitEventType: 'x' }))).toMatchObject([{ target: 'workUnitEventType' }]);
    expect(details(await trigger(workUnitId, automatic))).toMatchObject([{ target: 'protocolActionId' }]);
    expect((await trigger(workUnitId, onTimer, { workUnitEventType: 7 })).status).toBe(200);
    await world.call(me, 'POST', `/v1/workunits/${String(workUnitId)}`, { stateId: 'Acknowledged' });
    expect((await trigger(workUnitId, onNew)).status).toBe(409);
    expect((await trigger((await unit(await make()))['workUnitId'], onNew)).status).toBe(404);
  });

  it('is for those who may edit work units, of their tenant', async () => {
    const protocol = await make();
    const action = await add(protocol);
    const { workUnitId } = await unit(protocol);
    expect((await trigger(workUnitId, action, {}, holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
    expect((await trigger(workUnitId, action, {}, holder([other.tenantId]))).status).toBe(404);
    const desk = holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.WorkUnits:edit']);
    expect((await trigger(workUnitId, action, { userDefinedParams: '{"Subject":"As text"}' }, desk)).status).toBe(200);
    expect(details(await trigger(workUnitId, action, { userDefinedParams: 'x' }))).toMatchObject([{ target: 'userDefinedParams' }]);
  });
});

describe('the preview of a mail', () => {
  const render = (body: Record<string, unknown>, caller = me) => world.call(caller, 'POST', '/v1/emailtemplates/render', body);

  it('is the mail with its placeholders filled and secrets masked; nothing is sent', async () => {
    const protocol = await make();
    const parameters = {
      To: '{StakeHolderEmailAddress}',
      Cc: 'cc@example.com',
      Template: 'Simple',
      Body: 'Key {Secret:api} for {TenantName}, {What}',
    };
    const action = await add(protocol, { parameters: JSON.stringify({ ...parameters, ExtraParameters: 'What=mail' }) });
    const created = await unit(protocol, { stakeHolderEmailAddress: 'sam@example.com' });
    const answer = await render({
      workUnitId: created['workUnitId'],
      protocolActionId: action.body['protocolActionId'],
      userDefinedParams: { Bcc: 'bcc@example.com', Subject: 'About {Title}' },
    });
    await proves('[API-158] takes the parameters of the user', () =>
      expect(answer.body).toMatchObject({ bcc: 'bcc@example.com', subject: 'About Mail is down' }),
    );
    await proves('[API-159] has these parts', () => {
      expect(answer.body).toMatchObject({
        to: 'sam@example.com',
        cc: 'cc@example.com',
        bcc: 'bcc@example.com',
        subject: 'About Mail is down',
      });
      expect(answer.body['body']).toMatch(/^Key \*{6} for Tenant .*, mail\n/);
    });
    expect(answer.body['body']).toContain(`http://localhost/${home.tenantId}/workunitsv2?workUnitId=${String(created['workUnitId'])}`);
    expect(
      await world.system.db.query({ text: 'select 1 from action_history where work_unit_id = $1', values: [created['workUnitId']] }),
    ).toEqual([]);
  });

  it('is for mails, and for those who may view the work unit', async () => {
    const protocol = await make();
    const action = await add(protocol, { parameters: '{"Template":"Nonsense","To":"a@example.com"}' });
    const { workUnitId } = await unit(protocol);
    const body = { workUnitId, protocolActionId: action.body['protocolActionId'] };
    expect(details(await render(body))).toMatchObject([{ target: 'userDefinedParams', message: 'There is no mail template Nonsense.' }]);
    expect((await render(body, holder([other.tenantId]))).status).toBe(404);
    expect((await render(body, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
    expect((await render({ ...body, protocolActionId: crypto.randomUUID() })).status).toBe(404);
    expect(details(await render({ ...body, workUnitId: undefined }))).toMatchObject([{ target: 'workUnitId' }]);
    const definition = await world.call(me, 'PUT', '/v1/actionDefinitions', {
      name: 'Hook',
      actionDefinitionTypeId: 2,
      tenantId: home.tenantId,
    });
    const hook = await add(protocol, { actionDefinitionId: definition.body['actionDefinitionId'], parameters: '{}' });
    expect(details(await render({ ...body, protocolActionId: hook.body['protocolActionId'] }))).toMatchObject([
      { target: 'protocolActionId' },
    ]);
  });
});
