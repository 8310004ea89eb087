/** Evidence of statuses, facts of the system, and weeks that are signed off and opened again. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidenceLimits, factKeys } from '@cloudfit/contract/compliance/evidence.ts';
import type { WeekReport } from '@cloudfit/contract/compliance/week-report.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { inTransaction } from '../../context/ctx.ts';
import { rawRoutes } from '../../http/raw-calls.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { importControlSet } from './import.ts';
import { lockWeek } from './weeks.ts';

let world: TestWorld;
let tenantId: string;
let otherTenant: TestCaller;
let me: TestCaller;
let setId: string;
let controlIds: string[];

beforeAll(async () => {
  world = await createWorld({ rawRoutes: rawRoutes({} as Parameters<typeof rawRoutes>[0]) });
  ({ tenantId } = await world.tenant('Weeks'));
  otherTenant = holder([(await world.tenant()).tenantId]);
  me = holder([tenantId]);
  await importControlSet(world.system, { name: 'Weeks', controls: ['W-1', 'W-2'].map((name) => ({ name, title: `Title of ${name}` })) });
  const [set] = (await world.call(me, 'GET', `/v1/controlsets?$filter=name eq 'Weeks'&$expand=controls`)).body.value ?? [];
  setId = String(set?.['id']);
  controlIds = ((set?.['controls'] ?? []) as { id: string }[]).map(({ id }) => id);
});
afterAll(() => world.close());

const patchType = { 'content-type': 'application/json-patch+json' };
async function status(week: string, value = 'Compliant', control = 0): Promise<string> {
  const body = { checkDate: week, status: value, tenantId, controlId: controlIds[control] };
  return String((await world.call(me, 'POST', '/v1/controlstatuses', body)).body['id']);
}
const change = (id: string, value: string) =>
  world.call(me, 'PATCH', `/v1/controlstatuses/${id}`, [{ op: 'replace', path: '/status', value }], patchType);
const add = (id: string, body: object, caller = me) => world.call(caller, 'POST', `/v1/controlstatuses(${id})/Evidence`, body);
const link = { kind: 'Link', url: 'https://wiki.example.com/backup', title: 'Backup log' };
const sign = (week: string, body: object = {}, caller = me) =>
  world.call(caller, 'POST', `/v1/controlsets(${setId})/SignOff`, { tenantId, week, ...body });
const reopen = (id: string, reason = 'A status was wrong', caller = me) =>
  world.call(caller, 'POST', `/v1/compliancesignoffs(${id})/Reopen`, { reason });
const report = async (week: string) =>
  (await world.call(me, 'GET', `/v1/controlsets(${setId})/Report?tenantId=${tenantId}&week=${week}`)).body as unknown as {
    report: WeekReport;
    signOff: { signedBy: string; digest: string; note: string | null } | null;
  };
const message = (answer: { body: Record<string, unknown> }) => (answer.body['error'] as { message: string }).message;

describe('evidence', () => {
  it('is a link, a file or a fact that the system recorded, and goes with its status', async () => {
    const id = await status('2026-03-02');
    const content = Buffer.from('restored 12 files\n');
    expect((await add(id, link)).body).toMatchObject({ kind: 'Link', title: 'Backup log', createdBy: 'person@example.com', tenantId });
    const file = await add(id, { kind: 'File', fileName: 'prüf"ung.txt', content: content.toString('base64') });
    expect(file.body).toMatchObject({ size: content.length, sha256: createHash('sha256').update(content).digest('hex') });
    const saved = await world.call(me, 'GET', `/v1/controlevidence(${String(file.body['evidenceId'])})/File`);
    expect([saved.text, saved.headers['content-type'], saved.headers['x-content-type-options']]).toEqual([
      content.toString(),
      'application/octet-stream',
      'nosniff',
    ]);
    expect(saved.headers['content-disposition']).toBe(`attachment; filename="pr_f_ung.txt"; filename*=UTF-8''pr%C3%BCf%22ung.txt`);
    expect((await add(id, { kind: 'Fact', fact: 'owners' })).body).toMatchObject({
      title: 'Owners of incidents',
      fact: '0 incidents are open; all have an owner.',
    });
    const [control] = (await report('2026-03-02')).report.controls;
    expect(control?.evidence.map(({ kind }) => kind)).toEqual(['Link', 'File', 'Fact']);
    const unit = { title: 'Down', tenantId, workUnitTypeId: 1 };
    expect((await world.call(me, 'PUT', '/v1/workunits', unit)).status).toBeLessThan(300);
    const facts = (await world.call(me, 'GET', `/v1/compliancefacts?tenantId=${tenantId}`)).body.value as { key: string; text: string }[];
    expect(facts.map(({ key }) => key)).toEqual(factKeys);
    expect(facts.find(({ key }) => key === 'owners')?.text).toBe('1 incident is open; 1 without an owner.');
    expect((await world.call(me, 'DELETE', `/v1/controlevidence/${String(file.body['evidenceId'])}`)).status).toBe(204);
    expect((await world.call(me, 'GET', `/v1/controlevidence(${String(file.body['evidenceId'])})/File`)).status).toBe(404);
  });

  it('is refused with the reason, and to people of other tenants', async () => {
    const id = await status('2026-03-09');
    for (const [body, target] of [
      [{ kind: 'Link' }, 'url'],
      [{ kind: 'Link', url: 'javascript:alert(1)' }, 'url'],
      [{ kind: 'File', fileName: 'a.txt' }, 'content'],
      [{ kind: 'File', fileName: 'a.txt', content: 'not base 64!' }, 'content'],
      [{ kind: 'Fact', fact: 'weather' }, 'fact'],
      [{ kind: 'Rumour' }, 'kind'],
    ] as const) {
      const answer = await add(id, body);
      expect([answer.status, (answer.body['error'] as { details: { target: string }[] }).details[0]?.target]).toEqual([400, target]);
    }
    expect((await add(id, link, otherTenant)).status).toBe(404);
    expect((await add(id, link, holder([tenantId], ['CloudFit.CFS.Compliance:view']))).status).toBe(403);
    expect((await world.call(otherTenant, 'GET', `/v1/compliancefacts?tenantId=${tenantId}`)).status).toBe(404);
    for (let n = 0; n < evidenceLimits.perStatus; n += 1) expect((await add(id, link)).status).toBe(200);
    expect(message(await add(id, link))).toBe('A status has at most 20 pieces of evidence.');
  });
});

describe('a signed week', () => {
  it('keeps the report, and refuses changes of its statuses and evidence until it is opened again', async () => {
    await status('2026-03-09', 'NonCompliant', 1);
    const id = await status('2026-03-16', 'Compliant', 1);
    const evidence = String((await add(id, link)).body['evidenceId']);
    const open = await report('2026-03-18');
    expect(open.signOff).toBeNull();
    expect(open.report.controls.map(({ name, status: now, before }) => [name, now, before])).toEqual([
      ['W-1', 'Notset', 'Compliant'],
      ['W-2', 'Compliant', 'NonCompliant'],
    ]);
    const signed = await sign('2026-03-18', { note: 'Seen by the board' });
    expect(signed.body).toMatchObject({ checkDate: '2026-03-16T00:00:00.000Z', signedBy: 'person@example.com' });
    expect(message(await sign('2026-03-16'))).toBe('This week was signed off by person@example.com already.');
    const refused = 'The week of 2026-03-16 was signed off by person@example.com. Reopen it to change it.';
    for (const answer of [
      await change(id, 'Exempt'),
      await world.call(me, 'DELETE', `/v1/controlstatuses/${id}`),
      await world.call(me, 'POST', '/v1/controlstatuses', { checkDate: '2026-03-17', status: 'Poam', tenantId, controlId: controlIds[0] }),
      await add(id, link),
      await world.call(me, 'DELETE', `/v1/controlevidence/${evidence}`),
    ])
      expect([answer.status, message(answer)]).toEqual([409, refused]);
    // The set may change; the signed report does not.
    await importControlSet(world.system, { name: 'Weeks', controls: ['W-1', 'W-2'].map((name) => ({ name, title: `Later ${name}` })) });
    const signedReport = await report('2026-03-16');
    expect(signedReport.report).toEqual(open.report);
    expect(signedReport.signOff).toMatchObject({
      note: 'Seen by the board',
      digest: createHash('sha256').update(JSON.stringify(open.report)).digest('hex'),
    });
    const signOffId = String(signed.body['signOffId']);
    expect(
      (
        await reopen(
          signOffId,
          'No',
          holder(
            [tenantId],
            allPermissions.filter((permission) => !permission.endsWith('Compliance:delete')),
          ),
        )
      ).status,
    ).toBe(403);
    expect((await reopen(signOffId, ' ')).status).toBe(400);
    expect((await reopen(signOffId, 'No', otherTenant)).status).toBe(404);
    expect((await reopen(signOffId)).body).toMatchObject({ reopenedBy: 'person@example.com', reopenReason: 'A status was wrong' });
    expect((await reopen(signOffId)).status).toBe(409);
    expect((await change(id, 'Exempt')).status).toBe(200);
    expect((await sign('2026-03-16')).status).toBe(200);
    const history = (await world.call(me, 'GET', `/v1/compliancesignoffs?$filter=controlSetId eq ${setId}`)).body.value ?? [];
    expect(history.map((row) => row['reopenedOn'] === null)).toEqual([true, false]);
    expect((await report('2026-03-16')).report.controls[1]?.title).toBe('Later W-2');
  });

  it('has every change that began before the sign-off', async () => {
    const id = await status('2026-04-06', 'Compliant');
    const monday = '2026-04-06T00:00:00.000Z';
    const signing = Promise.withResolvers<Awaited<ReturnType<typeof sign>>>();
    await inTransaction(world.ctx(me), async (ctx) => {
      await lockWeek(ctx, tenantId, monday, 'change');
      void sign(monday).then(signing.resolve, signing.reject);
      const waiting = `select count(*)::int as n from pg_locks where locktype = 'advisory' and classid = 7405 and not granted`;
      await expect.poll(async () => (await world.system.db.query<{ n: number }>({ text: waiting }))[0]?.n).toBe(1);
      await ctx.db.query({ text: "update control_status set status = 'Poam' where id = $1", values: [id] });
    });
    expect((await signing.promise).status).toBe(200);
    expect((await report(monday)).report.controls[0]?.status).toBe('Poam');
  });

  it('is one that has begun, of a tenant that one may see', async () => {
    expect(message(await sign('2999-01-07'))).toBe('A week can be signed off only after it has begun.');
    expect((await sign('2026-03-02', {}, otherTenant)).status).toBe(404);
    const two = await Promise.all([sign('2026-05-04'), sign('2026-05-04')]);
    expect(two.map((answer) => answer.status).toSorted()).toEqual([200, 409]);
  });
});

it('the weeks of half a year say how many controls had which status, and which are signed off', async () => {
  const weeks = async (caller = me) => world.call(caller, 'GET', `/v1/controlsets(${setId})/Weeks?tenantId=${tenantId}&week=2026-05-04`);
  const { body } = await weeks();
  const of = (day: string) => (body['weeks'] as { week: string }[]).find(({ week }) => week.startsWith(day));
  expect(body['controls']).toBe(2);
  expect(of('2026-03-09')).toEqual({ week: '2026-03-09T00:00:00.000Z', counts: { Compliant: 1, NonCompliant: 1 }, isSigned: false });
  expect(of('2026-05-04')).toEqual({ week: '2026-05-04T00:00:00.000Z', counts: {}, isSigned: true });
  expect((await weeks(otherTenant)).status).toBe(404);
});

it('an import over the API says first what would change, and is for people with all tenants', async () => {
  const document = { name: 'Sent', controls: [{ name: 'S-1', title: 'One' }] };
  const send = (body: object, caller = holder('all')) => world.call(caller, 'POST', '/v1/controlsets/Import', body);
  expect((await send({ document, dryRun: true })).body).toMatchObject({ isNew: true, created: ['S-1'] });
  expect((await world.call(me, 'GET', `/v1/controlsets?$filter=name eq 'Sent'`)).body.value).toEqual([]);
  expect((await send({ document })).body).toMatchObject({ isNew: true, created: ['S-1'] });
  expect((await send({ document }, me)).status).toBe(403);
  expect((await send({ document: { name: 'Bad', controls: [] } })).status).toBe(400);
});
