/** Reports by mail: who gets what at the mail server, once, and what their owner may do with them. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { sendMailJob } from '../../../automation/send-mail.job.ts';
import { openEndedMails } from '../../../automation/notify/ended-mails.ts';
import { releaseOutboxMails } from '../../../automation/outbox-mail.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { jobRegistry } from '../../../jobs/job.ts';
import { startWorker, type Worker } from '../../../jobs/worker.ts';
import { openMail, type Mail } from '../../../outbound/mail.ts';
import { silent, until } from '../../../rules/testing/flow.ts';
import { personIn } from '../../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { countUnitDays } from './count-days.ts';
import { openReportLinks, type ReportLinks } from '../../../platform/report-links.ts';
import { sendReports } from './send-reports.ts';

interface ReceivedMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  csv: string;
  fileName: string;
  /** The headers of the link that ends the mails. */
  end: [string, string];
}

let world: TestWorld;
let server: SMTPServer;
let mail: Mail;
let worker: Worker;
let withMail = true;
let links: ReportLinks;
let [north, south] = ['', ''];
const received: ReceivedMail[] = [];
const view = [permission('WorkUnits', 'view')];

function quoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function words(header: string): string {
  return header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?(\w)\?(.*?)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString('utf8') : quoted(text.replaceAll('_', ' ')),
    );
}

function readMail(source: string): ReceivedMail {
  const parts = source.split(/\r?\n--[^\r\n]+/).map((part) => {
    const [folded = '', ...body] = part.split(/\r?\n\r?\n/);
    const head = folded.replaceAll(/\r?\n\s+/g, ' ');
    const text = body.join('\n\n');
    return { head, text: /encoding: base64/i.test(head) ? Buffer.from(text, 'base64').toString('utf8') : quoted(text) };
  });
  const of = (type: string) => parts.find(({ head }) => head.includes(`Content-Type: ${type}`) && !head.includes('Subject:'));
  const header = (name: string) =>
    words((new RegExp(`^${name}: (.*(?:\\r?\\n\\s.*)*)`, 'm').exec(source)?.[1] ?? '').replaceAll(/\r?\n/g, ''));
  const file = of('text/csv');
  const unfolded = source.replaceAll(/\r?\n[ \t]+/g, ' ');
  return {
    to: header('To'),
    subject: header('Subject'),
    text: of('text/plain')?.text.replaceAll('\r\n', '\n') ?? '',
    html: of('text/html')?.text ?? '',
    csv: file?.text ?? '',
    end: [/^List-Unsubscribe: <(.*)>/m.exec(unfolded)?.[1] ?? '', header('List-Unsubscribe-Post')],
    fileName: /filename="?([^"\r\n]+)/.exec(file?.head ?? '')?.[1] ?? '',
  };
}

beforeAll(async () => {
  world = await createWorld();
  links = openReportLinks(world.masterKey, 'http://localhost');
  ({ tenantId: north } = await world.tenant('Northwind'));
  ({ tenantId: south } = await world.tenant('Southwind'));
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData: (stream, _session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        received.push(readMail(source));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, from: 'ops@example.com' });
  const job = sendMailJob(undefined, 'https://ops.example.com', openEndedMails(world.masterKey));
  worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log: silent,
    jobs: jobRegistry([
      {
        ...job,
        run: (ctx, payload, attempt) =>
          sendMailJob(withMail ? mail : undefined, 'https://ops.example.com', openEndedMails(world.masterKey)).run(ctx, payload, attempt),
      },
    ]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log: silent, name: 'Automation', correlationId }),
  });
  const all = holder([north, south]);
  const open = (title: string, tenantId: string) =>
    world.call(all, 'PUT', '/v1/workunits', { title, severityId: 'Sev2', workUnitTypeId: 1, tenantId });
  await Promise.all([open('Pump', north), open('Fan', north), open('Secret', south)]);
  await countUnitDays(world.system.db);
});
afterAll(async () => {
  await worker.stop();
  mail.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await world.close();
});
beforeEach(() => {
  withMail = true;
  received.length = 0;
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

interface Person {
  id: string;
  email: string;
  caller: TestCaller;
}

/** A person with these permissions in these tenants, with a verified address. */
async function person(name: string, tenants: readonly string[], permissions: readonly string[] = view): Promise<Person> {
  const id = await personIn(world, tenants[0] ?? north, name);
  await rows('delete from access_grant where person_id = $1', id);
  const [set] = await rows<{ id: string }>(
    'insert into permission_set (name, permissions) values ($1, $2::jsonb) returning permission_set_id as id',
    `${name} ${id}`,
    JSON.stringify(permissions),
  );
  for (const tenantId of tenants)
    await rows('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', id, set?.id, tenantId);
  const [row] = await rows<{ email: string | null }>('update person set email_verified = true where person_id = $1 returning email', id);
  const email = row?.email ?? '';
  return { id, email, caller: { ...holder(tenants, permissions), actor: { kind: 'person', id, name, userName: email } } };
}

const chosen = (receivers: readonly Person[], more: object = {}) => ({
  name: `Week ${crypto.randomUUID().slice(0, 8)}`,
  by: 'tenant',
  period: 'Last7Days',
  tenantId: north,
  isAllTenants: true,
  rhythm: 'Daily',
  day: 0,
  hour: 7,
  timeZone: 'Europe/Berlin',
  receivers: receivers.map(({ id }) => id),
  isEnabled: true,
  ...more,
});

async function make(owner: Person, body: object): Promise<string> {
  const answer = await world.call(owner.caller, 'POST', '/v1/reportSchedules', body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return String(answer.body['reportScheduleId']);
}

interface Shown {
  reportScheduleId: string;
  nextRun: string | null;
  lastRun: string | null;
  isEnabled: boolean;
  people: { name: string | null }[];
  lastResult: { name: string | null; outcome: string }[];
}
async function shown(owner: Person, id: string): Promise<Shown | undefined> {
  const { body } = await world.call(owner.caller, 'GET', '/v1/reportSchedules');
  return (body.value as unknown as Shown[]).find(({ reportScheduleId }) => reportScheduleId === id);
}

/** Lets three workers look at once. */
const lookAt = (now: number) => Promise.all([1, 2, 3].map(() => sendReports(world.database, silent, links, () => new Date(now))));
const dueAt = async (owner: Person, id: string) => Date.parse((await shown(owner, id))?.nextRun ?? '');
const mailsTo = ({ email }: Person) => received.filter(({ to }) => to === email);
/** Waits until all queued mails have been sent or kept. */
const sentAll = () => until(async () => (await rows("select 1 from job where name = 'send-mail'")).length === 0);
const change = (owner: Person, id: string, body: object) => world.call(owner.caller, 'POST', `/v1/reportSchedules/${id}`, body);

it('sends each receiver what they may view, in their language, once although three workers look', async () => {
  const ada = await person('Ada Both', [north, south]);
  const bob = await person('Bob North', [north]);
  await rows(`update person set locale = '{"language":"de","timeZone":null,"format":null}' where person_id = $1`, bob.id);
  const carl = await person('Carl Without', [north], [permission('Devices', 'view')]);
  const dora = await person('Dora Gone', [north]);
  const eve = await person('Eve Unverified', [north]);
  const id = await make(ada, chosen([ada, bob, carl, dora, eve], { name: 'All sites' }));
  await rows('update person set enabled = false where person_id = $1', dora.id);
  await rows('update person set email_verified = false where person_id = $1', eve.id);

  const due = await dueAt(ada, id);
  await lookAt(due - 1);
  expect((await shown(ada, id))?.lastRun).toBeNull();
  // The units were opened today, so the report of the day after tomorrow has them.
  const later = due + dayMs;
  await lookAt(later);
  await lookAt(later + 60_000);
  await until(() => received.length === 2);
  await sentAll();
  expect(received).toHaveLength(2);

  const [toAda] = mailsTo(ada);
  expect(toAda?.subject).toMatch(/^All sites: work units \d{4}-/);
  expect(toAda?.text).toContain('Opened: 3 (before: 0)');
  expect(toAda?.text).toMatch(/Northwind +2 \(0\)/);
  expect(toAda?.text).toMatch(/Southwind +1 \(0\)/);
  expect(toAda?.html).toContain('<th scope="row"');
  expect(toAda?.html).toContain('>Southwind</th>');
  expect(toAda?.csv).toMatch(/^\uFEFF"Tenant","Period","Opened"/);
  expect(toAda?.csv).toMatch(/"Southwind","[^"]+","1"/);
  expect(toAda?.fileName).toMatch(/^All sites \d{4}-\d\d-\d\d \d{4}-\d\d-\d\d\.csv$/);
  expect(toAda?.text).toContain(`https://ops.example.com/${north}/reports?from=`);

  const [toBob] = mailsTo(bob);
  expect(toBob?.subject).toMatch(/^All sites: Vorgänge /);
  expect(toBob?.text).toContain('Eröffnet: 2 (davor: 0)');
  expect(toBob?.csv).toContain('"Mandant"');
  // Nothing of the tenant that this receiver may not see.
  for (const part of [toBob?.text, toBob?.html, toBob?.csv]) expect(part).not.toMatch(/Southwind/);

  const now = await shown(ada, id);
  expect(now?.lastResult).toEqual([
    { personId: ada.id, name: 'Ada Both', outcome: 'Sent' },
    { personId: bob.id, name: 'Bob North', outcome: 'Sent' },
    { personId: carl.id, name: 'Carl Without', outcome: 'NoRight' },
    { personId: dora.id, name: 'Dora Gone', outcome: 'Disabled' },
    { personId: eve.id, name: 'Eve Unverified', outcome: 'NoAddress' },
  ]);
  expect(Date.parse(now?.nextRun ?? '')).toBeGreaterThan(later);
  // A second time it comes again, with the rights of that moment.
  received.length = 0;
  await rows('delete from access_grant where person_id = $1', bob.id);
  await lookAt(await dueAt(ada, id));
  await until(() => received.length === 1);
  await sentAll();
  expect([mailsTo(ada).length, mailsTo(bob).length]).toEqual([1, 0]);
  const audited = await rows<{ verb: string }>(
    "select verb from audit where entity = 'reportSchedules' and entity_id = $1 order by at, audit_id",
    id,
  );
  expect(audited.map(({ verb }) => verb)).toEqual(['create', 'send', 'send']);
});

it('of one tenant goes only to those who may view it there, and its mails are those of the tenant', async () => {
  const ada = await person('Ada South', [north, south]);
  const bob = await person('Bob Only', [north]);
  const id = await make(ada, chosen([ada, bob], { tenantId: south, isAllTenants: false, by: 'severity' }));
  withMail = false;
  await lookAt((await dueAt(ada, id)) + dayMs);
  await sentAll();
  expect((await shown(ada, id))?.lastResult.map(({ outcome }) => outcome)).toEqual(['Sent', 'NoRight']);
  const stored = await rows<{ tenant_id: string | null }>('select tenant_id from outbox_message where recipients = $1', ada.email);
  expect(stored).toEqual([{ tenant_id: south }]);
  // The outbox keeps table and file until there is a mail server.
  withMail = true;
  await releaseOutboxMails(world.system.db);
  await until(() => mailsTo(ada).length === 1);
  expect(mailsTo(ada)[0]?.csv).toMatch(/"Sev2","[^"]+","1"/);
  expect(mailsTo(ada)[0]?.text).toMatch(/Sev2 +1 \(0\)/);
});

it('a report about all tenants is no mail of one of them, whose administrators would read it in the outbox', async () => {
  const ada = await person('Ada Kept', [north, south]);
  const id = await make(ada, chosen([ada]));
  withMail = false;
  await lookAt((await dueAt(ada, id)) + dayMs);
  await sentAll();
  expect(await rows('select tenant_id from outbox_message where recipients = $1', ada.email)).toEqual([{ tenant_id: null }]);
});

it('stops when its owner may not view the report any more, and says so', async () => {
  const ada = await person('Ada Leaves', [north]);
  const bob = await person('Bob Stays', [north]);
  const id = await make(ada, chosen([ada, bob], { isAllTenants: false }));
  const due = await dueAt(ada, id);
  await rows(
    `update permission_set set permissions = '["CloudFit.CFS.Devices:view"]' where permission_set_id in (select permission_set_id from access_grant where person_id = $1)`,
    ada.id,
  );
  await lookAt(due);
  expect(await shown(ada, id)).toMatchObject({
    isEnabled: false,
    nextRun: null,
    lastResult: [{ name: 'Ada Leaves', outcome: 'OwnerMayNot' }],
  });
  await sentAll();
  expect(received).toEqual([]);
});

it('one report stands for those that were missed, and one that is switched on again waits for its next time', async () => {
  const ada = await person('Ada Pauses', [north]);
  const id = await make(ada, chosen([ada]));
  const due = await dueAt(ada, id);
  await lookAt(due + 5 * dayMs + 1);
  await sentAll();
  expect(mailsTo(ada)).toHaveLength(1);
  expect((await change(ada, id, { isEnabled: false })).status).toBe(200);
  expect((await shown(ada, id))?.nextRun).toBeNull();
  await lookAt(due + 30 * dayMs);
  expect((await change(ada, id, { isEnabled: true })).status).toBe(200);
  expect((await dueAt(ada, id)) - Date.now()).toBeLessThanOrEqual(dayMs);
  await sentAll();
  expect(mailsTo(ada)).toHaveLength(1);
});

it('sends a test to its owner alone, and leaves times and result as they are', async () => {
  const ada = await person('Ada Tries', [north]);
  const bob = await person('Bob Waits', [north]);
  const id = await make(ada, chosen([bob]));
  const before = await shown(ada, id);
  expect((await world.call(ada.caller, 'POST', `/v1/reportSchedules/${id}/test`)).body).toEqual({ email: ada.email });
  await until(() => mailsTo(ada).length === 1);
  await sentAll();
  expect(received).toHaveLength(1);
  expect(received[0]?.text).toContain('A test of the report');
  expect(await shown(ada, id)).toEqual(before);
  await rows('update person set email_verified = false where person_id = $1', ada.id);
  expect(await world.call(ada.caller, 'POST', `/v1/reportSchedules/${id}/test`)).toMatchObject({ status: 409 });
});

it('belongs to its owner: made, changed and deleted by nobody else, and audited', async () => {
  const ada = await person('Ada Owns', [north]);
  const bob = await person('Bob Asks', [north]);
  const otherTenant = await person('Stranger', [south]);
  const body = chosen([bob]);
  const create = (caller: TestCaller | null, more: object = {}) => world.call(caller, 'POST', '/v1/reportSchedules', { ...body, ...more });
  const id = await make(ada, body);
  expect((await create(null)).status).toBe(401);
  expect((await create({ ...ada.caller, ...holder([north], [permission('Devices', 'view')]) })).status).toBe(403);
  expect((await create(ada.caller, { tenantId: south, name: 'Theirs' })).status).toBe(404);
  expect((await create(ada.caller)).status).toBe(409);
  const target = async (more: object) =>
    (await create(ada.caller, { name: 'Other', ...more })).body['error'] as { details?: { target: string }[]; target?: string };
  expect(JSON.stringify(await target({ receivers: [otherTenant.id] }))).toContain('"receivers"');
  expect(JSON.stringify(await target({ receivers: [] }))).toContain('"receivers"');
  expect(JSON.stringify(await target({ rhythm: 'Weekly', day: 7 }))).toContain('"day"');
  expect(JSON.stringify(await target({ rhythm: 'Monthly', day: 0 }))).toContain('"day"');
  expect(JSON.stringify(await target({ timeZone: 'Mars/Olympus' }))).toContain('"timeZone"');
  expect(JSON.stringify(await target({ hour: 24 }))).toContain('"hour"');

  for (const other of [bob, otherTenant]) {
    expect(await shown(other, id)).toBeUndefined();
    expect((await change(other, id, { name: 'Mine' })).status).toBe(404);
    expect((await world.call(other.caller, 'DELETE', `/v1/reportSchedules/${id}`)).status).toBe(404);
    expect((await world.call(other.caller, 'POST', `/v1/reportSchedules/${id}/test`)).status).toBe(404);
  }
  expect((await change(ada, id, { rhythm: 'Weekly', day: 1, timeZone: 'UTC' })).status).toBe(200);
  expect(new Date((await shown(ada, id))?.nextRun ?? '').getUTCDay()).toBe(1);
  // Without the right to view the report, its owner can only switch it off.
  const blind = { ...ada, caller: { ...ada.caller, ...holder([north], [permission('Devices', 'view')]) } };
  expect((await change(blind, id, { hour: 3 })).status).toBe(403);
  expect((await change(blind, id, { isEnabled: false })).status).toBe(200);
  expect((await world.call(ada.caller, 'DELETE', `/v1/reportSchedules/${id}`)).status).toBe(204);
  expect(await shown(ada, id)).toBeUndefined();
  const audited = await rows<{ verb: string; actor_name: string }>(
    "select verb, actor_name from audit where entity = 'reportSchedules' and entity_id = $1 order by at, audit_id",
    id,
  );
  expect(audited).toEqual(['create', 'update', 'update', 'delete'].map((verb) => ({ verb, actor_name: ada.email })));
});

it('ends for a receiver by one POST of the link in the mail (RFC 8058), and for nobody else', async () => {
  const [owner, guest] = [await person('Olga Owner', [north]), await person('Gus Guest', [north])];
  await rows(`update person set locale = '{"language":"de","timeZone":null,"format":null}' where person_id = $1`, guest.id);
  const id = await make(owner, chosen([owner, guest], { name: 'Ended by mail' }));
  await lookAt(await dueAt(owner, id));
  await sentAll();
  const [mail] = mailsTo(guest);
  const [link = '', button] = mail?.end ?? [];
  expect(button).toBe('List-Unsubscribe=One-Click');
  expect(mail?.text).toContain(`Diese Mails abbestellen: ${link}`);
  const { pathname } = new URL(link);
  // Programs that check links open them.
  const question = await world.call(null, 'GET', pathname, undefined, { 'accept-language': 'de' });
  expect([question.status, question.text]).toEqual([200, expect.stringContaining('Diesen Bericht per Mail für Sie beenden?')]);
  expect((await shown(owner, id))?.people).toHaveLength(2);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await world.call(null, 'POST', `${pathname}x`, 'List-Unsubscribe=One-Click', form)).status).toBe(404);
  for (const attempt of [1, 2])
    expect([attempt, (await world.call(null, 'POST', pathname, 'List-Unsubscribe=One-Click', form)).status]).toEqual([attempt, 200]);
  expect(await shown(owner, id)).toMatchObject({
    isEnabled: true,
    people: [{ name: 'Olga Owner' }],
    lastResult: [
      { name: 'Gus Guest', outcome: 'Unsubscribed' },
      { name: 'Olga Owner', outcome: 'Sent' },
    ],
  });
  const audits = await rows<{ verb: string; actor: string }>(
    `select verb, actor_name as actor from audit where entity_id = $1 and verb = 'unsubscribe'`,
    id,
  );
  expect(audits).toEqual([{ verb: 'unsubscribe', actor: 'Receiver' }]);
  received.length = 0;
  await lookAt(await dueAt(owner, id));
  await sentAll();
  expect([mailsTo(owner).length, mailsTo(guest).length]).toEqual([1, 0]);

  // Without a receiver it is off, and stays so until there is one.
  await world.call(null, 'POST', new URL(mailsTo(owner)[0]?.end[0] ?? '').pathname, 'List-Unsubscribe=One-Click', form);
  expect(await shown(owner, id)).toMatchObject({ isEnabled: false, people: [] });
  const on = await change(owner, id, { isEnabled: true });
  expect([on.status, (on.body['error'] as { message: string }).message]).toEqual([400, 'Please name at least one receiver.']);
  expect((await change(owner, id, { isEnabled: true, receivers: [guest.id] })).status).toBe(200);
});

it('has no such link in a test', async () => {
  const owner = await person('Tess Tries', [north]);
  const id = await make(owner, chosen([owner], { name: 'Only tried' }));
  await world.call(owner.caller, 'POST', `/v1/reportSchedules/${id}/test`);
  await sentAll();
  expect(mailsTo(owner).map(({ end }) => end)).toEqual([['', '']]);
});

it('does not send what is queued already to a receiver who has ended it since, nor after it was deleted', async () => {
  const [owner, guest] = [await person('Oda Owner', [north]), await person('Gil Guest', [north])];
  const active = await make(owner, chosen([owner, guest]));
  const deleted = await make(owner, chosen([guest]));
  withMail = false;
  await lookAt(Math.max(await dueAt(owner, active), await dueAt(owner, deleted)));
  await sentAll();
  expect(await rows('select 1 from outbox_message where recipients = any($1)', [owner.email, guest.email])).toHaveLength(3);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const { pathname } = new URL(links.url({ reportScheduleId: active, personId: guest.id }));
  expect((await world.call(null, 'POST', pathname, 'List-Unsubscribe=One-Click', form)).status).toBe(200);
  expect((await world.call(owner.caller, 'DELETE', `/v1/reportSchedules/${deleted}`)).status).toBe(204);
  withMail = true;
  await releaseOutboxMails(world.system.db);
  await sentAll();
  expect([mailsTo(owner).length, mailsTo(guest).length]).toEqual([1, 0]);
  expect(await rows('select 1 from outbox_message where recipients = any($1)', [owner.email, guest.email])).toEqual([]);
});
