/** Digests of inboxes, at the socket of a mail server: what they name, to whom, in which language, and that each comes once. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { severities } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import type { Database } from '../db/connection.ts';
import { sendDigests } from '../features/work-units/inbox/digest.ts';
import { jobRegistry } from '../jobs/job.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { openMail, type Mail } from '../outbound/mail.ts';
import { openDigestLinks } from '../platform/digest-links.ts';
import { until } from '../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { openEndedMails } from './notify/ended-mails.ts';
import { releaseOutboxMails } from './outbox-mail.ts';
import { sendMailJob } from './send-mail.job.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
let server: SMTPServer;
let mail: Mail;
let worker: Worker;
let withMail = true;
const received: { to: string; source: string }[] = [];
const log = pino({ level: 'silent' });
const rights = [permission('WorkUnits', 'view'), permission('WorkUnits', 'edit')];

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  me = holder([tenantId, otherId]);
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const source = Buffer.concat(parts).toString();
        for (const { address } of session.envelope.rcptTo) received.push({ to: address, source });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, from: 'ops@example.com' });
  const job = {
    ...sendMailJob(undefined, 'http://localhost', openEndedMails(world.masterKey)),
    run: (...values: Parameters<ReturnType<typeof sendMailJob>['run']>) =>
      sendMailJob(withMail ? mail : undefined, 'http://localhost', openEndedMails(world.masterKey)).run(...values),
  };
  worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log,
    jobs: jobRegistry([job]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
  });
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

const run = (text: string, ...values: unknown[]) => world.system.db.query({ text, values });

interface PersonParts {
  locale?: object | null;
  isVerified?: boolean;
  tenants?: readonly string[];
}

/** A person who may view the work units of the tenants, and gets a digest each day unless `preferences` say another thing. */
async function person(
  name: string,
  { locale = null, isVerified = true, tenants = [tenantId, otherId] }: PersonParts = {},
  preferences: object = {},
) {
  const userName = `${name.toLowerCase()}.${crypto.randomUUID().slice(0, 8)}@example.com`;
  const [row] = await world.system.db.query<{ id: string }>({
    text: 'insert into person (name, user_name, email, email_verified, locale) values ($1, $2, $2, $3, $4::jsonb) returning person_id as id',
    values: [name, userName, isVerified, locale && JSON.stringify(locale)],
  });
  const id = row?.id ?? '';
  for (const tenant of tenants)
    await run(
      `with s as (insert into permission_set (tenant_id, name, permissions) values ($1, uuidv7()::text, $2::jsonb) returning permission_set_id)
        insert into access_grant (person_id, tenant_id, permission_set_id) select $3, $1, permission_set_id from s`,
      tenant,
      JSON.stringify(rights),
      id,
    );
  const caller: TestCaller = { ...holder(tenants, rights), actor: { kind: 'person', id, name, userName } };
  const choose = (more: object) =>
    world.call(caller, 'PUT', '/v1/currentUser/notificationPreferences', {
      timeZone: 'Europe/Berlin',
      phone: null,
      steps: [{ channel: 'Mail', afterMinutes: 0, severities }],
      quietHours: [],
      urgent: [...severities],
      ...more,
    });
  const chosen = await choose({ digest: { day: null, hour: 8 }, ...preferences });
  expect(chosen.status).toBe(200);
  return { id, userName, caller, choose };
}
type Person = Awaited<ReturnType<typeof person>>;

async function assign({ userName }: Person, title: string, tenant = tenantId, by = me): Promise<{ id: number; publicId: number }> {
  const unit = { title, severityId: 'Sev2', workUnitTypeId: 1, tenantId: tenant, assignedTo: userName };
  const { body } = await world.call(by, 'PUT', '/v1/workunits', unit);
  expect(body['error']).toBeUndefined();
  return { id: Number(body['workUnitId']), publicId: Number(body['publicWorkUnitId']) };
}

const makeDue = ({ id }: Person) =>
  run("update notification_preference set digest_due = now() - interval '1 second' where person_id = $1", id);
async function dueOf({ id }: Person): Promise<number> {
  const [row] = await world.system.db.query<{ due: string | null }>({
    text: 'select digest_due as due from notification_preference where person_id = $1',
    values: [id],
  });
  return Date.parse(row?.due ?? '');
}
const send = (now = Date.now(), database: Database = world.database) =>
  sendDigests(database, { now, publicUrl: 'https://ops.example.com', log, links: openDigestLinks(world.masterKey, 'http://localhost') });
/** Waits until no mail is queued. */
const idle = () =>
  until(async () => {
    const [row] = await world.system.db.query<{ n: number }>({
      text: "select count(*)::int as n from job where name = 'send-mail' and dead_at is null",
    });
    return row?.n === 0;
  });
async function mailsTo({ userName }: Person): Promise<string[]> {
  await idle();
  return received.filter(({ to }) => to === userName).map(({ source }) => readable(source));
}
/** Subject and text of a mail as they were before their transport. */
function readable(source: string): string {
  const [head = '', ...parts] = source.replaceAll('\r\n', '\n').split(/\n\n/);
  const subject =
    /^Subject: (.*(?:\n[ \t].*)*)/m
      .exec(head)?.[1]
      ?.replaceAll(/\n[ \t]+/g, ' ')
      .replaceAll('?= =?', '?==?') ?? '';
  const words = subject.replaceAll(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_all, way: string, word: string) =>
    way.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : unquoted(word.replaceAll('_', ' ')),
  );
  const body = parts.join('\n\n').split('Content-Type: text/html')[0] ?? '';
  const [partHead = '', ...rest] = body.split('\n\n');
  const text = rest.join('\n\n');
  return `${words}\n\n${/base64/.test(partHead) ? Buffer.from(text.split('\n--')[0] ?? '', 'base64').toString() : unquoted(text)}`;
}
const unquoted = (text: string) =>
  Buffer.from(
    text.replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

it('names what is new by kind, with tenant, number, age and link, and how much is to do, in the language of the person', async () => {
  const greta = await person('Greta', { locale: { language: 'de', timeZone: 'Europe/Berlin' } });
  const mara = await person('Mara');
  for (const who of [greta, mara]) {
    const unit = await assign(who, 'Pump: silent');
    const noted = await assign(who, 'Old fan', otherId);
    await world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId: noted.id, detail: `Is it yours, @${who.userName}?` });
    await run("update inbox_item set due = due - interval '3 hours 5 minutes' where work_unit_id = $1", unit.id);
    await makeDue(who);
    await send();
    const [text, ...others] = await mailsTo(who);
    expect(others).toEqual([]);
    const link = (tenant: string, id: number) => `https://ops.example.com/${tenant}/workunitsv2?workUnitId=${id}`;
    const isGerman = who === greta;
    // By the person's zone and format: those of their language and region, otherwise the zone of the preferences.
    const moment = isGerman ? String.raw`\d\d\.\d\d\.\d{4}, \d\d:\d\d MES?Z` : String.raw`\d{4}-\d\d-\d\d \d\d:\d\d (?:CEST|CET|GMT\+[12])`;
    const ago = expect.stringMatching(`^${isGerman ? 'vor 3 Stunden' : '3 hours ago'}, ${moment}$`) as string;
    const now = expect.stringMatching(`^${isGerman ? 'vor 0 Minuten' : '0 minutes ago'}, ${moment}$`) as string;
    const blocks = (text ?? '').split('\n\n');
    expect(blocks[0]).toBe(isGerman ? '3 neue Einträge in Ihrem Posteingang' : '3 new entries in your inbox');
    expect(blocks.slice(2, 4).map((block) => block.split('\n').filter((line) => !line.startsWith('--')))).toEqual([
      [
        isGerman ? 'Ihnen zugewiesen' : 'Assigned to you',
        `#${noted.publicId}, Southwind: Old fan`,
        now,
        link(otherId, noted.id),
        `#${unit.publicId}, Northwind: Pump: silent`,
        ago,
        link(tenantId, unit.id),
      ],
      [isGerman ? 'Erwähnt Sie' : 'Mentions you', `#${noted.publicId}, Southwind: Old fan`, now, link(otherId, noted.id)],
    ]);
    expect(text).toContain(isGerman ? 'Jetzt zu tun: 2,' : 'To do now: 2,');
    expect(text).toContain(`https://ops.example.com/${otherId}/notifications`);
  }
});

it('comes once with three workers, and again only for what is new', async () => {
  const mara = await person('Mara');
  await assign(mara, 'First');
  await makeDue(mara);
  await Promise.all([send(), send(), send()]);
  await send();
  expect(await mailsTo(mara)).toHaveLength(1);
  await makeDue(mara);
  await send();
  expect(await mailsTo(mara)).toHaveLength(1);
  expect(await dueOf(mara)).toBeGreaterThan(Date.now());

  const second = await assign(mara, 'Second');
  await makeDue(mara);
  await send();
  const [, again] = await mailsTo(mara);
  expect(again).toContain('Second');
  expect(again).not.toContain('First');

  // One that was snoozed after the mail is new when it is back; one that was read is not.
  await run("update inbox_item set due = now() + interval '1 millisecond' where work_unit_id = $1", second.id);
  await makeDue(mara);
  await send(Date.now() + 1_000);
  expect(await mailsTo(mara)).toHaveLength(3);
  await assign(mara, 'Third');
  await run('update inbox_item set read_at = now() where person_id = $1', mara.id);
  await makeDue(mara);
  await send(Date.now() + 1_000);
  expect(await mailsTo(mara)).toHaveLength(3);
});

it('comes once after a process ended between the two writes', async () => {
  const mara = await person('Mara');
  await assign(mara, 'Pump is silent');
  await makeDue(mara);
  const before = await dueOf(mara);
  const all = world.database.scoped('all');
  const failing: Database = {
    ...world.database,
    scoped: (scope) => {
      const db = world.database.scoped(scope);
      return scope === 'all'
        ? {
            ...all,
            transaction: (work) =>
              all.transaction(async (tx) => {
                await work(tx);
                throw new Error('The process has ended.');
              }),
          }
        : db;
    },
  };
  await send(Date.now(), failing);
  expect(await mailsTo(mara)).toEqual([]);
  expect(await dueOf(mara)).toBe(before);
  await send();
  expect(await mailsTo(mara)).toHaveLength(1);
});

it('names only what the person may still view, and reaches nobody who may view nothing, is disabled or has no confirmed address', async () => {
  const [limited, none, disabled, unknown] = [
    await person('Limited'),
    await person('None'),
    await person('Disabled'),
    await person('Unknown', { isVerified: false }),
  ];
  for (const who of [limited, none, disabled, unknown]) {
    await assign(who, 'Visible');
    await assign(who, 'Secret', otherId);
    await makeDue(who);
  }
  // Still somebody of the tenant, who views other things there.
  const permit = (permissions: readonly string[]) =>
    run(
      'update permission_set s set permissions = $3::jsonb from access_grant g where g.permission_set_id = s.permission_set_id and g.person_id = $1 and g.tenant_id = $2',
      limited.id,
      otherId,
      JSON.stringify(permissions),
    );
  await permit([permission('Devices', 'view')]);
  await run('delete from access_grant where person_id = $1', none.id);
  await run('update person set enabled = false where person_id = $1', disabled.id);
  await send();
  const [text, ...others] = await mailsTo(limited);
  expect(text).toContain('Visible');
  expect(text).not.toMatch(/Secret|Southwind/);
  expect(text).toContain('1 new entry in your inbox');
  expect([...others, ...(await mailsTo(none)), ...(await mailsTo(disabled)), ...(await mailsTo(unknown))]).toEqual([]);
  for (const who of [limited, none, disabled, unknown]) expect(await dueOf(who)).toBeGreaterThan(Date.now());
  // What was not named is still new when the person may view it again.
  await permit(rights);
  await makeDue(limited);
  await send();
  expect((await mailsTo(limited))[1]).toContain('Secret');
});

it('does not name the units of a disabled tenant', async () => {
  const { tenantId: closed } = await world.tenant('Closed');
  const mara = await person('Mara', { tenants: [tenantId, closed] });
  await assign(mara, 'Pump of the closed', closed, holder([closed]));
  await run('update tenant set enabled = false where tenant_id = $1', closed);
  await makeDue(mara);
  await send();
  expect(await mailsTo(mara)).toEqual([]);
});

it('waits for the end of quiet hours, also when something else is changed meanwhile', async () => {
  const quietHours = [{ days: [0, 1, 2, 3, 4, 5, 6], from: '06:00', to: '10:00' }];
  const eve = await person('Eve', {}, { quietHours });
  await assign(eve, 'Pump is silent');
  const due = await dueOf(eve);
  await send(due);
  expect(await mailsTo(eve)).toEqual([]);
  expect(await dueOf(eve)).toBe(due + 2 * 3_600_000);
  await eve.choose({ quietHours, urgent: [] });
  await send(due + 2 * 3_600_000 - 1);
  expect(await mailsTo(eve)).toEqual([]);
  await send(due + 2 * 3_600_000);
  expect(await mailsTo(eve)).toHaveLength(1);
  // The next one is at the hour that was chosen, on the next day.
  const next = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' }).format(await dueOf(eve));
  expect(next).toBe('08:00');
});

it('is off until it is chosen, kept by clients that do not know it, recorded, and ended', async () => {
  const off = await person('Off', {}, { digest: undefined });
  expect((await off.choose({})).body).toMatchObject({ digest: null, emailVerified: true });
  expect(await dueOf(off)).toBeNaN();

  const ana = await person('Ana', { isVerified: false }, { digest: { day: 1, hour: 7 } });
  const monday = await dueOf(ana);
  expect(new Date(monday).getUTCDay()).toBe(1);
  expect((await ana.choose({})).body).toMatchObject({ digest: { day: 1, hour: 7 }, emailVerified: false });
  expect(await dueOf(ana)).toBe(monday);
  await ana.choose({ timeZone: 'Asia/Tokyo' });
  expect(await dueOf(ana)).not.toBe(monday);
  const refused = await ana.choose({ digest: { day: 7, hour: 24 } });
  expect(refused.status).toBe(400);
  await ana.choose({ digest: null });
  expect(await dueOf(ana)).toBeNaN();
  const [entry] = await world.system.db.query<{ before: string; after: string }>({
    text: `select before->>'digest' as before, after->>'digest' as after from audit
      where entity = 'notificationPreferences' and entity_id = $1 order by at desc, audit_id desc limit 1`,
    values: [ana.id],
  });
  expect(entry).toEqual({ before: '{"day": 1, "hour": 7}', after: null });
});

it('is kept in the outbox, for nobody of one tenant, until there is a mail server', async () => {
  const mara = await person('Mara');
  await assign(mara, 'Pump is silent');
  await makeDue(mara);
  withMail = false;
  await send();
  expect(await mailsTo(mara)).toEqual([]);
  const inOutbox = await world.system.db.query<{ tenant_id: string | null; recipients: string }>({
    text: 'select tenant_id, recipients from outbox_message where recipients = $1',
    values: [mara.userName],
  });
  expect(inOutbox).toEqual([{ tenant_id: null, recipients: mara.userName }]);
  expect((await world.call(me, 'GET', '/v1/outboxMessages')).body.value).toEqual([]);
  withMail = true;
  await releaseOutboxMails(world.system.db);
  expect(await mailsTo(mara)).toHaveLength(1);
});

it('ends by one POST of the link in the mail (RFC 8058), also for the mails that wait already', async () => {
  const [ana, bea] = [await person('Ana'), await person('Bea')];
  const next = async (who: Person) => {
    await assign(who, 'Pump is silent');
    await makeDue(who);
    await send();
  };
  await next(ana);
  await idle();
  const [source = ''] = received.filter(({ to }) => to === ana.userName).map((mail) => mail.source);
  const head = source.replaceAll(/\r?\n[ \t]+/g, ' ');
  const { pathname } = new URL(/^List-Unsubscribe: <(.*)>/m.exec(head)?.[1] ?? '');
  expect(head).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  withMail = false;
  await next(ana);
  await next(bea);
  await idle();
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const question = await world.call(null, 'GET', pathname, undefined, { 'accept-language': 'de' });
  expect([question.status, question.text]).toEqual([
    200,
    expect.stringContaining('Die Zusammenfassung Ihres Posteingangs per Mail beenden?'),
  ]);
  expect(await dueOf(ana)).toBeGreaterThan(0);
  expect((await world.call(null, 'POST', `${pathname}x`, 'List-Unsubscribe=One-Click', form)).status).toBe(404);
  for (const attempt of [1, 2])
    expect([attempt, (await world.call(null, 'POST', pathname, 'List-Unsubscribe=One-Click', form)).status]).toEqual([attempt, 200]);
  expect(await dueOf(ana)).toBeNaN();
  expect(await dueOf(bea)).toBeGreaterThan(0);
  const audits = await world.system.db.query({
    text: "select distinct actor_name, before->>'digest' as before from audit where entity = 'notificationPreferences' and entity_id = $1 and verb = 'unsubscribe'",
    values: [ana.id],
  });
  expect(audits).toEqual([{ actor_name: 'Receiver', before: '{"day": null, "hour": 8}' }]);
  withMail = true;
  await releaseOutboxMails(world.system.db);
  expect([(await mailsTo(ana)).length, (await mailsTo(bea)).length]).toEqual([1, 1]);
  await ana.choose({ digest: { day: null, hour: 9 } });
  await next(ana);
  expect(await mailsTo(ana)).toHaveLength(2);
});
