/** Change requests: their plan, who decides, and that nothing else can set a decision. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let asker: TestCaller;
let first: TestCaller;
let second: TestCaller;

const person = (tenant: string, userName: string, permissions: readonly string[] = allPermissions): TestCaller => ({
  ...holder([tenant], permissions),
  actor: { kind: 'person', id: crypto.randomUUID(), name: userName, userName },
});

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  [asker, first, second] = [
    person(tenantId, 'asker@example.com'),
    person(tenantId, 'first@example.com'),
    person(tenantId, 'second@example.com'),
  ];
});
afterAll(() => world.close());

const plan = {
  title: 'Replace the pump',
  severityId: 'Sev2',
  workUnitTypeId: 2,
  implementationPlan: 'Swap it.',
  rollbackPlan: 'Swap it back.',
  affectedResources: 'Pump 7',
  environment: 'Production',
  expectedCFSAlerts: 'Pump is silent',
  plannedStartTime: '2027-01-01T08:00:00Z',
  plannedFinishTime: '2027-01-01T09:00:00Z',
  approver1: 'first@example.com',
  approver2: 'Second@Example.com',
  resolution: 'None yet.',
};

async function change(by: TestCaller = asker, more: Record<string, unknown> = {}): Promise<number> {
  const answer = await world.call(by, 'PUT', '/v1/workunits', { ...plan, tenantId, ...more });
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return Number(answer.body['workUnitId']);
}
const get = async (id: number): Promise<Record<string, unknown>> => (await world.call(asker, 'GET', `/v1/workunits/${id}`)).body;
const decide = (
  by: TestCaller,
  what: 'approve' | 'decline',
  id: number,
  slot: number,
  body: Record<string, unknown> = { decisionNote: 'Not now.' },
) => world.call(by, 'POST', `/v1/workunits/${id}/${what}/${slot}`, body);
const text = (body: Record<string, unknown>): string => String((body['error'] as { message: string }).message);
const targets = (body: Record<string, unknown>): string[] =>
  ((body['error'] as { details?: { target: string }[] }).details ?? []).map((d) => d.target);
const feed = async (id: number) =>
  (await world.call(asker, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`)).body.value ?? [];

describe('the plan', () => {
  it.each([
    ['[CHG-004]', 'implementationPlan'],
    ['[CHG-005]', 'rollbackPlan'],
    ['[CHG-006]', 'affectedResources'],
    ['[CHG-007]', 'environment'],
    ['[CHG-008]', 'expectedCFSAlerts'],
    ['[CHG-009]', 'plannedStartTime'],
    ['[CHG-010]', 'plannedFinishTime'],
    ['[CHG-011]', 'approver1'],
    ['[CHG-012]', 'tenantId'],
    ['[CHG-013]', 'resolution'],
  ])('%s needs %s', async (_id, name) => {
    const answer = await world.call(asker, 'PUT', '/v1/workunits', { ...plan, tenantId, [name]: name === 'tenantId' ? undefined : null });
    expect([answer.status, targets(answer.body)]).toEqual([400, [name]]);
    if (name === 'tenantId') return;
    const cleared = await world.call(asker, 'POST', `/v1/workunits/${await change()}`, { [name]: null });
    expect([cleared.status, targets(cleared.body)]).toEqual([400, [name]]);
  });

  it('[CHG-014] needs approver 2 unless that is switched off', async () => {
    const id = await change();
    expect(await get(id)).toMatchObject({ isApproverRequired: true });
    expect((await world.call(asker, 'POST', `/v1/workunits/${id}`, { approver2: null })).status).toBe(400);
    expect((await world.call(asker, 'POST', `/v1/workunits/${id}`, { approver2: null, isApproverRequired: false })).status).toBe(200);
  });

  it('does not finish before it starts', async () => {
    const id = await change();
    const answer = await world.call(asker, 'POST', `/v1/workunits/${id}`, { plannedFinishTime: '2027-01-01T07:59:59Z' });
    await proves('[CHG-015] is refused', () => expect(answer.status).toBe(400));
    await proves('[CHG-016] in these words', () =>
      expect(text(answer.body)).toBe('Planned Finish Time must be equal to or greater than Planned Start Time.'),
    );
    await proves('[CHG-017] is not saved', async () =>
      expect(await get(id)).toMatchObject({ plannedFinishTime: '2027-01-01T09:00:00.000Z' }),
    );
  });

  it('[CHG-003] keeps plannedOutage as it is', async () => {
    const { body } = await world.call(asker, 'POST', `/v1/workunits/${await change()}`, { plannedOutage: true });
    expect(body['plannedOutage']).toBe(null);
  });
});

describe('a decision', () => {
  it('is kept with who approved in each slot, in history and audit', async () => {
    const id = await change();
    await proves('[CHG-019] of approver 1 in slot 1', async () =>
      expect((await decide(first, 'approve', id, 1, { decisionNote: 'Fine.' })).body).toMatchObject({
        approved1By: 'first@example.com',
        decision1Notes: 'Fine.',
      }),
    );
    const { body } = await decide(second, 'approve', id, 2, {});
    await proves('[CHG-020] of approver 2 in slot 2', () =>
      expect(body).toMatchObject({ approved2By: 'second@example.com', stateId: 'New' }),
    );
    await proves('[CHG-018] has both slots', () =>
      expect(body).toMatchObject({ approved1By: 'first@example.com', decision1Notes: 'Fine.' }),
    );
    expect(await feed(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          historyType: 'WorkUnitEvent',
          detail: 'Change Request approved by approver 1, first@example.com: Fine.',
        }),
        expect.objectContaining({
          historyType: 'FieldChange',
          field: 'approved2By',
          newValue: 'second@example.com',
          createdBy: 'second@example.com',
        }),
      ]),
    );
    const audits = await world.system.db.query<{ actor_name: string }>({
      text: "select actor_name from audit where entity = 'workUnits' and entity_id = $1 and verb = 'update' order by audit_id",
      values: [String(id)],
    });
    expect(audits.map((a) => a.actor_name)).toEqual(['first@example.com', 'second@example.com']);
  });

  it('cancels when it declines, and keeps the note in its slot', async () => {
    const one = (await decide(first, 'decline', await change(), 1)).body;
    await proves('[CHG-021] names who declines in slot 1', () => expect(one['declined1By']).toBe('first@example.com'));
    await proves('[CHG-024] cancels', () => expect(one).toMatchObject({ stateId: 'Canceled', resolved: expect.any(String) }));
    const id = await change();
    const two = (await decide(second, 'decline', id, 2)).body;
    await proves('[CHG-022] names who declines in slot 2', () => expect(two['declined2By']).toBe('second@example.com'));
    await proves('[CHG-023] keeps the note in its slot', () => {
      expect(one).toMatchObject({ decision1Notes: 'Not now.', decision2Notes: null });
      expect(two).toMatchObject({ decision1Notes: null, decision2Notes: 'Not now.' });
    });
    expect(await feed(id)).toContainEqual(expect.objectContaining({ historyType: 'WorkUnitStateChange', newValue: 'Canceled' }));
  });

  it.each([
    ['without one', {}],
    ['with an empty one', { decisionNote: ' ' }],
    ['with one that is too long', { decisionNote: 'x'.repeat(4001) }],
  ])('declines with a note: refused %s', async (_how, body) => {
    const answer = await decide(first, 'decline', await change(), 1, body);
    expect([answer.status, targets(answer.body)]).toEqual([400, ['decisionNote']]);
  });

  it('is of the approver of that slot alone', async () => {
    const id = await change();
    const isRefused = async (by: TestCaller, slot: number) => {
      for (const what of ['approve', 'decline'] as const) expect((await decide(by, what, id, slot)).status).toBe(403);
    };
    await proves('[CHG-029] approver 1 does not decide slot 2', () => isRefused(first, 2));
    await proves('[CHG-030] approver 2 does not decide slot 1', () => isRefused(second, 1));
    await proves('[CHG-031] nobody else decides', () => isRefused(asker, 1));
    await proves('[CHG-032] says whose the slot is', async () => {
      for (const [slot, name] of [
        [1, 'first@example.com'],
        [2, 'second@example.com'],
      ] as const)
        expect(text((await decide(asker, 'approve', id, slot)).body)).toBe(`Authenticated user does not match ${name}`);
    });
    const token: TestCaller = {
      ...holder([tenantId]),
      actor: { kind: 'token', id: crypto.randomUUID(), name: 'first@example.com', scopes: [] },
    };
    expect((await decide(token, 'approve', id, 1)).status).toBe(403);
    expect(await get(id)).toMatchObject({ approved1By: null, approved2By: null, declined1By: null, stateId: 'New' });
  });

  it('is made once, on an open change request, by who may edit it', async () => {
    const id = await change();
    expect((await decide(first, 'approve', id, 1)).status).toBe(200);
    expect((await decide(first, 'approve', id, 1)).status).toBe(409);
    expect((await decide(first, 'decline', id, 1)).status).toBe(409);
    expect((await decide(second, 'decline', id, 2)).status).toBe(200);
    const canceled = await change();
    await world.call(asker, 'POST', `/v1/workunits/${canceled}`, { stateId: 'Canceled' });
    expect((await decide(first, 'approve', canceled, 1)).status).toBe(409);
    expect((await decide(first, 'approve', id, 3)).status).toBe(400);
    const incident = await change(asker, { workUnitTypeId: 1 });
    expect((await decide(first, 'approve', incident, 1)).status).toBe(400);
    const viewer = person(tenantId, 'first@example.com', ['CloudFit.CFS.WorkUnits:view']);
    expect((await decide(viewer, 'approve', await change(), 1)).status).toBe(403);
    const other = await world.tenant();
    expect((await decide(person(other.tenantId, 'first@example.com'), 'approve', await change(), 1)).status).toBe(404);
  });

  it('is not made by who asked for the change or edited its plan last', async () => {
    const ofApprover = await change(first);
    const answer = await decide(first, 'approve', ofApprover, 1);
    expect([answer.status, text(answer.body)]).toEqual([
      403,
      'The person who requested this change or last edited its plan cannot approve it.',
    ]);
    const edited = await change();
    await world.call(first, 'POST', `/v1/workunits/${edited}`, { rollbackPlan: 'Mine now.' });
    expect((await decide(first, 'approve', edited, 1)).status).toBe(403);
    await world.call(asker, 'POST', `/v1/workunits/${edited}`, { rollbackPlan: 'Not any more.' });
    expect((await decide(first, 'approve', edited, 1)).status).toBe(200);
  });

  it('goes when its approver is replaced', async () => {
    const id = await change();
    const third = person(tenantId, 'third@example.com');
    await decide(first, 'approve', id, 1, { decisionNote: 'Fine.' });
    await world.call(asker, 'POST', `/v1/workunits/${id}`, { approver1: 'third@example.com' });
    expect(await get(id)).toMatchObject({ approved1By: null, decision1Notes: null });
    expect(await feed(id)).toContainEqual(expect.objectContaining({ field: 'approved1By', oldValue: 'first@example.com', newValue: null }));
    expect((await decide(third, 'approve', id, 1)).status).toBe(200);
    await world.call(asker, 'POST', `/v1/workunits/${id}`, { approver1: 'THIRD@example.com' });
    expect(await get(id)).toMatchObject({ approver1: 'third@example.com', approved1By: 'third@example.com' });
  });

  it('cannot be written by any other call', async () => {
    const id = await change();
    for (const name of ['approved1By', 'approved2By', 'declined1By', 'declined2By', 'decision1Notes', 'decision2Notes']) {
      const url = `/v1/workunits/${id}`;
      const before = await get(id);
      const answers = [
        await world.call(asker, 'POST', url, { [name]: 'forged' }),
        await world.call(asker, 'PATCH', url, [{ op: 'replace', path: `/${name}`, value: 'forged' }]),
        await world.call(asker, 'PATCH', url, { [name]: 'forged' }),
        await world.call(asker, 'PATCH', url, { previousState: before, newState: { ...before, [name]: 'forged' } }),
        await world.call(asker, 'PUT', '/v1/workunits', { ...plan, tenantId, [name]: 'forged' }),
      ];
      // A plain body may contain the field, without effect; a patch may not.
      expect([name, ...answers.map((a) => a.status)]).toEqual([name, 200, 400, 200, 400, 201]);
      const rows = [await get(id), answers.at(-1)?.body];
      expect(rows.map((row) => row?.[name])).toEqual([null, null]);
    }
  });

  it('never comes out as both, however often both are tried at once', async () => {
    // A separate caller for each decision, so that no rate limit per caller decides the order.
    const again = (userName: string): TestCaller => person(tenantId, userName);
    const created: number[] = [];
    for (let i = 0; i < 200; i++) created.push(await change(again('asker@example.com')));
    for (const ids of Array.from({ length: 20 }, (_, i) => created.slice(i * 10, i * 10 + 10))) {
      const outcomes = await Promise.all(
        ids.map(async (id) => {
          const two = await Promise.all([
            decide(again('first@example.com'), 'approve', id, 1),
            decide(again('first@example.com'), 'decline', id, 1),
          ]);
          return two.map((answer) => answer.status);
        }),
      );
      for (const two of outcomes) expect(two.toSorted((a, b) => a - b)).toEqual([200, 409]);
    }
    const [both] = await world.system.db.query<{ n: number }>({
      text: 'select count(*)::int n from work_unit where approved1_by is not null and declined1_by is not null',
    });
    expect(both?.n).toBe(0);
  });
});

describe('a token of the approver', () => {
  it('is no other hand, whatever it is called', async () => {
    const maker = person(tenantId, 'first@example.com');
    const created = await world.call(maker, 'PUT', '/v1/tokens', { name: 'asker@example.com', lifetimeYears: 1, tenantId });
    expect(created.status).toBe(201);
    const actor = { kind: 'token', id: String(created.body['tokenGrantId']), name: 'asker@example.com', scopes: [] } as const;
    const token: TestCaller = { ...holder([tenantId]), actor };
    const id = await change(token);
    expect((await get(id))['createdBy']).toBe('asker@example.com (token)');
    expect((await decide(maker, 'approve', id, 1)).status).toBe(403);
    expect((await decide(second, 'approve', id, 2)).status).toBe(200);
    // Only changes to the plan count, not those to other fields.
    const requested = await change();
    expect((await world.call(token, 'POST', `/v1/workunits/${requested}`, { severityId: 'Sev1' })).status).toBe(200);
    expect((await world.call(token, 'POST', `/v1/workunits/${requested}`, { rollbackPlan: 'Run.' })).status).toBe(200);
    expect((await world.call(asker, 'POST', `/v1/workunits/${requested}`, { rollbackPlan: 'Walk.' })).status).toBe(200);
    expect((await decide(maker, 'approve', requested, 1)).status).toBe(403);
    const untouched = await change();
    expect((await world.call(token, 'POST', `/v1/workunits/${untouched}`, { severityId: 'Sev1' })).status).toBe(200);
    expect((await decide(maker, 'approve', untouched, 1)).status).toBe(200);
  });
});

describe('the lookup of approvers', () => {
  it('tells whether the caller is the one', async () => {
    const ask = async (approverId: string) =>
      (await world.call(first, 'GET', `/api/generallookup/approval?approverId=${encodeURIComponent(approverId)}`)).body;
    await proves('[API-008] whether it is the caller', async () => {
      expect(await ask('FIRST@example.com')).toMatchObject({ isApprover: true });
      expect(await ask('second@example.com')).toMatchObject({ isApprover: false });
      expect(await ask('')).toMatchObject({ isApprover: false });
    });
    await proves('[API-007] takes the approver', async () => {
      expect(await ask('FIRST@example.com')).toEqual({ approverId: 'FIRST@example.com', isApprover: true });
      expect((await world.call(holder([tenantId], []), 'GET', '/api/generallookup/approval?approverId=x')).status).toBe(403);
    });
  });
});

describe('the change of type', () => {
  const migrate = (by: TestCaller, id: number) => world.call(by, 'POST', `/v1/workunits/${id}/changeToChangeRequest`);
  const incident = async () =>
    Number(
      (await world.call(asker, 'PUT', '/v1/workunits', { title: 'Pump', severityId: 'Sev1', workUnitTypeId: 1, tenantId })).body[
        'workUnitId'
      ],
    );

  it('[CHG-038] makes an incident a change request, and the next save asks for its plan', async () => {
    const id = await incident();
    expect((await migrate(asker, id)).body).toMatchObject({ workUnitId: id, workUnitTypeId: 2 });
    expect(await feed(id)).toContainEqual(expect.objectContaining({ field: 'workUnitTypeId', oldValue: '1', newValue: '2' }));
    expect((await world.call(asker, 'POST', `/v1/workunits/${id}`, { title: 'Pump change' })).status).toBe(400);
  });

  it('[CHG-039] says so when it is one already', async () => {
    const answer = await migrate(asker, await change());
    expect([answer.status, text(answer.body)]).toEqual([400, 'Work Unit is already a Change Request.']);
  });

  it('is refused without the right, and not found elsewhere', async () => {
    const id = await incident();
    expect((await migrate(person(tenantId, 'x@example.com', ['CloudFit.CFS.WorkUnits:view']), id)).status).toBe(403);
    expect((await migrate(holder([(await world.tenant()).tenantId]), id)).status).toBe(404);
  });
});
