/** The pages behind the links of a mail: to choose a password, and to accept an invitation; without a browser. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { createInvitationToken } from '../sign-in/invitation.ts';
import { createOneTimeLink } from '../sign-in/one-time-link.ts';
import { verifyPassword } from '../sign-in/passwords.ts';
import { invitationPage } from './invitation-page.ts';
import { setPasswordPage } from './set-password-page.ts';
import type { PageContext } from './interaction.ts';

const publicUrl = 'https://ops.example.org';
const password = 'violet tractor lantern';
let test: TestDatabase;
let database: Database;
let db: Db;
let host: string;

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
const idOf = async (text: string, ...values: unknown[]) => (await db.query<{ id: string }>({ text, values }))[0]?.id ?? '';
const person = (userName: string) => idOf("insert into person (name, user_name) values ('Vera', $1) returning person_id as id", userName);

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
  host = await person('host@example.org');
  await rows(
    `with s as (insert into permission_set (name, permissions) values ('Hosts', '["CloudFit.CFS.People:create"]') returning permission_set_id)
      insert into access_grant (person_id, permission_set_id) select $1, permission_set_id from s`,
    host,
  );
});
afterAll(async () => {
  await database.close();
  await test.close();
});

type LinkPage = (
  context: PageContext,
  token: string,
  req: IncomingMessage,
  res: ServerResponse,
  address: string | undefined,
) => Promise<void>;

async function ask(page: LinkPage, token: string, form?: Record<string, string>, type = 'application/x-www-form-urlencoded') {
  const body = form && new URLSearchParams(form).toString();
  const req = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(body)]), {
    method: form ? 'POST' : 'GET',
    headers: { 'content-type': type },
  }) as unknown as IncomingMessage;
  const answer = { status: 0, headers: {} as Record<string, string>, text: '' };
  const res = {
    writeHead: (status: number, headers: Record<string, string>) => Object.assign(answer, { status, headers }),
    end: (text: string) => (answer.text = text),
  } as unknown as ServerResponse;
  await page({ db, publicUrl } as unknown as PageContext, token, req, res, '192.0.2.7');
  const { status, headers, text } = answer;
  return {
    status,
    text: text.replaceAll(/\s+/g, ' '),
    location: headers['location'],
    alert: /role="alert">([^<]+)</.exec(text)?.[1],
    marked: text.match(/aria-invalid="true"/g)?.length ?? 0,
  };
}
const wrongPasswords = [
  [{ password: 'short', repeated: 'short' }, 'Use at least 12 characters. A few unrelated words are easy to remember and hard to guess.'],
  [{ password, repeated: `${password}s` }, 'The two passwords are not the same.'],
  [{}, 'Use at least 12 characters. A few unrelated words are easy to remember and hard to guess.'],
] as const;

describe('a link to choose a password', () => {
  let userName: string;
  let token: string;
  beforeEach(async () => {
    userName = `${randomUUID()}@example.org`;
    token = (await createOneTimeLink(db, await person(userName), publicUrl)).split('/').at(-1) ?? '';
  });

  it('shows whose it is, and what is wrong with a password', async () => {
    const { status, text, alert, marked } = await ask(setPasswordPage, token);
    expect([status, alert, marked, text.includes(`For ${userName}.`)]).toEqual([200, undefined, 0, true]);
    expect(text).toContain(`name="userName" value="${userName}"`);
    for (const [form, why] of wrongPasswords)
      expect(await ask(setPasswordPage, token, form)).toMatchObject({ status: 422, alert: why, marked: 2 });
    expect((await ask(setPasswordPage, token, { password, repeated: password }, 'text/plain')).status).toBe(422);
    expect((await ask(setPasswordPage, token, { password: userName, repeated: userName })).alert).toBe(
      'Do not use your user name as the password.',
    );
  });

  it('is used once by two forms of the same moment', async () => {
    const both = await Promise.all([1, 2].map(() => ask(setPasswordPage, token, { password, repeated: password })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 410]);
  });

  it('sets a good one, once, which is audited with the address', async () => {
    expect(await ask(setPasswordPage, token, { password, repeated: password })).toMatchObject({
      status: 303,
      location: `${publicUrl}/user/login`,
    });
    const owner = await verifyPassword(db, userName, password);
    expect(owner).toMatchObject({ userName });
    for (const form of [undefined, { password, repeated: password }])
      expect(await ask(setPasswordPage, token, form)).toMatchObject({
        status: 410,
        text: expect.stringContaining('This link is no longer good') as string,
      });
    expect(await rows('select verb, address from audit where entity_id = $1', owner?.personId)).toEqual([
      { verb: 'set-password', address: '192.0.2.7' },
    ]);
  });
});

describe('the link of an invitation', () => {
  let email: string;
  let token: string;
  let tenantId: string | null;
  beforeEach(async () => {
    email = `${randomUUID()}@example.org`;
    tenantId = await idOf('insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id as id');
    token = await invite(tenantId);
  });
  async function invite(at: string | null): Promise<string> {
    const created = createInvitationToken();
    await rows(
      `insert into invitation (tenant_id, email, name, permission_set_id, invited_by, invited_by_kind, invited_by_id, token_hash, expires_on)
        select $1, $2, 'Gus', permission_set_id, 'Host', 'person', $3, $4, now() + interval '1 hour' from permission_set where name = 'Hosts'`,
      at,
      email,
      host,
      created.hash,
    );
    return created.token;
  }
  const accepted = { status: 303, location: `${publicUrl}/user/login` };
  const grants = () => rows('select g.tenant_id from access_grant g join person using (person_id) where user_name = $1', email);

  it('asks who has no account for a password, and makes the account', async () => {
    const name = await idOf('select name as id from tenant where tenant_id = $1', tenantId);
    const { status, text, marked } = await ask(invitationPage, token);
    expect([status, marked, text.includes(`Gus, Host gives you access to ${name} as Hosts.`)]).toEqual([200, 0, true]);
    expect(text).toContain(`Choose a password for ${email}.`);
    for (const [form, why] of wrongPasswords)
      expect(await ask(invitationPage, token, form)).toMatchObject({ status: 422, alert: why, marked: 2 });
    expect((await ask(invitationPage, token, { password: email, repeated: email })).status).toBe(422);
    expect((await ask(invitationPage, token, { password, repeated: password }, 'text/plain')).status).toBe(422);
    expect(await ask(invitationPage, token, { password, repeated: password })).toMatchObject(accepted);
    expect(await verifyPassword(db, email, password)).toMatchObject({ name: 'Gus', enabled: true });
    expect(await grants()).toEqual([{ tenant_id: tenantId }]);
    for (const form of [undefined, { password, repeated: password }])
      expect(await ask(invitationPage, token, form)).toMatchObject({
        status: 410,
        text: expect.stringContaining('This invitation is no longer good') as string,
      });
  });

  it('is accepted once by two forms of the same moment', async () => {
    const both = await Promise.all([1, 2].map(() => ask(invitationPage, token, { password, repeated: password })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 410]);
  });

  it('asks who has an account for nothing but to accept', async () => {
    await person(email);
    token = await invite(null);
    const { text } = await ask(invitationPage, token);
    expect(text).toContain('gives you access to all tenants as Hosts.');
    expect(text).toContain(`You have an account already and sign in as ${email}.`);
    expect(text).not.toContain('type="password"');
    expect(await ask(invitationPage, token, {})).toMatchObject(accepted);
    expect(await grants()).toEqual([{ tenant_id: null }]);
    expect(await verifyPassword(db, email, password)).toBeUndefined();
  });
});
