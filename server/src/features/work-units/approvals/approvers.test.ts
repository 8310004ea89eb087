/** Who the person behind an approver is, who may not be an approver, and which changes wait for a decision. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions, overrideApproval } from '@cloudfit/contract/permissions.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { attemptOf } from '../../../testing/attempt.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';
import { sendMailJob } from '../../../automation/send-mail.job.ts';
import { type MailMessage } from '../../../outbound/mail.ts';

type Someone = TestCaller & { actor: { id: string; userName: string } };

let world: TestWorld;
let tenantId: string;
let asker: Someone;
let first: Someone;
let second: Someone;
let nils: Someone;

async function signedIn(name: string, permissions: readonly string[] = allPermissions): Promise<Someone> {
  const userName = `${name}@example.com`;
  const [row] = await world.system.db.query<{ person_id: string }>({
    text: 'insert into person (name, user_name, email) values ($1, $2, $3) returning person_id',
    values: [name, userName, `${name}@mail.example.com`],
  });
  return { ...holder([tenantId], permissions), actor: { kind: 'person', id: row?.person_id ?? '', name, userName } };
}

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  [asker, first, second, nils] = [await signedIn('ada'), await signedIn('olga'), await signedIn('otto'), await signedIn('nils')];
});
afterAll(() => world.close());

const plan = {
  title: 'Replace the pump',
  workUnitTypeId: 2,
  implementationPlan: 'Swap it.',
  rollbackPlan: 'Swap it back.',
  affectedResources: 'Pump 7',
  environment: 'Production',
  expectedCFSAlerts: 'Pump is silent',
  plannedStartTime: '2027-01-01T08:00:00Z',
  plannedFinishTime: '2027-01-01T09:00:00Z',
  approver1: 'Olga@example.com',
  approver2: 'otto@example.com',
  resolution: 'None yet.',
};

async function change(more: Record<string, unknown> = {}, by: TestCaller = asker): Promise<number> {
  const answer = await world.call(by, 'PUT', '/v1/workunits', { ...plan, tenantId, ...more });
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return Number(answer.body['workUnitId']);
}
const set = (by: TestCaller, id: number, body: object) => world.call(by, 'POST', `/v1/workunits/${id}`, body);
const decide = (by: TestCaller, what: 'approve' | 'decline', id: number, slot: number) =>
  world.call(by, 'POST', `/v1/workunits/${id}/${what}/${slot}`, { decisionNote: 'Fine.' });
const message = (answer: WorldReply): string => (answer.body['error'] as { message: string }).message;
const detail = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details[0];
const personOf = async (id: number) =>
  (
    await world.system.db.query<Record<string, string | null>>({
      text: 'select approver1_id, approver2_id, approver1_named_by from work_unit where work_unit_id = $1',
      values: [id],
    })
  )[0];
const rename = (someone: Someone, userName: string) =>
  world.system.db.query({ text: 'update person set user_name = $2 where person_id = $1', values: [someone.actor.id, userName] });

describe('an approver', () => {
  it('is a person behind the name, whatever that person or another is called later', async () => {
    const id = await change();
    expect(await personOf(id)).toEqual({
      approver1_id: first.actor.id,
      approver2_id: second.actor.id,
      approver1_named_by: asker.actor.id,
    });
    await rename(first, 'olga.new@example.com');
    const impostor = await signedIn('olga');
    const renamed: Someone = { ...first, actor: { ...first.actor, userName: 'olga.new@example.com' } };
    try {
      const refused = await decide(impostor, 'approve', id, 1);
      expect([refused.status, message(refused)]).toEqual([403, 'Authenticated user does not match olga@example.com']);
      const lookup = await world.call(renamed, 'GET', '/api/generallookup/approval?approverId=Olga@example.com');
      expect(lookup.body).toEqual({ approverId: 'Olga@example.com', isApprover: true });
      expect((await decide(renamed, 'approve', id, 1)).body).toMatchObject({
        approver1: 'olga@example.com',
        approved1By: 'olga.new@example.com',
      });
    } finally {
      await rename(impostor, 'impostor@example.com');
      await rename(first, 'olga@example.com');
    }
  });

  it('is nobody by naming themselves, also through a token of theirs', async () => {
    const id = await change();
    expect((await set(nils, id, { approver1: 'nils@example.com' })).status).toBe(200);
    for (const what of ['approve', 'decline'] as const) {
      const refused = await decide(nils, what, id, 1);
      expect([refused.status, message(refused)]).toEqual([
        403,
        'You named yourself as approver, so you cannot decide; somebody else has to name you.',
      ]);
    }
    // The screen sends this request before it offers a decision.
    const refusals = async (by: Someone) =>
      (await world.call(by, 'GET', `/api/generallookup/approval?approverId=nils@example.com&workUnitId=${id}&slot=1`)).body['refusals'];
    const why = 'You named yourself as approver, so you cannot decide; somebody else has to name you.';
    expect(await refusals(nils)).toEqual({ approve: why, decline: why });
    // Naming the same approver again changes nothing; another person who names them does.
    await set(asker, id, { approver1: 'NILS@example.com' });
    expect((await decide(nils, 'approve', id, 1)).status).toBe(403);
    await set(asker, id, { approver1: 'olga@example.com' });
    await set(asker, id, { approver1: 'nils@example.com' });
    expect(await refusals(nils)).toEqual({ approve: null, decline: null });
    await set(nils, id, { rollbackPlan: 'Mine.' });
    expect(await refusals(nils)).toEqual({
      approve: 'The person who requested this change or last edited its plan cannot approve it.',
      decline: null,
    });
    await set(asker, id, { rollbackPlan: 'Not yours.' });
    expect((await world.call(nils, 'GET', '/api/generallookup/approval?approverId=x&workUnitId=999999999&slot=1')).status).toBe(404);
    expect((await decide(nils, 'approve', id, 1)).status).toBe(200);

    const created = await world.call(nils, 'PUT', '/v1/tokens', { name: 'mine', lifetimeYears: 1, tenantId });
    const token: TestCaller = {
      ...holder([tenantId]),
      actor: { kind: 'token', id: String(created.body['tokenGrantId']), name: 'mine', scopes: [] },
    };
    const other = await change();
    await set(token, other, { approver1: 'nils@example.com' });
    expect((await decide(nils, 'approve', other, 1)).status).toBe(403);
  });

  it('is not the other approver too', async () => {
    for (const by of [asker, nils]) {
      const refused = await set(by, await change(), { approver1: 'nils@example.com', approver2: 'Nils@example.com' });
      expect([refused.status, detail(refused)]).toMatchObject([400, { target: 'approver2' }]);
    }
    // A row with one person in both slots, which no request can write.
    const id = await change({ approver1: 'nils@example.com' });
    await world.system.db.query({
      text: 'update work_unit set approver2 = approver1, approver2_id = approver1_id where work_unit_id = $1',
      values: [id],
    });
    expect((await decide(nils, 'approve', id, 1)).status).toBe(200);
    const refused = await decide(nils, 'approve', id, 2);
    expect([refused.status, message(refused)]).toMatchObject([403, expect.stringContaining('two different people')]);
  });

  it.each([
    [1, 2],
    [2, 1],
  ])('is not the other approver under a later name: %i, then %i', async (former, later) => {
    const id = await change({ [`approver${former}`]: 'nils@example.com' });
    expect((await decide(nils, 'approve', id, former)).status).toBe(200);
    await rename(nils, 'nils.new@example.com');
    const renamed: Someone = { ...nils, actor: { ...nils.actor, userName: 'nils.new@example.com' } };
    try {
      expect((await set(asker, id, { [`approver${later}`]: 'nils.new@example.com' })).status).toBe(200);
      for (const what of ['approve', 'decline'] as const) {
        const refused = await decide(renamed, what, id, later);
        expect([refused.status, message(refused)]).toMatchObject([403, expect.stringContaining('two different people')]);
      }
    } finally {
      await rename(nils, 'nils@example.com');
    }
  });

  it.each([
    ['asked for the change', () => change()],
    ['last edited its plan', () => change({}, nils)],
  ])('is not who %s, also under a later name', async (what, make) => {
    const id = await make();
    if (what === 'last edited its plan') expect((await set(asker, id, { rollbackPlan: 'Put the old pump back.' })).status).toBe(200);
    await set(nils, id, { approver1: 'ada@example.com' });
    expect((await decide(asker, 'approve', id, 1)).status).toBe(403);
    await rename(asker, 'ada.new@example.com');
    const renamed: Someone = { ...asker, actor: { ...asker.actor, userName: 'ada.new@example.com' } };
    const refused = await decide(renamed, 'approve', id, 1);
    await rename(asker, 'ada@example.com');
    expect([refused.status, message(refused)]).toEqual([
      403,
      'The person who requested this change or last edited its plan cannot approve it.',
    ]);
  });

  it('learns of it by a mail with a link, unless they named themselves or nobody knows them', async () => {
    await world.system.db.query({ text: "delete from job where name = 'send-mail'" });
    const mails: MailMessage[] = [];
    const mail = {
      send: async (sent: MailMessage) => {
        mails.push(sent);
        return '250 OK';
      },
      close: () => undefined,
    };
    const deliverAll = async () => {
      const jobs = await world.system.db.query<{ payload: unknown }>({
        text: "delete from job where name = 'send-mail' returning payload",
      });
      const job = sendMailJob(mail, 'https://ops.example.com', () => Promise.resolve(false));
      for (const { payload } of jobs) await job.run(world.system, job.schema.parse(payload), attemptOf(1, mailDestination));
      return mails.splice(0).map(({ to }) => to);
    };
    const id = await change({ approver2: 'nobody@example.com' });
    const jobs = await world.system.db.query<{ payload: unknown }>({ text: "select payload from job where name = 'send-mail'" });
    expect(jobs).toHaveLength(1);
    const job = sendMailJob(mail, 'https://ops.example.com', () => Promise.resolve(false));
    await job.run(world.system, job.schema.parse(jobs[0]?.payload), attemptOf(1, mailDestination));
    expect(mails[0]).toMatchObject({ to: 'olga@mail.example.com', subject: expect.stringContaining('awaits your decision') });
    expect(mails[0]?.text).toContain('which ada asked for:');
    expect(mails[0]?.text).toContain('Replace the pump');
    expect(mails[0]?.text).toMatch(new RegExp(`https://ops.example.com/${tenantId}/workunitsv2\\?workUnitId=${id}$`));
    await world.system.db.query({ text: "delete from job where name = 'send-mail'" });
    mails.splice(0);
    await set(nils, id, { approver2: 'nils@example.com' });
    await set(nils, id, { title: 'Replace both pumps' });
    expect(await deliverAll()).toEqual([]);
    await set(asker, id, { approver2: 'otto@example.com' });
    expect(await deliverAll()).toEqual(['otto@mail.example.com']);
    const german = (isGerman: boolean) =>
      world.system.db.query({
        text: 'update person set locale = $2::jsonb where user_name = $1',
        values: ['otto@example.com', isGerman ? '{"language": "de"}' : null],
      });
    await german(true);
    await set(asker, id, { approver2: 'nils@example.com' });
    await set(asker, id, { approver2: 'otto@example.com' });
    const [inGerman] = await world.system.db.query<{ payload: MailMessage }>({
      text: "select payload from job where name = 'send-mail' and payload->>'to' like 'otto@%'",
    });
    expect(inGerman?.payload).toMatchObject({
      subject: expect.stringMatching(/^Änderungsantrag #\d+ wartet auf Ihre Entscheidung$/) as string,
      text: expect.stringContaining('Sie sind Genehmiger 2 des Änderungsantrags') as string,
    });
    await german(false);
  });
});

describe('a change that is not approved', () => {
  const acknowledged = async (more: object = {}): Promise<number> => {
    const id = await change({ ...more });
    expect((await set(asker, id, { stateId: 'Acknowledged' })).status).toBe(200);
    return id;
  };

  it('does not become InProgress or anything later, by any call, and says who has to decide', async () => {
    const id = await acknowledged();
    for (const stateId of ['InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed']) {
      const refused = await set(asker, id, { stateId });
      expect([refused.status, detail(refused)]).toMatchObject([
        400,
        {
          target: 'stateId',
          message: `This Change Request cannot become ${stateId} before olga@example.com and otto@example.com approved it.`,
        },
      ]);
    }
    const url = `/v1/workunits/${id}`;
    expect((await world.call(asker, 'PATCH', url, [{ op: 'replace', path: '/stateId', value: 'InProgress' }])).status).toBe(400);
    expect((await world.call(asker, 'PATCH', '/v1/workunits', { ids: [id], newState: { stateId: 'InProgress' } })).status).toBe(400);
    await decide(first, 'approve', id, 1);
    expect(detail(await set(asker, id, { stateId: 'InProgress' }))?.message).toContain('before otto@example.com approved it');
    await decide(second, 'approve', id, 2);
    expect((await set(asker, id, { stateId: 'InProgress' })).status).toBe(200);
    // The decision of a replaced approver is cleared, so the change cannot start.
    await set(asker, id, { approver2: 'nils@example.com' });
    expect((await set(asker, id, { stateId: 'Mitigated' })).status).toBe(400);
    await decide(nils, 'approve', id, 2);
    expect((await set(asker, id, { stateId: 'Mitigated' })).status).toBe(200);
    expect((await set(asker, await change(), { stateId: 'Canceled' })).status).toBe(200);
  });

  it('waits for approver 1 alone where approver 2 is not required', async () => {
    const id = await acknowledged({ isApproverRequired: false, approver2: null });
    expect((await set(asker, id, { stateId: 'InProgress' })).status).toBe(400);
    await decide(first, 'approve', id, 1);
    expect((await set(asker, id, { stateId: 'InProgress' })).status).toBe(200);
  });

  it('is not started as an incident that becomes a change', async () => {
    const id = await acknowledged({ workUnitTypeId: 1 });
    await set(asker, id, { stateId: 'InProgress' });
    expect(detail(await set(asker, id, { workUnitTypeId: 2 }))?.target).toBe('stateId');
    expect((await world.call(asker, 'POST', `/v1/workunits/${id}/changeToChangeRequest`)).status).toBe(200);
    expect((await set(asker, id, { stateId: 'Resolved' })).status).toBe(400);
  });

  it('goes on where its tenant does without approvals', async () => {
    const id = await acknowledged();
    const turn = (changesNeedApproval: boolean) => world.call(asker, 'POST', `/v1/tenants/${tenantId}`, { changesNeedApproval });
    expect((await turn(false)).body).toMatchObject({ changesNeedApproval: false });
    expect((await set(asker, id, { stateId: 'InProgress' })).status).toBe(200);
    await turn(true);
  });

  it('goes on in an emergency, with a right of its own, a reason, and a record of both', async () => {
    const id = await acknowledged();
    const override = (by: TestCaller, body: object = { reason: 'The hall is flooded.' }, unit = id) =>
      world.call(by, 'POST', `/v1/workunits/${unit}/overrideApproval`, body);
    const without = await signedIn(
      'ulf',
      allPermissions.filter((permission) => permission !== overrideApproval),
    );
    const refused = await override(without);
    expect([refused.status, message(refused)]).toEqual([403, 'You do not have the permission CloudFit.CFS.WorkUnits:override:approval.']);
    expect((await override(asker, { reason: ' ' })).status).toBe(400);
    expect((await override(holder([(await world.tenant()).tenantId]))).status).toBe(404);
    expect((await override(asker, undefined, await change({ workUnitTypeId: 1 }))).status).toBe(400);
    // The permission alone starts nothing: somebody has to call `overrideApproval`.
    expect((await set(asker, id, { stateId: 'InProgress' })).status).toBe(400);
    expect((await override(asker)).body).toMatchObject({ approvalOverriddenBy: 'ada@example.com', stateId: 'Acknowledged' });
    expect((await override(asker)).status).toBe(409);
    expect((await set(asker, id, { stateId: 'InProgress' })).status).toBe(200);
    const [entry] = await world.system.db.query<{ actor_name: string; after: object | null }>({
      text: "select actor_name, after from audit where entity = 'workUnits' and entity_id = $1 and verb = 'override'",
      values: [String(id)],
    });
    expect(entry).toEqual({ actor_name: 'ada@example.com', after: { reason: 'The hall is flooded.' } });
    const feed = await world.call(asker, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
    expect(feed.body.value).toContainEqual(
      expect.objectContaining({ detail: 'Approval overridden by ada@example.com: The hall is flooded.' }),
    );
  });
});

describe('an edit of an approved plan', () => {
  const approved = async () => {
    const id = await change();
    for (const [by, slot] of [
      [first, 1],
      [second, 2],
    ] as const)
      expect((await decide(by, 'approve', id, slot)).status).toBe(200);
    await world.system.db.query({ text: "delete from job where name = 'send-mail'" });
    return id;
  };
  const mailsTo = async () =>
    (
      await world.system.db.query<{ payload: { to: string; text: string } }>({
        text: "select payload from job where name = 'send-mail' order by job_id",
      })
    ).map(({ payload }) => payload);
  const decisions = async (id: number) => {
    const { approved1By, approved2By, decision1Notes } = (await world.call(asker, 'GET', `/v1/workunits/${id}`)).body;
    return [approved1By, approved2By, decision1Notes];
  };
  const decided = ['olga@example.com', 'otto@example.com', 'Fine.'];
  const withoutOverride = () =>
    signedIn(
      `editor-${crypto.randomUUID()}`,
      allPermissions.filter((permission) => permission !== overrideApproval),
    );

  it.each([
    ['plannedStartTime', '2027-01-01T07:00:00Z'],
    ['implementationPlan', 'Swap both.'],
    ['description', 'Another pump.'],
    ['implementer', 'nils@example.com'],
  ])('clears the approvals when %s changes, says why, and asks again', async (name, value) => {
    const id = await approved();
    const editor = await withoutOverride();
    expect((await set(editor, id, { [name]: value })).status).toBe(200);
    expect(await decisions(id)).toEqual([null, null, null]);
    const feed = (await world.call(asker, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`)).body.value ?? [];
    expect(feed.map((item) => item['detail'])).toContainEqual(
      expect.stringMatching(/ changed after the approval: olga@example.com and otto@example.com have to approve again\.$/),
    );
    const mails = await mailsTo();
    expect(mails.map(({ to }) => to)).toEqual(['olga@mail.example.com', 'otto@mail.example.com']);
    expect(mails[0]?.text).toContain('You had approved it. Since then, these have changed:');
    expect((await set(editor, id, { stateId: 'Acknowledged' })).status).toBe(200);
    expect(detail(await set(editor, id, { stateId: 'InProgress' }))?.message).toContain(
      'before olga@example.com and otto@example.com approved it',
    );
    expect((await decide(first, 'approve', id, 1)).status).toBe(200);
  });

  it('leaves them for what approvers do not judge, and for who may override them', async () => {
    const id = await approved();
    expect((await set(await withoutOverride(), id, { assignmentGroup: 'Night shift', resolution: 'Done.' })).status).toBe(200);
    expect((await set(asker, id, { plannedStartTime: '2027-01-01T07:00:00Z' })).status).toBe(200);
    expect(await decisions(id)).toEqual(decided);
    expect(await mailsTo()).toEqual([]);
  });

  it('leaves them where the tenant needs no approvals', async () => {
    const id = await approved();
    const need = (isNeeded: boolean) =>
      world.system.db.query({ text: 'update tenant set changes_need_approval = $2 where tenant_id = $1', values: [tenantId, isNeeded] });
    await need(false);
    expect((await set(await withoutOverride(), id, { rollbackPlan: 'None.' })).status).toBe(200);
    await need(true);
    expect(await decisions(id)).toEqual(decided);
  });
});
