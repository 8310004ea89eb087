/** The resolution center shows own requests only and nothing internal, whatever the query. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let staff: TestCaller;
let mara: TestCaller;
let bo: TestCaller;
let category: string;
let hidden: string;

async function person(userName: string, tenants: readonly string[], permissions: readonly string[]): Promise<TestCaller> {
  const [row] = await world.system.db.query<{ id: string }>({
    text: 'insert into person (name, user_name, email, email_verified) values ($1, $2, $2, true) returning person_id as id',
    values: [userName.split('@')[0], userName],
  });
  return { ...holder(tenants, permissions), actor: { kind: 'person', id: row?.id ?? '', name: userName.split('@')[0] ?? '', userName } };
}

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  staff = holder([tenantId]);
  mara = await person('mara@example.com', [tenantId], [viewMine]);
  bo = await person('bo@example.com', [tenantId], [viewMine]);
  const make = async (name: string, isVisibleInResolutionCenter: boolean) =>
    String(
      (await world.call(staff, 'PUT', '/v1/workunitcategories', { name, workUnitTypeId: 3, tenantId, isVisibleInResolutionCenter })).body[
        'workUnitCategoryId'
      ],
    );
  [category, hidden] = [await make('Mail', true), await make('Internal', false)];
});
afterAll(() => world.close());

const ask = (by: TestCaller, body: Record<string, unknown> = {}) =>
  world.call(by, 'PUT', '/api/v1/rc/workunits', {
    title: 'My screen is dark',
    description: 'Since this morning.',
    stakeHolderPhoneNumber: '+47 22 00 00 00',
    ...body,
  });
const requestBy = async (by: TestCaller, body: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
  const answer = await ask(by, body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body;
};
const rc = (by: TestCaller, query = '') => world.call(by, 'GET', `/v1/workunits/rc${query}`);
const wrong = (body: Record<string, unknown>) =>
  ((body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => [d.target, d.message]);

describe('a request', () => {
  it('is of severity Sev3 and of the person who asks', async () => {
    const request = await requestBy(mara, { severityId: 'Sev0', workUnitCategoryId: category, tenantId });
    await proves('[API-144] answers the request', () =>
      expect(request).toMatchObject({
        title: 'My screen is dark',
        service: 'Mail',
        status: 'Active',
        stakeHolderFullName: 'mara',
        stakeHolderEmailAddress: 'mara@example.com',
      }),
    );
    await proves('[RC-030] belongs to the tenant of the person', () => expect(request['tenantId']).toBe(tenantId));
    const unit = await world.call(staff, 'GET', `/v1/workunits/${String(request['workUnitId'])}`);
    await proves('[RC-014] is a new work unit of the person', () =>
      expect(unit.body).toMatchObject({ stateId: 'New', createdBy: 'mara@example.com', workUnitTypeId: 3 }),
    );
    await proves('[RC-020] is Sev3', () => expect(unit.body['severityId']).toBe('Sev3'));
  });

  it.each([
    ['[RC-021] [RC-022]', { title: ' ' }, 'title', 'Please enter a title for the Work Unit.'],
    ['[RC-023] [RC-024]', { description: undefined }, 'description', 'Please enter a Work Unit description'],
    ['[RC-025]', { description: 'x'.repeat(4_001) }, 'description', 'At most 4000 characters.'],
    ['[RC-027] [RC-028]', { stakeHolderPhoneNumber: '' }, 'stakeHolderPhoneNumber', 'Please enter a phone number.'],
  ])('%s is refused when something is missing', async (_id, change, target, message) => {
    const answer = await ask(mara, change);
    expect([answer.status, wrong(answer.body)]).toEqual([400, [[target, message]]]);
  });

  it('[RC-031] takes services that are offered, and tenants of the person, alone', async () => {
    expect((await ask(mara, { workUnitCategoryId: hidden })).status).toBe(400);
    const other = await world.tenant();
    const answer = await ask(mara, { tenantId: other.tenantId });
    expect([answer.status, wrong(answer.body)[0]?.[0]]).toEqual([400, 'tenantId']);
  });

  it('is refused to who has no right to ask, and to tokens', async () => {
    expect((await ask(holder([tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
    expect((await ask({ ...holder([tenantId]), actor: { kind: 'token', id: crypto.randomUUID(), name: 'T', scopes: [] } })).status).toBe(
      403,
    );
  });
});

describe('the list', () => {
  it('has own requests alone: those they made and those for their verified email', async () => {
    const myRequest = await requestBy(mara);
    const other = await requestBy(bo);
    const forMara = await world.call(staff, 'PUT', '/v1/workunits', {
      title: 'Taken by phone',
      severityId: 'Sev2',
      workUnitTypeId: 3,
      tenantId,
      stakeHolderEmailAddress: 'Mara@Example.com',
    });
    const listed = await rc(mara, '?$top=1000');
    await proves('[API-142] answers them', () => expect([listed.status, listed.body.value]).toEqual([200, expect.any(Array)]));
    const ids = (listed.body.value ?? []).map((row) => row['workUnitId']);
    await proves('[RC-013] their own alone', () => {
      expect(ids).toContain(myRequest['workUnitId']);
      expect(ids).toContain(forMara.body['workUnitId']);
      expect(ids).not.toContain(other['workUnitId']);
    });
    await world.system.db.query({ text: "update person set email_verified = false where user_name = 'mara@example.com'" });
    const unverified = ((await rc(mara, '?$top=1000')).body.value ?? []).map((row) => row['workUnitId']);
    await world.system.db.query({ text: "update person set email_verified = true where user_name = 'mara@example.com'" });
    await proves('[RC-013] not those for an email that is not verified', () => {
      expect(unverified).toContain(myRequest['workUnitId']);
      expect(unverified).not.toContain(forMara.body['workUnitId']);
    });
  });

  it('[RC-006] is sorted by created descending', async () => {
    await requestBy(mara);
    const created = ((await rc(mara)).body.value ?? []).map((row) => String(row['created']));
    expect(created).toEqual(created.toSorted().toReversed());
  });

  it('cannot be widened by any query option', async () => {
    const other = await requestBy(bo);
    const id = Number(other['workUnitId']);
    for (const query of [
      `?$filter=workUnitId eq ${id}`,
      `?$filter=workUnitId eq ${id} or true`,
      `?$filter=not (workUnitId eq -1)&$top=1000&$count=true`,
    ]) {
      const ids = ((await rc(mara, encodeURI(query))).body.value ?? []).map((row) => row['workUnitId']);
      expect([query, ids.includes(id)]).toEqual([query, false]);
    }
    for (const name of [
      'assignedTo',
      'severityId',
      'createdBy',
      'assignmentGroup',
      'implementationPlan',
      'customValue1',
      'approver1',
      'properties',
    ]) {
      for (const option of [`$filter=${name} ne null`, `$orderby=${name}`, `$select=${name}`, `$apply=groupby((${name}))`])
        expect([option, (await rc(mara, `?${encodeURI(option)}`)).status]).toEqual([option, 400]);
    }
    for (const name of ['notes', 'relations', 'tenant', 'workUnitType']) expect((await rc(mara, `?$expand=${name}`)).status).toBe(400);
    const groups = await rc(mara, `?${encodeURI('$apply=aggregate($count as n)')}`);
    const mine = await rc(mara, '?$count=true&$top=0');
    if (groups.status === 200) expect(groups.body.value?.[0]?.['n']).toBe(mine.body['@odata.count']);
    expect((await world.call(mara, 'GET', `/v1/resolutionCenterWorkUnits(${id})`)).status).toBe(404);
  });

  it('tells the resolution and Done in the states that end a request', async () => {
    const id = Number((await requestBy(mara))['workUnitId']);
    await world.call(staff, 'POST', `/v1/workunits/${id}`, { resolution: 'Pulled the plug.', stateId: 'Acknowledged' });
    const row = async () => (await rc(mara, `?$filter=workUnitId eq ${id}`)).body.value?.[0];
    const ended = ['Resolved', 'Closed', 'Canceled'];
    for (const stateId of ['Acknowledged', 'InProgress', 'OnHold', 'Mitigated', ...ended, 'New']) {
      await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId });
      const request = await row();
      if (ended.includes(stateId)) await proves('[RC-017] is Done', () => expect(request).toMatchObject({ stateId, status: 'Done' }));
      else await proves('[RC-018] is Active', () => expect(request).toMatchObject({ stateId, status: 'Active' }));
      await proves('[RC-019] tells the resolution at the end alone', () =>
        expect(request?.['resolution']).toBe(ended.includes(stateId) ? 'Pulled the plug.' : null),
      );
    }
    const matching = await rc(mara, `?${encodeURI("$filter=contains(resolution,'plug')")}`);
    expect(matching.body.value).toEqual([]);
  });

  it('is all that its permission opens', async () => {
    const id = Number((await requestBy(mara))['workUnitId']);
    for (const [method, url, body] of [
      ['GET', '/v1/workunits'],
      ['GET', `/v1/workunits/${id}`],
      ['GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`],
      ['GET', '/v1/workunitnotes'],
      ['PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'x' }],
      ['POST', `/v1/workunits/${id}`, { title: 'Mine' }],
      ['GET', '/v1/workunitcategories'],
      ['GET', '/v1/workunitcommunications'],
      ['GET', '/v1/devices'],
      ['GET', '/api/people?searchTerm=bo'],
    ] as const)
      expect([url, (await world.call(mara, method, url, body)).status]).toEqual([url, 403]);
  });
});

describe('notes', () => {
  it('are read of own requests when they are external', async () => {
    const id = Number((await requestBy(mara))['workUnitId']);
    await world.call(staff, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'She is a nuisance.' });
    await world.call(staff, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'We look at it.', isExternalNote: true });
    const notes = await world.call(mara, 'GET', `/v1/workunits/${id}/externalNotes`);
    await proves('[API-152] lists the external ones', () =>
      expect(notes.body.value).toEqual([
        {
          workUnitNoteId: expect.any(Number),
          workUnitId: id,
          detail: 'We look at it.',
          isFromCustomer: false,
          created: expect.any(String),
          tenantId,
        },
      ]),
    );
    const [row] = (await rc(mara, `?$filter=workUnitId eq ${id}&$expand=externalNotes`)).body.value ?? [];
    await proves('[RC-015] shows them to the person', () => expect(row?.['externalNotes']).toHaveLength(1));
    expect((await world.call(bo, 'GET', `/v1/workunits/${id}/externalNotes`)).status).toBe(404);
    const all = await world.call(bo, 'GET', '/v1/externalNotes?$top=1000');
    expect(all.body.value?.filter((note) => note['workUnitId'] === id)).toEqual([]);
    const unit = (await world.call(staff, 'GET', `/v1/workunits/${id}?$expand=externalNotes`)).body;
    await proves('[WU-092] stand in the work unit', () =>
      expect(unit['externalNotes']).toEqual([
        expect.objectContaining({ workUnitNoteId: expect.any(Number), detail: 'We look at it.', created: expect.any(String) }),
      ]),
    );
  });

  it('ask for a call back, once by note and mail while it is awaited', async () => {
    await world.system.db.query({
      text: "update tenant set internal_notification_email_address = 'desk@example.com' where tenant_id = $1",
      values: [tenantId],
    });
    const request = await requestBy(mara);
    const id = Number(request['workUnitId']);
    for (let i = 0; i < 2; i++) {
      const answer = await world.call(mara, 'POST', `/v1/workunitnotes/callme/${id}`);
      await proves('[API-155] answers that the desk is told', () => expect(answer.body['notified']).toBe(true));
      await proves('[RC-032] in these words', () =>
        expect(answer.body['message']).toBe(
          'Your call back request has been received. You should receive a call within the next 15 minutes.',
        ),
      );
    }
    const notes = (await world.call(staff, 'GET', `/v1/workunits/${id}/externalNotes`)).body.value ?? [];
    await proves('[RC-016] stands among the notes', () =>
      expect(notes.map((note) => note['detail'])).toEqual(['mara asks to be called back at +47 22 00 00 00.']),
    );
    const mails = await world.system.db.query<{ payload: Record<string, unknown> }>({
      text: "select payload from job where name = 'send-mail' and payload ->> 'subject' like $1",
      values: [`%${String(request['publicWorkUnitId'])}`],
    });
    expect(mails.map((mail) => mail.payload['to'])).toEqual(['desk@example.com']);
    expect(mails[0]?.payload['link']).toBe(`/${tenantId}/workunitsv2?workUnitId=${id}`);
    expect((await world.call(bo, 'POST', `/v1/workunitnotes/callme/${id}`)).status).toBe(404);
    expect((await world.call(holder([tenantId], []), 'POST', `/v1/workunitnotes/callme/${id}`)).status).toBe(403);
    const reader = holder([tenantId], ['CloudFit.CFS.WorkUnits:view']);
    expect((await world.call(reader, 'POST', `/v1/workunitnotes/callme/${id}`)).status).toBe(403);
    expect((await world.call(staff, 'POST', `/v1/workunitnotes/callme/${id}`)).status).toBe(200);
  });
});

describe('a reply', () => {
  const reply = (by: TestCaller, id: number, text: unknown) => world.call(by, 'POST', `/v1/workunits/rc/${id}/reply`, { text });
  const notesOf = async (by: TestCaller, id: number) => (await world.call(by, 'GET', `/v1/workunits/${id}/externalNotes`)).body.value ?? [];

  it('is a note of the customer that those who work on the request find in their inbox', async () => {
    const desk = await person('desk@example.com', [tenantId], ['CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.WorkUnits:edit']);
    const idle = await person('idle@example.com', [tenantId], ['CloudFit.CFS.WorkUnits:view']);
    for (const one of [desk, idle])
      await world.system.db.query({
        text: `with s as (insert into permission_set (name, tenant_id, permissions) values (uuidv7()::text, $2, '["CloudFit.CFS.WorkUnits:view", "CloudFit.CFS.WorkUnits:edit"]') returning permission_set_id)
          insert into access_grant (person_id, permission_set_id, tenant_id) select $1, permission_set_id, $2 from s`,
        values: [one.actor?.kind === 'person' ? one.actor.id : '', tenantId],
      });
    const id = Number((await requestBy(mara))['workUnitId']);
    await world.call(staff, 'POST', `/v1/workunits/${id}`, { assignedTo: 'desk@example.com' });
    const text = '  <b>Still dark</b>, @idle@example.com\nSecond line ';
    expect((await reply(mara, id, text)).body).toMatchObject({ workUnitId: id, isAssigned: true });
    const detail = text.trim();
    expect(await notesOf(mara, id)).toEqual([expect.objectContaining({ isFromCustomer: true, detail })]);
    const inbox = async (of: TestCaller) =>
      ((await world.call(of, 'GET', `/v1/inboxItems?$filter=workUnitId eq ${id}`)).body.value ?? []).map((item) => [
        item['kind'],
        item['detail'],
      ]);
    expect(await inbox(desk)).toContainEqual(['Reply', detail]);
    // Of a file its name: the inbox is read as it is.
    await reply(mara, id, 'See ![dark.png](file:01a1fcdb-e331-70c1-ba47-fd1610462a01)');
    expect(await inbox(desk)).toContainEqual(['Reply', 'See [dark.png]']);
    // A message lets the unit go on that waits for it: one entry says so, not two.
    await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged' });
    await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'OnHold', holdReason: 'Customer' });
    await reply(mara, id, 'The left one');
    expect((await inbox(desk)).filter(([kind, text]) => kind === 'Reply' || String(text).includes('from OnHold'))).toEqual([
      ['Reply', 'The left one'],
      ['Reply', 'See [dark.png]'],
      ['Reply', detail],
    ]);
    // Who is named by a customer is not told: customers mention nobody.
    expect(await inbox(idle)).toEqual([]);
  });

  it('is for the own request alone, in a measure', async () => {
    const id = Number((await requestBy(mara))['workUnitId']);
    expect((await reply(bo, id, 'Mine')).status).toBe(404);
    expect((await reply(holder([tenantId], []), id, 'x')).status).toBe(403);
    expect((await world.call(null, 'POST', `/v1/workunits/rc/${id}/reply`, { text: 'x' })).status).toBe(401);
    for (const text of [' ', 'x'.repeat(4_001), 'bell \u0007', undefined])
      expect(wrong((await reply(mara, id, text)).body)[0]?.[0]).toBe('text');
    const other = await person('many@example.com', [tenantId], [viewMine]);
    const theirs = Number((await requestBy(other))['workUnitId']);
    for (let n = 0; n < 10; n++) expect((await reply(other, theirs, `Message ${n}`)).status).toBe(200);
    const refused = await reply(other, theirs, 'One too many');
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(await notesOf(other, theirs)).toHaveLength(10);
    expect((await reply(mara, id, 'Others may')).status).toBe(200);
  });

  it('opens a resolved request again if its customer says so; a closed or canceled one stays so', async () => {
    const id = Number((await requestBy(mara))['workUnitId']);
    const set = (change: object) => world.call(staff, 'POST', `/v1/workunits/${id}`, change);
    const send = (by: TestCaller, text: string, reopens = true) =>
      world.call(by, 'POST', `/v1/workunits/rc/${id}/reply`, { text, reopens });
    await set({ stateId: 'Acknowledged' });
    await set({ stateId: 'Resolved', resolution: 'Cable replaced.' });
    expect((await send(mara, 'Thank you', false)).body).toMatchObject({ stateId: 'Resolved', status: 'Done' });
    expect((await send(bo, 'Mine')).status).toBe(404);
    expect((await send(mara, 'Dark again')).body).toMatchObject({
      stateId: 'Acknowledged',
      status: 'Active',
      resolution: null,
      resolved: null,
    });
    // A second press, or somebody of the desk who was first: the message arrives, and the request is open.
    expect((await send(mara, 'Still dark')).body).toMatchObject({ stateId: 'Acknowledged' });
    const feed = await world.call(staff, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
    expect(feed.body.value?.filter(({ newValue }) => newValue === 'Acknowledged')).toEqual([
      expect.objectContaining({ field: 'stateId', oldValue: 'Resolved', createdBy: 'mara@example.com' }),
      expect.objectContaining({ field: 'stateId', oldValue: 'New' }),
    ]);
    await set({ stateId: 'Closed' });
    const refused = await send(mara, 'Once more');
    expect([refused.status, (refused.body['error'] as { message: string }).message]).toEqual([
      409,
      'Only a resolved request can be opened again. Please create a new one.',
    ]);
    expect((await notesOf(mara, id)).map(({ detail }) => detail)).not.toContain('Once more');
  });
});

it('the search finds words in any order, mistyped too, by the texts of own requests alone', async () => {
  const [eve, finn] = [await person('eve@example.com', [tenantId], [viewMine]), await person('finn@example.com', [tenantId], [viewMine])];
  const request = await requestBy(eve, { title: 'Drucker im Büro druckt nicht', description: 'Papierstau' });
  const id = Number(request['workUnitId']);
  // With the words of others, one of them would be a word as it stands, and not be corrected.
  await requestBy(finn, { title: 'Der Scanner und der Druker schweigen' });
  await world.call(staff, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'Toner bestellt', isExternalNote: true });
  await world.call(staff, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'Grumpy customer', isExternalNote: false });
  const idsOf = async (by: TestCaller, text: string) => {
    const answer = await rc(
      by,
      `?$filter=${encodeURIComponent(`found('${text}')`)}&$orderby=${encodeURIComponent(`relevance('${text}') desc`)}`,
    );
    expect(answer.status).toBe(200);
    return (answer.body.value ?? []).map((row) => row['workUnitId']);
  };
  const hits = ['drucker', 'nicht DRUCKER', 'Druker', 'buero', 'papierstua', 'toner', 'tonr', `#${String(request['publicWorkUnitId'])}`];
  for (const text of hits) expect([text, await idsOf(eve, text)]).toEqual([text, [id]]);
  for (const text of ['grumpy', 'scanner', 'scaner', '#1', 'xyz']) expect([text, await idsOf(eve, text)]).toEqual([text, []]);
  for (const text of ['papierstau', 'toner']) expect([text, await idsOf(finn, text)]).toEqual([text, []]);
});

describe('a request on hold', () => {
  const onHold = async (holdReason: string | null, assignedTo: string | null = null) => {
    const id = Number((await requestBy(mara))['workUnitId']);
    await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged', assignedTo });
    expect((await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'OnHold', holdReason })).status).toBe(200);
    return id;
  };
  const shown = async (id: number) => (await rc(mara, `?$filter=workUnitId eq ${id}`)).body.value?.[0] ?? {};
  const answer = (id: number) => world.call(mara, 'POST', `/v1/workunits/rc/${id}/reply`, { text: 'The left one' });
  const unit = async (id: number) => (await world.call(staff, 'GET', `/v1/workunits/${id}?$expand=clocks`)).body;

  it('goes on when the customer answers for whom it waits, and its clocks run again', async () => {
    await world.call(staff, 'PUT', '/v1/serviceLevels', { name: 'Bronze', tenantId, resolveMinutes: 600, pausesOnHold: true });
    const [assigned, free] = [await onHold('Customer', 'staff@example.com'), await onHold('Customer')];
    expect(await shown(free)).toMatchObject({ stateId: 'OnHold', waitsForCustomer: true });
    const clocks = async (id: number) => ((await unit(id))['clocks'] as { state: string }[]).map(({ state }) => state);
    expect(await clocks(free)).toEqual(['Paused']);
    expect((await answer(assigned)).body).toMatchObject({ stateId: 'InProgress', waitsForCustomer: false });
    expect((await world.call(mara, 'POST', `/v1/workunitnotes/callme/${free}`)).status).toBe(200);
    expect(await unit(free)).toMatchObject({ stateId: 'Acknowledged', holdReason: null });
    expect(await clocks(free)).toEqual(['Running']);
    const feed = await world.call(staff, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${assigned})`);
    expect(feed.body.value).toContainEqual(
      expect.objectContaining({ field: 'stateId', oldValue: 'OnHold', newValue: 'InProgress', createdBy: 'mara@example.com' }),
    );
  });

  it('stays on hold when it waits for somebody else, or for no reason that is known', async () => {
    for (const reason of ['Supplier', null]) {
      const id = await onHold(reason);
      expect((await answer(id)).body).toMatchObject({ stateId: 'OnHold', waitsForCustomer: false });
    }
  });

  it('goes on for the customer of a request that was merged into it', async () => {
    const [stays, merged] = [await onHold('Customer'), await onHold('Supplier')];
    expect((await world.call(staff, 'POST', `/v1/workUnits/${stays}/merge`, { ids: [merged] })).status).toBe(200);
    expect(await shown(merged)).toMatchObject({ stateId: 'OnHold', waitsForCustomer: true });
    await answer(merged);
    expect(await unit(stays)).toMatchObject({ stateId: 'Acknowledged' });
    await world.call(staff, 'POST', `/v1/workUnits/${merged}/split`);
    expect(await unit(merged)).toMatchObject({ stateId: 'OnHold', holdReason: 'Supplier' });
  });

  it('has its reason only on hold', async () => {
    const id = await onHold('Customer');
    expect((await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'Mitigated' })).body).toMatchObject({ holdReason: null });
    const refused = await world.call(staff, 'POST', `/v1/workunits/${id}`, { holdReason: 'Customer' });
    expect([refused.status, wrong(refused.body)[0]?.[0]]).toEqual([400, 'holdReason']);
    expect((await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'OnHold', holdReason: 'Weather' })).status).toBe(400);
  });
});

describe('progress', () => {
  it('says that somebody works on it, and when the next news comes: by a public communication, else by the service level', async () => {
    const { tenantId: home } = await world.tenant();
    const desk = holder([home]);
    const ina = await person('ina@example.com', [home], [viewMine]);
    await world.call(desk, 'PUT', '/v1/serviceLevels', { name: 'Silver', tenantId: home, nextUpdateMinutes: 60 });
    const id = Number((await requestBy(ina, { tenantId: home }))['workUnitId']);
    const now = async () => (await rc(ina, `?$filter=workUnitId eq ${id}`)).body.value?.[0] ?? {};
    expect((await now())['isAssigned']).toBe(false);
    await world.call(desk, 'POST', `/v1/workunits/${id}`, { assignmentGroup: 'Network' });
    await world.call(desk, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'We look at it.', isExternalNote: true });
    const byLevel = await now();
    expect(byLevel).toMatchObject({ isAssigned: true, nextUpdate: expect.any(String) });
    expect(JSON.stringify(byLevel)).not.toContain('Network');
    const nextUpdate = new Date(Date.now() + 600_000).toISOString();
    const outage = await world.call(desk, 'PUT', '/v1/workUnitCommunications', { title: 'Outage', tenantId: home, nextUpdate });
    const communicationId = outage.body['workUnitCommunicationId'];
    await world.call(desk, 'PUT', '/v1/workUnitRelations', {
      workUnitId: id,
      referenceId: String(communicationId),
      referenceType: 'WorkUnitCommunication',
    });
    expect((await now())['nextUpdate']).toBe(byLevel['nextUpdate']);
    await world.call(desk, 'POST', `/v1/workUnitCommunications/${String(communicationId)}`, { isPublic: true });
    expect((await now())['nextUpdate']).toBe(nextUpdate);
    await world.call(desk, 'POST', `/v1/workunits/${id}`, { stateId: 'Canceled' });
    expect((await now())['nextUpdate']).toBeNull();
  });
});

describe('satisfaction', () => {
  const rate = (by: TestCaller, id: number, stakeHolderExperienceScore: string) =>
    world.call(by, 'POST', `/v1/workunits/rc/${id}/feedback`, { stakeHolderExperienceScore });

  it('[WU-086] is said by who asked, when the request is done, and is history', async () => {
    const id = Number((await requestBy(mara))['workUnitId']);
    expect((await rate(mara, id, 'Great')).status).toBe(400);
    await world.call(staff, 'POST', `/v1/workunits/${id}`, { stateId: 'Canceled' });
    expect((await rate(mara, id, 'Great')).body).toMatchObject({ stakeHolderExperienceScore: 'Great' });
    expect((await rate(mara, id, 'Splendid')).status).toBe(400);
    expect((await rate(bo, id, 'Poor')).status).toBe(404);
    const feed = await world.call(staff, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
    expect(feed.body.value).toContainEqual(
      expect.objectContaining({ field: 'stakeHolderExperienceScore', newValue: 'Great', createdBy: 'mara@example.com' }),
    );
  });
});

describe('the lookups', () => {
  it('answer offered categories to who asks, all to staff', async () => {
    const sub = async (workUnitCategoryId: string, name: string, isEnabled = true) =>
      world.call(staff, 'PUT', '/v1/workunitsubcategories', { workUnitCategoryId, name, isEnabled });
    await sub(category, 'Cannot send');
    await sub(category, 'Old', false);
    await sub(hidden, 'Secret');
    const names = async (by: TestCaller, path: string) =>
      ((await world.call(by, 'GET', `/api/generallookup/${path}`)).body as unknown as { name: string }[]).map((row) => row.name);
    await proves('[RC-031] offers what is visible there', async () => {
      expect(await names(mara, 'workunitcatgories')).toEqual(['Mail']);
      expect(await names(mara, 'workunitsubcatgories')).toEqual(['Cannot send']);
    });
    await proves('[API-133] lists the categories', async () =>
      expect(await names(staff, 'workunitcatgories')).toEqual(['Internal', 'Mail']),
    );
    await proves('[API-134] lists the subcategories', async () =>
      expect(await names(staff, 'workunitsubcatgories')).toEqual(['Cannot send', 'Old', 'Secret']),
    );
    expect(await names(holder([(await world.tenant()).tenantId]), 'workunitcatgories')).toEqual([]);
    expect((await world.call(holder([tenantId], []), 'GET', '/api/generallookup/workunitcatgories')).status).toBe(403);
  });
});
