/** Communications: required fields per status, steps, work units, and the mail to staff. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptOf } from '../../../testing/attempt.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import pino from 'pino';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { sendMailJob } from '../../../automation/send-mail.job.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Fjord Power'));
  me = holder([tenantId]);
});
afterAll(() => world.close());

const soon = (): string => new Date(Date.now() + 3_600_000).toISOString();
const put = (body: Record<string, unknown>) =>
  world.call(me, 'PUT', '/v1/workunitcommunications', { title: 'Mail is down', tenantId, nextUpdate: soon(), ...body });
const open = async (body: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
  const answer = await put(body);
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body;
};
const url = (c: Record<string, unknown>): string => `/v1/workunitcommunications/${String(c['workUnitCommunicationId'])}`;
const targets = (body: Record<string, unknown>) =>
  ((body['error'] as { details?: { target: string }[] }).details ?? []).map((d) => d.target);
const unit = async (by = me, tenant = tenantId) =>
  Number(
    (await world.call(by, 'PUT', '/v1/workunits', { title: 'A unit', severityId: 'Sev2', workUnitTypeId: 1, tenantId: tenant })).body[
      'workUnitId'
    ],
  );

describe('a communication', () => {
  it('starts Investigating with a public number of its own, and says who changed it', async () => {
    const c = await open();
    await proves('[API-197] says who created it', () =>
      expect(c).toMatchObject({ status: 'Investigating', createdBy: 'person@example.com', userChangedBy: 'person@example.com' }),
    );
    await proves('[COMM-020] has these fields', () =>
      expect(Object.keys(c)).toEqual(
        expect.arrayContaining(
          'title tenantId serviceManager details customerAssistanceRequired rootCause eventStarted eventEngaged eventMitigated eventResolved nextUpdate nextInternalUpdate maximumImpact currentImpact impactedServices internalBridge created modified userChanged'.split(
            ' ',
          ),
        ),
      ),
    );
    expect(Number(c['publicWorkUnitCommunicationId'])).toBeGreaterThan(1000);
    const mara: TestCaller = { ...me, actor: { kind: 'person', id: crypto.randomUUID(), name: 'Mara', userName: 'mara@example.com' } };
    const changed = await world.call(mara, 'POST', url(c), { status: 'ConfirmedImpact', details: 'It is the pump.' });
    expect(changed.body).toMatchObject({ createdBy: 'person@example.com', userChangedBy: 'mara@example.com' });
    await proves('[API-199] is changed', () =>
      expect(changed.body).toMatchObject({ status: 'ConfirmedImpact', details: 'It is the pump.' }),
    );
    expect(Date.parse(String(changed.body['userChanged']))).toBeGreaterThanOrEqual(Date.parse(String(c['userChanged'])));
    for (const status of ['ConfirmedImpact', 'ServiceRestored', 'Cancelled', 'Resolved']) {
      const answer = await put({ status, rootCause: 'x' });
      await proves('[COMM-025] a new one has no other status', () =>
        expect([answer.status, targets(answer.body)]).toEqual([400, ['status']]),
      );
    }
    expect((await world.call(me, 'POST', url(c), { status: 'Canceled' })).status).toBe(400);
  });

  it.each([
    ['[COMM-030]', { title: '' }, 'title'],
    ['[COMM-031]', { tenantId: undefined }, 'tenantId'],
    ['[COMM-034]', { nextUpdate: null }, 'nextUpdate'],
    ['[COMM-035]', { nextUpdate: '2020-01-01T00:00:00Z' }, 'nextUpdate'],
  ])('%s is refused with %j', async (_id, change, target) => {
    const answer = await put(change);
    expect([answer.status, targets(answer.body)]).toEqual([400, [target]]);
  });

  it('[COMM-024] needs a root cause to be Resolved and no next update once it is closed', async () => {
    const c = await open();
    const resolved = await world.call(me, 'POST', url(c), { status: 'Resolved', nextUpdate: null });
    await proves('[COMM-033] a root cause', () => expect([resolved.status, targets(resolved.body)]).toEqual([400, ['rootCause']]));
    expect((await world.call(me, 'POST', url(c), { status: 'Resolved', nextUpdate: null, rootCause: 'The pump.' })).status).toBe(200);
    const again = await world.call(me, 'POST', url(c), { status: 'ServiceRestored' });
    await proves('[COMM-034] a next update while it is open', () =>
      expect([again.status, targets(again.body)]).toEqual([400, ['nextUpdate']]),
    );
    expect((await world.call(me, 'POST', url(await open()), { status: 'Cancelled', nextUpdate: null })).status).toBe(200);
  });

  it('is listed newest first, with its relations, in UTC', async () => {
    const c = await open({ eventStarted: '2026-05-01T10:00:00+02:00' });
    await proves('[API-198] in UTC', () => expect(c['eventStarted']).toBe('2026-05-01T08:00:00.000Z'));
    const { body } = await world.call(
      me,
      'GET',
      '/v1/workunitcommunications?$expand=tenant,workUnits,workUnitCommunicationActivities&$count=true&$top=10',
    );
    const created = body.value?.map((row) => String(row['created'])) ?? [];
    await proves('[COMM-007] newest first', () => expect(created).toEqual(created.toSorted().toReversed()));
    await proves('[API-034][API-196] with its relations', () =>
      expect(body.value?.[0]).toMatchObject({ tenant: { name: 'Fjord Power' }, workUnits: [], workUnitCommunicationActivities: [] }),
    );
  });
});

describe('the list of communications', () => {
  it('[COMM-010] is filtered by tenant, status, ranges of created, next update and resolved, and text', async () => {
    const c = await open({ title: 'Findable', eventResolved: '2026-03-02T00:00:00Z' });
    const [from, to] = [new Date(Date.now() - 60_000).toISOString(), new Date(Date.now() + 7_200_000).toISOString()];
    const filter = [
      `tenantId eq ${tenantId}`,
      "status eq 'Investigating'",
      `created ge ${from} and created le ${to}`,
      `nextUpdate ge ${from} and nextUpdate le ${to}`,
      'eventResolved ge 2026-03-01T00:00:00Z and eventResolved le 2026-03-03T00:00:00Z',
      "contains(tolower(title),'findable')",
    ].join(' and ');
    const matching = await world.call(me, 'GET', `/v1/workunitcommunications?$count=true&$filter=${encodeURIComponent(filter)}`);
    expect([matching.body['@odata.count'], matching.body.value?.[0]?.['workUnitCommunicationId']]).toEqual([
      1,
      c['workUnitCommunicationId'],
    ]);
  });

  it('[COMM-019] is exported as CSV', async () => {
    await open();
    const answer = await world.call(me, 'GET', '/v1/workunitcommunications/Export()?$top=1000');
    expect([answer.status, String(answer.headers['content-type'])]).toEqual([200, expect.stringContaining('text/csv')]);
  });
});

describe('its steps', () => {
  it('are next steps until they are completed', async () => {
    const c = await open();
    const { body: step } = await world.call(me, 'PUT', '/v1/workunitcommunicationactivities', {
      workUnitCommunicationId: c['workUnitCommunicationId'],
      details: 'Call the plumber.',
      activityType: 'ResolutionActivity',
    });
    await proves('[API-204][COMM-021] creates one', () =>
      expect(step).toMatchObject({ isComplete: false, completed: null, tenantId, createdBy: 'person@example.com' }),
    );
    await proves('[COMM-022][COMM-029] a next step', () => expect(step['activityType']).toBe('TaskActivity'));
    await proves('[API-203] is answered', async () => {
      const list = await world.call(
        me,
        'GET',
        `/v1/workunitcommunicationactivities?$filter=workUnitCommunicationId eq ${Number(c['workUnitCommunicationId'])}`,
      );
      expect(list.body.value).toMatchObject([{ details: 'Call the plumber.' }]);
    });
    const at = `/v1/workunitcommunicationactivities/${String(step['workUnitCommunicationActivityId'])}`;
    const done = await world.call(me, 'POST', at, { isComplete: true });
    await proves('[COMM-023][COMM-028] a past step once it is completed', () =>
      expect(done.body).toMatchObject({ activityType: 'ResolutionActivity', completed: expect.any(String) }),
    );
    const undone = await world.call(me, 'POST', at, { isComplete: false });
    await proves('[API-205] is changed back', () => expect(undone.body).toMatchObject({ activityType: 'TaskActivity', completed: null }));
    await proves('[API-206] is deleted', async () => expect((await world.call(me, 'DELETE', at)).status).toBe(204));
    const empty = await world.call(me, 'PUT', '/v1/workunitcommunicationactivities', {
      workUnitCommunicationId: c['workUnitCommunicationId'],
      details: ' ',
    });
    expect([empty.status, targets(empty.body)]).toEqual([400, ['details']]);
  });
});

describe('its work units', () => {
  it('[COMM-017] are linked once, listed, and unlinked; both are history of the unit', async () => {
    const c = await open();
    const [a, b] = [await unit(), await unit()];
    const linked = await world.call(me, 'POST', `${url(c)}/workUnits`, { workunitIds: [a, b] });
    await proves('[API-200] links', () => expect(linked.body.value?.map((row) => row['workUnitId']).toSorted()).toEqual([a, b]));
    expect((await world.call(me, 'POST', `${url(c)}/workUnits`, { workunitIds: [a] })).body.value).toHaveLength(2);
    const row = await world.call(me, 'GET', `${url(c)}?$expand=workUnits`);
    expect(row.body['workUnits']).toEqual(
      expect.arrayContaining([expect.objectContaining({ workUnitId: a, title: 'A unit', stateId: 'New' })]),
    );
    const related = await world.call(me, 'GET', `/v1/workunits/${a}?$expand=relations`);
    expect(related.body['relations']).toMatchObject([
      { referenceType: 'WorkUnitCommunication', referenceId: String(c['workUnitCommunicationId']) },
    ]);
    await proves('[API-201] unlinks', async () => expect((await world.call(me, 'DELETE', `${url(c)}/workUnits/${a}`)).status).toBe(204));
    expect((await world.call(me, 'DELETE', `${url(c)}/workUnits/${a}`)).status).toBe(404);
    const feed = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${a})`);
    const number = String(c['publicWorkUnitCommunicationId']);
    expect(feed.body.value?.filter((e) => e['historyType'] === 'WorkUnitEvent').map((e) => e['detail'])).toEqual([
      `No longer linked to WUCOMM #${number}.`,
      `Linked to WUCOMM #${number}.`,
      'Work unit created.',
    ]);
    const audits = await world.system.db.query<{ verb: string }>({
      text: "select verb from audit where entity = 'workUnitRelations' and coalesce(before, after) ->> 'workUnitId' = $1 order by audit_id",
      values: [String(a)],
    });
    expect(audits.map((row) => row.verb)).toEqual(['create', 'delete']);
  });

  it('are unlinked from one of two communications', async () => {
    const [first, second] = [await open(), await open()];
    const id = await unit();
    for (const c of [first, second]) await world.call(me, 'POST', `${url(c)}/workUnits`, { workunitIds: [id] });
    expect((await world.call(me, 'DELETE', `${url(second)}/workUnits/${id}`)).status).toBe(204);
    const linked = async (c: typeof first) => (await world.call(me, 'GET', `${url(c)}?$expand=workUnits`)).body['workUnits'];
    expect([await linked(first), await linked(second)]).toMatchObject([[{ workUnitId: id }], []]);
  });

  it('are of its own tenant, and linked by who may edit it', async () => {
    const c = await open();
    const other = await world.tenant();
    const foreign = await unit(holder([other.tenantId]), other.tenantId);
    const both = holder([tenantId, other.tenantId]);
    for (const by of [me, both]) {
      const answer = await world.call(by, 'POST', `${url(c)}/workUnits`, { workunitIds: [foreign] });
      expect([answer.status, targets(answer.body)]).toEqual([400, ['workunitIds']]);
    }
    expect((await world.call(me, 'POST', `${url(c)}/workUnits`, { workunitIds: 'all' })).status).toBe(400);
    const viewer = holder([tenantId], ['CloudFit.CFS.WorkUnitCommunications:view', 'CloudFit.CFS.WorkUnits:view']);
    expect((await world.call(viewer, 'POST', `${url(c)}/workUnits`, { workunitIds: [await unit()] })).status).toBe(403);
    expect((await world.call(holder([other.tenantId]), 'POST', `${url(c)}/workUnits`, { workunitIds: [foreign] })).status).toBe(404);
  });
});

describe('the internal notification', () => {
  it('is mailed to the address of the tenant, by GET and by POST', async () => {
    const c = await open({ rootCause: 'A worn seal', internalBridge: 'https://meet.example.com/1' });
    const at = `${url(c)}/sendInternalNotification`;
    const none = await world.call(me, 'POST', at);
    await proves('[ERR-041] not without an address', () =>
      expect([none.status, targets(none.body)]).toEqual([400, ['internalNotificationEmailAddress']]),
    );
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
    const answer = { message: 'Internal Notification sent.', to: 'desk@example.com', isKept: false };
    await proves('[API-202][COMM-036] says that it is sent', async () =>
      expect((await world.call(me, 'GET', at)).body).toEqual({ ...answer, repeated: false }),
    );
    await world.call(me, 'POST', url(c), { details: 'It is the pump.' });
    expect((await world.call(me, 'POST', at)).body).toEqual({ ...answer, repeated: false });
    const jobs = await world.system.db.query<{ payload: Record<string, string> }>({
      text: "select payload from job where name = 'send-mail' and tenant_id = $1 order by job_id",
      values: [tenantId],
    });
    expect(jobs).toHaveLength(2);
    const sent = `$filter=entity eq 'workUnitCommunications' and verb eq 'notify'`;
    expect((await world.call(me, 'GET', `/v1/audit?${sent}`)).body.value).toHaveLength(2);
    const ctx = systemCtx({ database: world.database, log: pino({ level: 'silent' }), name: 'test' });
    for (let i = 0; i < 2; i++)
      await sendMailJob(undefined, 'http://localhost', () => Promise.resolve(false)).run(ctx, jobs[0]?.payload, attemptOf());
    const outboxed = await world.system.db.query<{ recipients: string; subject: string; body: string }>({
      text: 'select recipients, subject, body from outbox_message where tenant_id = $1',
      values: [tenantId],
    });
    expect(outboxed).toMatchObject([
      {
        recipients: 'desk@example.com',
        subject: `WUCOMM #${String(c['publicWorkUnitCommunicationId'])}: Mail is down - Investigating (Open)`,
      },
    ]);
    expect(outboxed[0]?.body).toContain('Internal bridge: https://meet.example.com/1');
  });

  it('has a subject of whole characters, however long the title is', async () => {
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
    for (const start of ['', 'x']) {
      const c = await open({ title: `${start}${'😀'.repeat(249)}` });
      expect((await world.call(me, 'POST', `${url(c)}/sendInternalNotification`)).status).toBe(200);
    }
  });

  it('is mailed once while it says the same to the same address, also when it is asked for twice at once', async () => {
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
    const c = await open({ title: 'Asked for twice' });
    const at = `${url(c)}/sendInternalNotification`;
    const mails = async () => {
      const [row] = await world.system.db.query<{ n: number }>({
        text: `select count(*)::int as n from job where name = 'send-mail' and payload ->> 'subject' like '%Asked for twice%'`,
      });
      return row?.n;
    };
    const repeated = (await Promise.all([world.call(me, 'GET', at), world.call(me, 'GET', at)])).map(({ body }) => body['repeated']);
    expect(repeated.toSorted()).toEqual([false, true]);
    expect((await world.call(me, 'POST', at)).body).toMatchObject({ message: 'Internal Notification sent.', repeated: true });
    expect(await mails()).toBe(1);

    await world.call(me, 'PUT', '/v1/workunitcommunicationactivities', {
      workUnitCommunicationId: c['workUnitCommunicationId'],
      details: 'Call the plumber.',
    });
    expect((await world.call(me, 'GET', at)).body['repeated']).toBe(false);
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'night@example.com' });
    expect((await world.call(me, 'GET', at)).body).toMatchObject({ to: 'night@example.com', repeated: false });
    expect((await world.call(me, 'GET', at)).body['repeated']).toBe(true);
    expect(await mails()).toBe(3);
  });

  it('is refused without the right, and not found elsewhere', async () => {
    const at = `${url(await open())}/sendInternalNotification`;
    expect((await world.call(holder([tenantId], ['CloudFit.CFS.WorkUnitCommunications:view']), 'GET', at)).status).toBe(403);
    expect((await world.call(holder([(await world.tenant()).tenantId]), 'POST', at)).status).toBe(404);
  });
});
