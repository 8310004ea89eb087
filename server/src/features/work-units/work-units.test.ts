/** Work units over HTTP: their state machine, their history, their notes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = { ...holder([tenantId]), actor: { kind: 'person', id: crypto.randomUUID(), name: 'Mara Okafor', userName: 'mara@example.com' } };
});
afterAll(() => world.close());

async function open(change: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const answer = await world.call(me, 'PUT', '/api/v1/workunits', {
    workUnitId: -1,
    title: 'Pump is silent',
    severityId: 'Sev1',
    workUnitTypeId: 1,
    tenantId,
    ...change,
  });
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body;
}
it('[WU-132] [API-145] is created from a whole object, with what the server sets empty or false', async () => {
  const unit = await open({ plannedOutage: false, created: '', approved1By: null, isSpamCall: false, customValue1: null });
  expect(unit).toMatchObject({ title: 'Pump is silent', createdBy: 'mara@example.com' });
  const refused = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'x',
    severityId: 'Sev1',
    workUnitTypeId: 1,
    tenantId,
    approved1By: 'me',
  });
  expect(refused.status).toBe(400);
});

const url = (unit: Record<string, unknown>): string => `/v1/workunits/${String(unit['workUnitId'])}`;
const history = async (unit: Record<string, unknown>): Promise<Record<string, unknown>[]> =>
  (await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${String(unit['workUnitId'])})`)).body.value ?? [];
const refusal = (body: Record<string, unknown>): string[] =>
  ((body['error'] as { details?: { target: string }[] }).details ?? []).map((d) => d.target);

describe('a new work unit', () => {
  it('[API-145] [API-146] is created from the full object with workUnitId -1 and answers its id', async () => {
    const unit = await open();
    expect(unit).toMatchObject({ stateId: 'New', severityId: 'Sev1', createdBy: 'mara@example.com', modifiedBy: 'mara@example.com' });
    expect(unit['workUnitId']).toBeTypeOf('number');
    expect(unit['publicWorkUnitId']).toBeTypeOf('number');
  });

  it('[WU-126] has severity Sev0 when none is given', async () => {
    expect(await open({ severityId: undefined })).toMatchObject({ severityId: 'Sev0' });
  });

  it('[WU-098] can only be New', async () => {
    const answer = await world.call(me, 'PUT', '/v1/workunits', {
      title: 'Late',
      severityId: 'Sev1',
      workUnitTypeId: 1,
      tenantId,
      stateId: 'Acknowledged',
    });
    expect([answer.status, refusal(answer.body)]).toEqual([400, ['stateId']]);
  });

  it('is closed as it is taken when it is a spam call', async () => {
    const unit = await open({ isSpamCall: true, stakeHolderPhoneNumber: '+47 22 00 00 00' });
    await proves('[INTK-030] resolved', () => expect(unit).toMatchObject({ stateId: 'Resolved', resolved: expect.any(String) }));
    await proves('[INTK-031] from spam', () => expect(unit['source']).toBe('Spam'));
    await proves('[INTK-032] with this title', () => expect(unit['title']).toBe('Spam Call'));
    await proves('[INTK-033] of the lowest severity', () => expect(unit['severityId']).toBe('Sev4'));
  });

  it('takes no spam call without a phone number, and the source Spam from nobody', async () => {
    const body = { title: 'A unit', severityId: 'Sev1', workUnitTypeId: 1, tenantId };
    const silent = await world.call(me, 'PUT', '/v1/workunits', { ...body, isSpamCall: true });
    await proves('[INTK-027] asks for the phone', () =>
      expect([silent.status, refusal(silent.body)]).toEqual([400, ['stakeHolderPhoneNumber']]),
    );
    await proves('[INTK-028] in these words', () => expect(JSON.stringify(silent.body)).toContain('Stakeholder phone number is required.'));
    const other = await world.call(me, 'PUT', '/v1/workunits', { ...body, source: 'Spam' });
    await proves('[WU-131] nobody chooses Spam', () => expect([other.status, refusal(other.body)]).toEqual([400, ['source']]));
  });

  it.each([
    ['[WU-122] [WU-123]', { title: 'ab' }, 'Please enter the title'],
    ['[WU-121] [WU-123]', { title: '' }, 'Please enter the title'],
    ['[WU-125]', { severityId: null }, 'Please choose a severity.'],
    ['', { severityId: 'Sev9' }, 'Severity is one of Sev0, Sev1, Sev2, Sev3, Sev4.'],
    ['', { workUnitTypeId: 'x' }, 'Work Unit Type must be a whole number.'],
    ['', { title: 5 }, 'Title must be text.'],
    ['[WU-129]', { effort: 4 }, 'Effort'],
    ['[WU-130]', { description: 'x'.repeat(4001) }, '4000'],
    ['', { referenceUrl: 'javascript:alert(1)' }, 'http'],
    ['', { title: 'with\u0000nul' }, 'a control character (U+0000)'],
    ['', { workUnitTypeId: 77 }, 'was not found'],
    [
      '',
      { plannedStartTime: '2026-01-02T00:00:00Z', plannedFinishTime: '2026-01-01T00:00:00Z' },
      'Planned Finish Time must be equal to or greater than Planned Start Time.',
    ],
  ])('%s refuses %j', async (_id, change, text) => {
    const answer = await world.call(me, 'PUT', '/v1/workunits', {
      title: 'A unit',
      severityId: 'Sev1',
      workUnitTypeId: 1,
      tenantId,
      ...change,
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(text);
  });

  it('[WU-127] [WU-128] needs a type', async () => {
    const answer = await world.call(me, 'PUT', '/v1/workunits', { title: 'A unit', severityId: 'Sev1', tenantId });
    expect([answer.status, refusal(answer.body)]).toEqual([400, ['workUnitTypeId']]);
  });

  it('needs its plan when it is a change request', async () => {
    const answer = await world.call(me, 'PUT', '/v1/workunits', { title: 'A change', severityId: 'Sev1', workUnitTypeId: 2, tenantId });
    expect(refusal(answer.body).toSorted()).toEqual([
      'affectedResources',
      'approver1',
      'approver2',
      'environment',
      'expectedCFSAlerts',
      'implementationPlan',
      'plannedFinishTime',
      'plannedStartTime',
      'resolution',
      'rollbackPlan',
    ]);
  });
});

describe('its life', () => {
  it('[API-148] is acknowledged and assigned by one patch with tests, and the history says who', async () => {
    const unit = await open();
    const acknowledged = await world.call(
      me,
      'PATCH',
      url(unit),
      [
        { op: 'test', path: '/stateId', value: 'New' },
        { op: 'replace', path: '/stateId', value: 'Acknowledged' },
        { op: 'test', path: '/assignedTo', value: null },
        { op: 'replace', path: '/assignedTo', value: 'mara@example.com' },
      ],
      { 'content-type': 'application/json-patch+json' },
    );
    expect(acknowledged.body).toMatchObject({ stateId: 'Acknowledged', assignedTo: 'mara@example.com' });
    const feed = await history(unit);
    expect(feed).toContainEqual(
      expect.objectContaining({
        historyType: 'WorkUnitStateChange',
        field: 'stateId',
        oldValue: 'New',
        newValue: 'Acknowledged',
        createdBy: 'mara@example.com',
      }),
    );
    expect(feed).toContainEqual(
      expect.objectContaining({ historyType: 'FieldChange', field: 'assignedTo', oldValue: null, newValue: 'mara@example.com' }),
    );
    expect(feed).toHaveLength(3);
  });

  it('lets one of two who acknowledge at once win', async () => {
    const unit = await open();
    const patch = [
      { op: 'test', path: '/stateId', value: 'New' },
      { op: 'replace', path: '/stateId', value: 'Acknowledged' },
    ];
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => world.call(me, 'PATCH', url(unit), patch, { 'content-type': 'application/json-patch+json' })),
    );
    expect(answers.map((a) => a.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });

  it('[WU-099] moves from New only to New, Acknowledged or Canceled', async () => {
    for (const stateId of ['InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed']) {
      expect([stateId, (await world.call(me, 'POST', url(await open()), { stateId })).status]).toEqual([stateId, 400]);
    }
    for (const stateId of ['New', 'Acknowledged', 'Canceled']) {
      expect([stateId, (await world.call(me, 'POST', url(await open()), { stateId })).status]).toEqual([stateId, 200]);
    }
  });

  it('[WU-100] moves from any other state to any of the eight, and keeps when it ended', async () => {
    const unit = await open();
    await world.call(me, 'POST', url(unit), { stateId: 'Acknowledged' });
    const ends = new Set<unknown>();
    for (const stateId of ['InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed', 'Canceled', 'Acknowledged', 'New']) {
      const answer = await world.call(me, 'POST', url(unit), { stateId });
      expect([stateId, answer.status]).toEqual([stateId, 200]);
      expect([stateId, answer.body['resolved'] !== null]).toEqual([stateId, ['Resolved', 'Closed', 'Canceled'].includes(stateId)]);
      if (answer.body['resolved'] !== null) ends.add(answer.body['resolved']);
    }
    expect(ends.size).toBe(1);
  });

  it('[API-147] takes newState and previousState, merges other fields and refuses the same one', async () => {
    const unit = await open();
    await world.call(me, 'POST', url(unit), { severityId: 'Sev3' });
    const merged = await world.call(me, 'PATCH', url(unit), { previousState: unit, newState: { ...unit, title: 'Pump is loud' } });
    expect(merged.body).toMatchObject({ title: 'Pump is loud', severityId: 'Sev3' });
    const conflict = await world.call(me, 'PATCH', url(unit), { previousState: unit, newState: { ...unit, severityId: 'Sev0' } });
    expect(conflict.status).toBe(409);
    expect(JSON.stringify(conflict.body)).toContain("The current value 'Sev3' at path 'severityId' is not equal to the test value 'Sev1'.");
  });

  it.each([
    [[{ op: 'replace', path: '/approved1By', value: 'mara@example.com' }]],
    [[{ op: 'replace', path: '/__proto__/tenantId', value: 'x' }]],
    [[{ op: 'move', from: '/title', path: '/description' }]],
    [[{ op: 'copy', from: '/title', path: '/description' }]],
    [{ op: 'replace' }],
    [Array.from({ length: 101 }, () => ({ op: 'test', path: '/stateId', value: 'New' }))],
  ])('refuses the patch %j', async (patch) => {
    const unit = await open();
    expect((await world.call(me, 'PATCH', url(unit), patch, { 'content-type': 'application/json-patch+json' })).status).toBe(400);
  });
});

describe('notes', () => {
  it('are added with PUT and stand in the feed with an empty historyType', async () => {
    const unit = await open();
    const note = await world.call(me, 'PUT', '/v1/workunitnotes', {
      workUnitId: unit['workUnitId'],
      detail: 'Vacuum runs.',
      isExternalNote: true,
    });
    await proves('[API-153][API-154] is added', () => expect(note.status).toBe(201));
    const [entry] = await history(unit);
    await proves('[API-151] stands in the feed', () => expect(entry).toMatchObject({ detail: 'Vacuum runs.', isExternalNote: true }));
    await proves('[NOTE-001] has these fields', () =>
      expect(entry).toMatchObject({ createdBy: 'mara@example.com', historyUrl: null, id: expect.any(Number), created: expect.any(String) }),
    );
    await proves('[NOTE-002] without a type', () => expect(entry?.['historyType']).toBeNull());
  });

  it('[API-152] shows external notes alone where the customer reads them', async () => {
    const unit = await open();
    await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail: 'Inside', isExternalNote: false });
    await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail: 'Outside', isExternalNote: true });
    const answer = await world.call(me, 'GET', `${url(unit)}/externalNotes`);
    expect(answer.body.value?.map((n) => n['detail'])).toEqual(['Outside']);
  });

  it.each([
    ['[NOTE-004]', 'x'.repeat(4001)],
    ['[NOTE-008]', ''],
    ['[NOTE-008]', '   '],
  ])('%s refuses an empty or too long one', async (_id, detail) => {
    const unit = await open();
    expect((await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail })).status).toBe(400);
  });

  it('answers 404 for the feed of a unit that the caller cannot see', async () => {
    const other = await world.tenant();
    const unit = await open();
    const answer = await world.call(
      holder([other.tenantId]),
      'GET',
      `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${String(unit['workUnitId'])})`,
    );
    expect(answer.status).toBe(404);
  });
});

it('[WU-011] lists by severity ascending, then created descending, by default', async () => {
  const { tenantId: freshTenantId } = await world.tenant();
  const caller = holder([freshTenantId]);
  for (const severityId of ['Sev2', 'Sev0', 'Sev2'])
    await world.call(caller, 'PUT', '/v1/workunits', { title: 'In order', severityId, workUnitTypeId: 1, tenantId: freshTenantId });
  const rows = (await world.call(caller, 'GET', '/v1/workunits?$expand=tenant,workUnitType&$count=true')).body.value ?? [];
  expect(rows.map((r) => r['severityId'])).toEqual(['Sev0', 'Sev2', 'Sev2']);
  expect(Number(rows[1]?.['workUnitId'])).toBeGreaterThan(Number(rows[2]?.['workUnitId']));
  expect(rows[0]).toMatchObject({ tenant: { tenantId: freshTenantId }, workUnitType: { name: 'Incident' } });
});

describe('fields', () => {
  const has = (names: string): Record<string, unknown> => Object.fromEntries(names.split(' ').map((name) => [name, expect.anything()]));
  it.each([
    ['[WU-078]', 'workUnitId publicWorkUnitId internalWorkUnitId title description resolution'],
    ['[WU-079]', 'severityId stateId assignedTo assignmentGroup source category effort'],
    ['[WU-084]', 'referenceId referenceUrl'],
    ['[WU-085]', 'stakeHolderFullName stakeHolderPhoneNumber stakeHolderEmailAddress stakeHolderExperienceScore'],
    ['[WU-087]', 'created createdBy modified modifiedBy'],
    ['[WU-089] [WU-090]', 'isSpamCall properties'],
    [
      '[CHG-001]',
      'implementationPlan rollbackPlan affectedResources securityConsiderations userImpact costImpact environment expectedCFSAlerts plannedStartTime plannedFinishTime requestedChangeWindow implementer approver1 approver2 isApproverRequired',
    ],
  ])('%s are kept and answered: %s', async (_id, names) => {
    const values = {
      internalWorkUnitId: 'INT-1',
      description: 'Silent.',
      resolution: 'Fixed.',
      assignedTo: 'ann@example.com',
      assignmentGroup: 'Pumps',
      source: 'Phone',
      category: 'Water',
      effort: 3,
      referenceId: 'R-1',
      referenceUrl: 'https://example.com/1',
      stakeHolderFullName: 'Bo',
      stakeHolderPhoneNumber: '1',
      stakeHolderEmailAddress: 'bo@example.com',
      stakeHolderExperienceScore: 'Average',
      properties: '{"a":"b"}',
      implementationPlan: 'a',
      rollbackPlan: 'b',
      affectedResources: 'c',
      securityConsiderations: 'd',
      userImpact: 'e',
      costImpact: 'f',
      environment: 'g',
      expectedCFSAlerts: 'h',
      plannedStartTime: '2027-01-01T08:00:00.000Z',
      plannedFinishTime: '2027-01-01T08:00:00.000Z',
      requestedChangeWindow: 'i',
      implementer: 'j',
      approver1: 'k@example.com',
      approver2: 'l@example.com',
      isApproverRequired: true,
    };
    const unit = await open(values);
    const read = await world.call(me, 'GET', url(unit));
    expect(read.body).toMatchObject({ ...has(names), ...values });
  });

  it('reads expectedCfsAlerts as expectedCFSAlerts in every write', async () => {
    const unit = await open({ expectedCfsAlerts: 'One' });
    expect(unit['expectedCFSAlerts']).toBe('One');
    const two = await world.call(me, 'POST', url(unit), { expectedCfsAlerts: 'Two' });
    expect(two.body['expectedCFSAlerts']).toBe('Two');
    const three = await world.call(me, 'PATCH', url(unit), [{ op: 'replace', path: '/expectedCfsAlerts', value: 'Three' }]);
    expect(three.body['expectedCFSAlerts']).toBe('Three');
    const bulk = await world.call(me, 'PATCH', '/v1/workunits', { ids: [unit['workUnitId']], newState: { expectedCfsAlerts: '' } });
    expect([bulk.status, refusal(bulk.body)]).toEqual([400, [`${String(unit['workUnitId'])}/expectedCFSAlerts`]]);
  });

  it('[NOTE-003] names in its history what a change refers to', async () => {
    const unit = await open();
    await world.call(me, 'POST', url(unit), { workUnitTypeId: 3 });
    expect(await history(unit)).toContainEqual(
      expect.objectContaining({
        historyType: 'FieldChange',
        detail: 'Work Unit Type changed from Incident to Request.',
        oldValue: '1',
        newValue: '3',
      }),
    );
  });
});

describe('the filter by approver', () => {
  it('is a condition on either approver, without case, beside the other conditions', async () => {
    const { tenantId: freshTenantId } = await world.tenant();
    const caller = holder([freshTenantId]);
    const make = (title: string, more: Record<string, unknown>) =>
      world.call(caller, 'PUT', '/v1/workunits', { title, workUnitTypeId: 1, tenantId: freshTenantId, ...more });
    await make('First', { approver1: 'Ann@Example.com' });
    await make('Second', { approver2: 'ann@example.com' });
    await make('Neither', { approver1: "o'hara@example.com" });
    const titles = async (query: string): Promise<unknown[]> =>
      ((await world.call(caller, 'GET', `/v1/workunits?${query}`)).body.value ?? []).map((row) => row['title']).toSorted();
    await proves('[API-150] either approver', async () => {
      expect(await titles('approverEmail=ann@example.com')).toEqual(['First', 'Second']);
      expect(await titles("approverEmail=O'Hara@example.com")).toEqual(['Neither']);
    });
    // As the list asks that shows the filter and its count.
    await proves('[WU-044] beside other conditions and in counts', async () => {
      expect(await titles(`approverEmail=ann@example.com&$filter=${encodeURIComponent("title eq 'First' or title eq 'Neither'")}`)).toEqual(
        ['First'],
      );
      const counted = await world.call(caller, 'GET', '/v1/workunits?approverEmail=ann@example.com&$count=true&$top=0');
      expect(counted.body['@odata.count']).toBe(2);
    });
  });
});

describe('a mass edit', () => {
  const bulk = (ids: readonly unknown[], newState: Record<string, unknown>) => world.call(me, 'PATCH', '/v1/workunits', { ids, newState });
  const two = async () => [(await open())['workUnitId'], (await open())['workUnitId']];
  const fields = (body: Record<string, unknown>): string[] => [...new Set(refusal(body).map((target) => target.split('/').at(-1) ?? ''))];

  it.each([
    ['[MASS-004]', 'title'],
    ['[MASS-005]', 'implementationPlan'],
    ['[MASS-006]', 'rollbackPlan'],
    ['[MASS-007]', 'affectedResources'],
    ['[MASS-008]', 'environment'],
    ['[MASS-009]', 'expectedCFSAlerts'],
    ['[MASS-010]', 'resolution'],
  ])('%s does not empty %s', async (_id, name) => {
    for (const empty of ['', ' ', null]) {
      const answer = await bulk(await two(), { [name]: empty });
      expect([answer.status, fields(answer.body)]).toEqual([400, [name]]);
    }
  });

  it('takes whole rows whose empty fields stay empty', async () => {
    const unit = await open();
    const answer = await world.call(me, 'PATCH', '/v1/workunits', {
      previousState: [unit],
      newState: [{ ...unit, title: 'Pump is loud' }],
    });
    expect([answer.status, answer.body.value?.[0]?.['title']]).toEqual([200, 'Pump is loud']);
  });

  it('[MASS-012] sets every field that may be edited for many', async () => {
    const newState = {
      title: 'For all',
      stateId: 'Acknowledged',
      severityId: 'Sev2',
      description: 'a',
      referenceUrl: 'https://example.com/',
      implementationPlan: 'b',
      rollbackPlan: 'c',
      affectedResources: 'd',
      securityConsiderations: 'e',
      userImpact: 'f',
      costImpact: 'g',
      environment: 'h',
      expectedCFSAlerts: 'i',
      stakeHolderFullName: 'Bo',
      stakeHolderPhoneNumber: '1',
      stakeHolderEmailAddress: 'bo@example.com',
      effort: 5,
      resolution: 'j',
    };
    const answer = await bulk(await two(), newState);
    expect(answer.body.value).toEqual([expect.objectContaining(newState), expect.objectContaining(newState)]);
  });

  it('[MASS-011] empties other fields', async () => {
    const ids = [(await open({ description: 'Silent.' }))['workUnitId'], (await open({ description: 'Loud.' }))['workUnitId']];
    expect((await bulk(ids, { description: '' })).body.value?.map((row) => row['description'])).toEqual([null, null]);
  });

  it('[MASS-013] [MASS-014] takes New and Sev0 for an empty state and severity', async () => {
    const ids = await two();
    await bulk(ids, { stateId: 'Acknowledged', severityId: 'Sev3' });
    const answer = await bulk(ids, { stateId: '', severityId: '' });
    expect(answer.body.value?.map((row) => [row['stateId'], row['severityId']])).toEqual([
      ['New', 'Sev0'],
      ['New', 'Sev0'],
    ]);
  });

  it('[MASS-003] is of one work unit type', async () => {
    const ids = [(await open())['workUnitId'], (await open({ workUnitTypeId: 3 }))['workUnitId']];
    const answer = await bulk(ids, { description: 'Both' });
    expect([answer.status, fields(answer.body)]).toEqual([400, ['workUnitTypeId']]);
  });

  it('[WU-099] keeps to the states, with a reason for each row, and changes none when one is wrong', async () => {
    const [fresh, assigned] = await two();
    await world.call(me, 'POST', `/v1/workunits/${String(assigned)}`, { stateId: 'Acknowledged' });
    const answer = await bulk([assigned, fresh], { stateId: 'Resolved' });
    expect([answer.status, refusal(answer.body)]).toEqual([400, [`${String(fresh)}/stateId`]]);
    expect((await world.call(me, 'GET', `/v1/workunits/${String(assigned)}`)).body).toMatchObject({ stateId: 'Acknowledged' });
  });
});

it('takes its notes, relations, executions, messages and planned steps along to another tenant', async () => {
  const [from, to] = [await world.tenant(), await world.tenant()];
  const mover = holder([from.tenantId, to.tenantId]);
  const body = { title: 'On the move', severityId: 'Sev1', workUnitTypeId: 1, tenantId: from.tenantId };
  const id = Number((await world.call(mover, 'PUT', '/v1/workunits', body)).body['workUnitId']);
  await world.call(mover, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'Seen on site.' });
  await world.system.db.query({
    text: `insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, work_unit_id)
      values ($1, $2, 1, uuidv7(), uuidv7(), $3)`,
    values: [from.tenantId, builtInAction.email, id],
  });
  await world.system.db.query({
    text: `with step as (
      insert into planned_step (event_id, protocol_action_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, event_state_id, name, sequence, due, stop_when, correlation_id)
      values (uuidv7(), uuidv7(), $1, $2, uuidv7(), 1, 'New', 'Call the next one', 1, now() + interval '1 hour', 'Acknowledged', uuidv7()))
    insert into notification (tenant_id, work_unit_id, message_id, step_message_id, name, whom, channel, address)
      values ($1, $2, uuidv7(), uuidv7(), 'Nora', 'On call', 'Mail', 'nora@example.com')`,
    values: [from.tenantId, id],
  });
  const histories = async (tenant: string, tag: string) => {
    const url = `/v1/actionhistories?$filter=workUnitId eq ${id}&$select=workUnitId`;
    const { status, headers, body: page } = await world.call(holder([tenant]), 'GET', url, undefined, { 'if-none-match': tag });
    return { status, tag: String(headers['etag']), rows: page.value?.length };
  };
  const before = { from: await histories(from.tenantId, '"-"'), to: await histories(to.tenantId, '"-"') };
  expect([before.from.rows, before.to.rows]).toEqual([1, 0]);
  expect(await histories(to.tenantId, before.to.tag)).toMatchObject({ status: 304 });
  const move = { tenantId: to.tenantId, title: 'Moved' };
  expect((await world.call(mover, 'POST', `/v1/workunits/${id}`, move)).status).toBe(200);
  // Polls of both tenants notice it.
  expect(await histories(from.tenantId, before.from.tag)).toMatchObject({ status: 200, rows: 0 });
  expect(await histories(to.tenantId, before.to.tag)).toMatchObject({ status: 200, rows: 1 });
  for (const path of ['plannedSteps', 'notifications'])
    for (const [tenant, count] of [
      [from.tenantId, 0],
      [to.tenantId, 1],
    ] as const)
      expect((await world.call(holder([tenant]), 'GET', `/v1/${path}?$filter=workUnitId eq ${id}`)).body.value).toHaveLength(count);
  const notes = async (tenant: string) =>
    (await world.call(holder([tenant]), 'GET', `/v1/workunitnotes?$filter=workUnitId eq ${id}`)).body.value?.map((row) => row['detail']);
  expect(await notes(from.tenantId)).toEqual([]);
  expect(await notes(to.tenantId)).toEqual(expect.arrayContaining(['Seen on site.', 'Work unit created.', 'Title changed to Moved.']));
  // The people there read neither where it was nor what it was called there.
  const { text } = await world.call(holder([to.tenantId]), 'GET', `/v1/workunitnotes?$filter=workUnitId eq ${id}`);
  const [home] = await world.system.db.query<{ name: string }>({
    text: 'select name from tenant where tenant_id = $1',
    values: [from.tenantId],
  });
  for (const secret of [from.tenantId, 'On the move', `from ${home?.name}`]) expect(text).not.toContain(secret);
});
