/**
 * Invitations: a real mail whose link gives an account and a grant, once; an invitation gives no permissions that its sender
 * lacks.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemCtx } from '../../auth/system-ctx.ts';
import { mountProvider, type MountedProvider } from '../../auth/provider/mount.ts';
import { ensureShippedSets, shippedSets } from '../../auth/shipped.ts';
import { acceptInvitation, findInvitation } from '../../auth/sign-in/invitation.ts';
import { sendMailJob } from '../../automation/send-mail.job.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker, type Worker } from '../../jobs/worker.ts';
import { openMail, type Mail } from '../../outbound/mail.ts';
import { until } from '../../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

const log = pino({ level: 'silent' });
const password = 'violet tractor lantern';

let world: TestWorld;
let tenantId: string;
let provider: MountedProvider;
let idp: Server;
let smtp: SMTPServer;
let mail: Mail;
let worker: Worker;
let root = '';
const received: { to: string[]; source: string }[] = [];

beforeAll(async () => {
  world = await createWorld();
  await ensureShippedSets(world.system.db);
  ({ tenantId } = await world.tenant('Harbour'));
  smtp = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        received.push({ to: session.envelope.rcptTo.map((item) => item.address), source });
        done(null, 'Taken');
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`, from: 'CloudFit <ops@example.com>' });
  worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log,
    jobs: jobRegistry([sendMailJob(mail, 'http://localhost', () => Promise.resolve(false))]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
  });
  idp = createServer((req, res) => provider.handler(req, res));
  await new Promise<void>((resolve) => idp.listen(0, '127.0.0.1', resolve));
  root = `http://localhost:${(idp.address() as AddressInfo).port}`;
  provider = await mountProvider({
    database: world.database,
    masterKey: world.masterKey,
    log,
    publicUrl: root,
    audience: 'cloudfit',
    clientId: 'cloudfit-portal',
    queueMail: () => Promise.resolve(),
  });
});
afterAll(async () => {
  await worker.stop();
  mail.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await provider.close();
  idp.closeAllConnections();
  idp.close();
  await world.close();
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** A caller with a row in `person`, whose permissions are checked again when an invitation is accepted. */
async function inviter(tenants: readonly string[] = [tenantId]): Promise<{ caller: TestCaller; personId: string }> {
  const [row] = await rows<{ person_id: string }>(
    `with p as (insert into person (name, user_name) values ('Ada', gen_random_uuid()::text || '@example.com') returning person_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, $1, unnest($2::uuid[]) from p)
      select person_id from p`,
    shippedSets.administrator.id,
    tenants,
  );
  const personId = row?.person_id ?? '';
  return { personId, caller: { ...holder(tenants), actor: { kind: 'person', id: personId, name: 'Ada', userName: 'ada@example.com' } } };
}

const invite = (caller: TestCaller, email: string, more: object = {}) =>
  world.call(caller, 'POST', '/v1/people/invite', { email, name: 'Carl', permissionSetId: shippedSets.reader.id, tenantId, ...more });

/** The path of the link in the mail to this address. */
const linkTo = (email: string) =>
  until(() => {
    const source = received.find((item) => item.to.includes(email))?.source.replaceAll('=\r\n', '');
    return Promise.resolve(/http:\/\/localhost(\/idp\/invitation\/[\w-]+)/.exec(source ?? '')?.[1]);
  });

const send = (path: string, fields: Record<string, string>) =>
  fetch(`${root}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });

const grantsOf = (email: string) =>
  rows<{ set: string; tenant_id: string | null }>(
    `select s.name as set, g.tenant_id from access_grant g join person p using (person_id) join permission_set s using (permission_set_id) where p.user_name = $1`,
    email,
  );

describe('an invitation', () => {
  it('is in the language of the call, where the person who invites has chosen none', async () => {
    const { caller } = await inviter();
    await world.call(
      caller,
      'POST',
      '/v1/people/invite',
      { email: 'joerg@example.com', name: 'Jörg', permissionSetId: shippedSets.reader.id, tenantId },
      { 'accept-language': 'de' },
    );
    await linkTo('joerg@example.com');
    expect(received.find((item) => item.to.includes('joerg@example.com'))?.source).toContain('Dieser Link gilt einmal');
  });
  it('without a mail server gives its link once to those who may invite in all tenants, and proves no address', async () => {
    const without = await createWorld({ mailServerIsSet: false });
    try {
      await ensureShippedSets(without.system.db);
      const { tenantId: id } = await without.tenant();
      const [row] = await without.system.db.query<{ person_id: string }>({
        text: `with p as (insert into person (name, user_name) values ('Root', 'root@example.com') returning person_id),
          g as (insert into access_grant (person_id, permission_set_id) select person_id, $1 from p) select person_id from p`,
        values: [shippedSets.administrator.id],
      });
      const everywhere: TestCaller = {
        ...holder('all'),
        actor: { kind: 'person', id: row?.person_id ?? '', name: 'Root', userName: 'root@example.com' },
      };
      const ask = (who: TestCaller) =>
        without.call(who, 'POST', '/v1/people/invite', {
          email: 'dana@example.com',
          name: 'Dana',
          permissionSetId: shippedSets.reader.id,
          tenantId: id,
        });
      const refused = await ask(holder([id]));
      expect([refused.status, refused.body['error']]).toEqual([
        409,
        expect.objectContaining({ message: expect.stringMatching(/^No mail server is set/) }),
      ]);
      const { body: state } = await without.call(everywhere, 'GET', '/v1/invitations/state');
      expect(state).toEqual({ problem: null, byLink: true });
      const answer = await ask(everywhere);
      const token = /\/idp\/invitation\/([\w-]+)$/.exec(String(answer.body['link']))?.[1] ?? '';
      expect(String(answer.headers['cache-control'])).toContain('no-store');
      const { db } = without.system;
      const invitation = await findInvitation(db, token);
      expect(invitation).toMatchObject({ email: 'dana@example.com', byLink: true });
      if (!invitation) return;
      expect(await acceptInvitation(db, invitation, 'hash', undefined)).toBe(true);
      expect(await db.query({ text: `select email_verified from person where user_name = 'dana@example.com'` })).toEqual([
        { email_verified: false },
      ]);
      expect(await db.query({ text: `select verb from audit where entity = 'invitations' order by audit_id` })).toEqual([
        { verb: 'create' },
        { verb: 'readInvitationLink' },
        { verb: 'accept' },
      ]);
    } finally {
      await without.close();
    }
  });

  it('arrives by mail, and its link makes an account with the grant once, all of it audited', async () => {
    const { caller } = await inviter();
    const answer = await invite(caller, 'carl@example.com');
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/token|hash/i);
    expect(await grantsOf('carl@example.com')).toEqual([]);
    const link = await linkTo('carl@example.com');
    const shown = await (await fetch(`${root}${link}`)).text();
    expect(shown).toMatch(/Harbour/);
    expect(shown).toContain('Reader');
    expect((await send(link, { password: 'short', repeated: 'short' })).status).toBe(422);
    expect((await send(link, { password, repeated: `${password}.` })).status).toBe(422);
    const accepted = await send(link, { password, repeated: password });
    expect([accepted.status, accepted.headers.get('location')]).toEqual([303, `${root}/user/login`]);
    expect(await grantsOf('carl@example.com')).toEqual([{ set: 'Reader', tenant_id: tenantId }]);
    const [person] = await rows<{ email_verified: boolean; has: boolean }>(
      `select email_verified, exists (select from sign_in_password w where w.person_id = p.person_id) as has from person p where user_name = $1`,
      'carl@example.com',
    );
    expect(person).toEqual({ email_verified: true, has: true });
    expect((await fetch(`${root}${link}`)).status).toBe(410);
    expect((await send(link, { password, repeated: password })).status).toBe(410);
    const verbs = await rows<{ entity: string; verb: string }>(
      `select entity, verb from audit where tenant_id = $1 and (actor_name = 'carl@example.com' or after->>'email' = 'carl@example.com') order by audit_id`,
      tenantId,
    );
    expect(verbs.map(({ entity, verb }) => `${verb} ${entity}`)).toEqual([
      'create invitations',
      'create people',
      'accept invitations',
      'create grants',
    ]);
    // Pages that show these lists are told to read them again.
    const changes = await rows<{ entity: string }>(
      `select c.entity from change c join audit a on a.correlation_id = c.correlation_id and a.entity = c.entity where a.tenant_id = $1 and a.actor_name = 'carl@example.com'`,
      tenantId,
    );
    expect(new Set(changes.map(({ entity }) => entity))).toEqual(new Set(['people', 'invitations', 'grants']));
    const [listed] = (await world.call(caller, 'GET', "/v1/invitations?$filter=email eq 'carl@example.com'")).body.value ?? [];
    expect(listed).toMatchObject({ invitedBy: 'ada@example.com', acceptedOn: expect.any(String) });
    expect((await world.call(caller, 'DELETE', `/v1/invitations/${String(listed?.['invitationId'])}`)).status).toBe(400);
  });

  it('answers the same for an address with an account, who accepts without a new password', async () => {
    const { caller } = await inviter();
    const elsewhere = await world.tenant();
    await rows(
      `with p as (insert into person (name, user_name, email) values ('Dora', 'dora@example.com', 'dora@example.com') returning person_id)
       insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, $1, $2 from p`,
      shippedSets.administrator.id,
      elsewhere.tenantId,
    );
    const [withAccount, withoutAccount] = [await invite(caller, 'dora@example.com'), await invite(caller, 'nobody@example.com')];
    expect([withAccount.status, Object.keys(withAccount.body)]).toEqual([withoutAccount.status, Object.keys(withoutAccount.body)]);
    expect((await world.call(caller, 'GET', "/v1/people?$filter=name eq 'Dora'")).body.value).toEqual([]);
    const link = await linkTo('dora@example.com');
    expect(await (await fetch(`${root}${link}`)).text()).not.toContain('type="password"');
    expect((await send(link, { password, repeated: password })).status).toBe(303);
    expect(await grantsOf('dora@example.com')).toContainEqual({ set: 'Reader', tenant_id: tenantId });
    expect(await rows(`select 1 from sign_in_password join person using (person_id) where user_name = 'dora@example.com'`)).toEqual([]);
  });

  it('ends when it is withdrawn, when it expires, and when who sent it may not invite any more', async () => {
    const { caller, personId } = await inviter();
    for (const [email, end] of [
      ['eva@example.com', (id: string) => world.call(caller, 'DELETE', `/v1/invitations/${id}`)],
      [
        'finn@example.com',
        (id: string) => rows("update invitation set expires_on = now() - interval '1 second' where invitation_id = $1", id),
      ],
      ['gina@example.com', () => rows('update person set enabled = false where person_id = $1', personId)],
    ] as const) {
      const { body } = await invite(caller, email);
      const link = await linkTo(email);
      expect((await fetch(`${root}${link}`)).status).toBe(200);
      await end(String(body['invitationId']));
      expect([email, (await fetch(`${root}${link}`)).status]).toEqual([email, 410]);
      expect((await send(link, { password, repeated: password })).status).toBe(410);
      expect(await grantsOf(email)).toEqual([]);
    }
  });

  it('can be sent here, which is said before to those who may invite', async () => {
    const { caller } = await inviter();
    expect((await world.call(caller, 'GET', '/v1/invitations/state')).body).toEqual({ problem: null, byLink: false });
    expect((await world.call(holder([tenantId], ['CloudFit.CFS.People:view']), 'GET', '/v1/invitations/state')).status).toBe(403);
  });

  it('gives several permission sets in several tenants by one link, of which each can be withdrawn', async () => {
    const [other, third] = [await world.tenant('Quay'), await world.tenant('Pier')];
    const { caller } = await inviter([tenantId, other.tenantId, third.tenantId]);
    const { reader, operator, serviceDesk } = shippedSets;
    const also = [
      { permissionSetId: operator.id, tenantId },
      { permissionSetId: operator.id, tenantId: other.tenantId },
      { permissionSetId: serviceDesk.id, tenantId: third.tenantId },
    ];
    const sent = await invite(caller, 'many@example.com', { permissionSetId: reader.id, also });
    expect([sent.status, sent.body['error']]).toEqual([200, undefined]);
    const token = (await linkTo('many@example.com'))?.split('/').at(-1) ?? '';
    expect(received.filter(({ to }) => to.includes('many@example.com'))).toHaveLength(1);
    const [withdrawn] = await world.system.db.query<{ id: string }>({
      text: "select invitation_id as id from invitation where email = 'many@example.com' and tenant_id = $1",
      values: [third.tenantId],
    });
    expect((await world.call(caller, 'DELETE', `/v1/invitations/${withdrawn?.id}`)).status).toBeLessThan(300);
    const open = await findInvitation(world.system.db, token);
    expect(open?.others.map(({ tenantName, permissionSet }) => [tenantName, permissionSet])).toEqual([
      ['Harbour', 'Operator'],
      ['Quay', 'Operator'],
    ]);
    if (!open) throw new Error('The link is not open.');
    expect(await acceptInvitation(world.system.db, open, 'hash', undefined)).toBe(true);
    const granted = await world.system.db.query<{ place: string }>({
      text: `select t.name || ' ' || s.name as place from access_grant g join person p using (person_id) join tenant t on t.tenant_id = g.tenant_id
        join permission_set s using (permission_set_id) where p.user_name = 'many@example.com' order by 1`,
    });
    expect(granted.map(({ place }) => place)).toEqual(['Harbour Operator', 'Harbour Reader', 'Quay Operator']);
    expect(await findInvitation(world.system.db, token)).toBeUndefined();
    expect(await acceptInvitation(world.system.db, open, 'hash', undefined)).toBe(false);
    // All of it, or nothing: a place that the caller may not give refuses the whole.
    const beyond = await invite(caller, 'nothing@example.com', {
      also: [{ permissionSetId: reader.id, tenantId: (await world.tenant()).tenantId }],
    });
    expect(beyond.status).toBe(400);
    expect(await world.system.db.query({ text: "select 1 from invitation where email = 'nothing@example.com'" })).toEqual([]);
  });

  it('gives a set in all tenants except some: in those that the caller sees and are open', async () => {
    const [first, second, third, closed] = [
      await world.tenant('Lock'),
      await world.tenant('Mole'),
      await world.tenant('Slip'),
      await world.tenant('Wharf'),
    ];
    await world.system.db.query({ text: 'update tenant set enabled = false where tenant_id = $1', values: [closed.tenantId] });
    const ids = [first, second, third, closed].map((place) => place.tenantId);
    const { caller } = await inviter(ids);
    const { reader, operator } = shippedSets;
    const place = { permissionSetId: reader.id, tenantId: null, except: [second.tenantId] };
    const sent = await invite(caller, 'rest@example.com', {
      ...place,
      also: [{ permissionSetId: operator.id, tenantId: first.tenantId }, place],
    });
    expect([sent.status, sent.body['error']]).toEqual([200, undefined]);
    const rows = await world.system.db.query<{ place: string }>({
      text: "select t.name || ' ' || s.name as place from invitation i join tenant t using (tenant_id) join permission_set s using (permission_set_id) where email = 'rest@example.com' order by 1",
    });
    expect(rows.map((row) => row.place)).toEqual(['Lock Operator', 'Lock Reader', 'Slip Reader']);
    const refused = async (over: object) => (await invite(caller, 'none@example.com', { ...place, ...over })).text;
    expect(await refused({ except: ids })).toContain('No tenant is left.');
    expect(await refused({ except: [(await world.tenant()).tenantId] })).toContain('Tenant was not found.');
    expect(await refused({ tenantId: first.tenantId })).toContain('from all tenants only');
  });

  it('is refused for permissions that the caller does not hold, a second time, and for no address', async () => {
    const few = holder([tenantId], ['CloudFit.CFS.People:create', 'CloudFit.CFS.People:view']);
    const beyond = await invite(few, 'hugo@example.com');
    expect([beyond.status, beyond.text]).toEqual([400, expect.stringContaining('You cannot give permissions that you do not hold')]);
    const { caller } = await inviter();
    expect((await invite(caller, 'hugo@example.com', { tenantId: null })).status).toBe(403);
    expect((await invite(caller, 'hugo@example.com', { tenantId: (await world.tenant()).tenantId })).status).toBe(400);
    expect((await invite(caller, 'hugo@example.com, x@example.com')).text).toContain('one email address');
    expect((await invite(caller, 'hugo@example.com')).status).toBe(200);
    expect((await invite(caller, 'Hugo@example.com')).text).toContain('is invited already');
    expect((await invite(holder([tenantId], ['CloudFit.CFS.People:view']), 'ida@example.com')).status).toBe(403);
  });

  it('carries no text of its sender but a name', async () => {
    const { caller } = await inviter();
    for (const name of [
      'line1\nPlease pay at http://evil.example now',
      'pay.evil.example',
      'see evil.example/now',
      'WWW.evil',
      'a@b',
      'x\u202Ey',
    ])
      expect([name, (await invite(caller, 'kim@example.com', { name })).status]).toEqual([name, 400]);
    for (const [n, name] of ['Dr. Ada M. King-Noel', "Séan O'Neil", 'J.Smith', '李 明'].entries())
      expect([name, (await invite(caller, `named${n}@example.com`, { name })).status]).toEqual([name, 200]);
  });

  it('is sent a hundred times a day at most, by one person and into one tenant', async () => {
    const { caller } = await inviter();
    await world.system.db.query({
      text: `insert into invitation (email, name, tenant_id, permission_set_id, token_hash, invited_by, invited_by_kind, invited_by_id, expires_on, accepted_on)
        select 'many' || n || '@example.com', 'Many', $1, $2, sha256(n::text::bytea), 'test', 'person', gen_random_uuid(), now() + interval '1 day', now() from generate_series(1, 100) n`,
      values: [tenantId, shippedSets.reader.id],
    });
    const refused = await invite(caller, 'more@example.com');
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Invite further people tomorrow.')]);
    await world.system.db.query({ text: "update invitation set created = created - interval '25 hours' where name = 'Many'" });
    expect((await invite(caller, 'more@example.com')).status).toBe(200);
  });
});
