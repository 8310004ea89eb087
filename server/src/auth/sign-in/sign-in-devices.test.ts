/** The browsers of a person: their cookie, their names, and the mail about a new one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailTexts } from '@cloudfit/contract/messages/mails.en.ts';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { describeBrowser, deviceCookie, deviceOf, isKnownDevice, rememberDevice, type SignInMail } from './sign-in-devices.ts';

const device = () => randomBytes(32).toString('base64url');

describe('the cookie of a browser', () => {
  it('is read where it has our form', () => {
    const value = device();
    expect(deviceOf(`a=1; cf_device=${value} ;b=2`, 'cf_device')).toBe(value);
    expect(deviceOf(`cf_device=${value}`, 'cf_device')).toBe(value);
    const others = [
      undefined,
      '',
      `x${value}`,
      `cf_device=${value}x`,
      `cf_device=${value.slice(1)}`,
      `not_cf_device=${value}`,
      'cf_device=',
    ];
    for (const cookies of others) expect(deviceOf(cookies, 'cf_device')).toBeUndefined();
  });

  it('is for the pages of the sign-in alone, and over TLS where there is', () => {
    const text = 'cf_device=abc; Path=/idp; Max-Age=31536000; HttpOnly; SameSite=Lax';
    expect([deviceCookie('cf_device', 'abc', false), deviceCookie('cf_device', 'abc', true)]).toEqual([text, `${text}; Secure`]);
  });
});

describe('the name of a browser', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 (KHTML) Chrome/140 Safari/537 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 (KHTML) Chrome/140 Safari/537', 'Chrome on Windows'],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 Chrome/140 Mobile Safari/537', 'Chrome on Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19 like Mac OS X) AppleWebKit/605 Version/19 Safari/604', 'Safari on iOS'],
    ['Mozilla/5.0 (iPad; CPU OS 19 like Mac OS X) AppleWebKit/605 Version/19 Safari/604', 'Safari on iOS'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15) AppleWebKit/605 Version/19 Safari/605', 'Safari on macOS'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['Firefox/140.0', 'Firefox'],
    ['curl/8 (Linux)', undefined],
    [undefined, undefined],
  ])('%s: %s', (userAgent, expected) => {
    expect(describeBrowser(userAgent, mailTexts.signIn)).toBe(expected);
  });
});

describe('a browser that signed in', () => {
  let test: TestDatabase;
  let database: Database;
  let db: Db;
  let tenants: string[];
  beforeAll(async () => {
    test = await testDatabase();
    database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
    db = database.scoped('all');
    tenants = [];
    for (let i = 0; i < 2; i++)
      tenants.push(
        await idOf(
          "insert into tenant (name, created) values (gen_random_uuid()::text, now() + $1 * interval '1 s') returning tenant_id as id",
          i,
        ),
      );
  });
  afterAll(async () => {
    await database.close();
    await test.close();
  });

  const idOf = async (text: string, ...values: unknown[]) => (await db.query<{ id: string }>({ text, values }))[0]?.id ?? '';

  async function person({ email = 'vera@example.org' as string | null, verified = true, tenantId = null as string | null } = {}) {
    const userName = `${randomUUID()}@example.org`;
    const id = await idOf(
      "insert into person (name, user_name, email, email_verified) values ('Vera', $1, $2, $3) returning person_id as id",
      userName,
      email,
      verified,
    );
    const set = await idOf(
      "insert into permission_set (name, permissions) values (gen_random_uuid()::text, '[]') returning permission_set_id as id",
    );
    await db.query({
      text: 'insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)',
      values: [id, set, tenantId],
    });
    return { id, userName };
  }

  async function signIn(personId: string, options: { device?: string; address?: string; userAgent?: string } = {}) {
    const mails: SignInMail[] = [];
    const { device, address, userAgent } = options;
    const origin = { queueMail: (_: Db, mail: SignInMail) => Promise.resolve(void mails.push(mail)), address, device, userAgent };
    return { device: await rememberDevice(db, personId, origin), mails };
  }

  it('is known for this person alone, by the name in any case', async () => {
    const [vera, otto] = [await person(), await person()];
    const { device: browser } = await signIn(vera.id);
    const isTheirs = (userName: string, of = browser) => isKnownDevice(db, of, userName);
    expect([await isTheirs(vera.userName), await isTheirs(` ${vera.userName.toUpperCase()} `)]).toEqual([true, true]);
    expect([await isTheirs(otto.userName), await isTheirs(vera.userName, device())]).toEqual([false, false]);
    expect((await signIn(vera.id, { device: browser })).device).toBe(browser);
  });

  it('leads to a mail when it is new and not the first', async () => {
    const { id } = await person({ tenantId: tenants[1] ?? '' });
    const first = await signIn(id);
    expect(first.mails).toEqual([]);
    expect((await signIn(id, { device: first.device })).mails).toEqual([]);
    const second = await signIn(id, { address: '192.0.2.1', userAgent: 'Firefox/140 (Windows)' });
    expect(second.mails).toMatchObject([
      { tenantId: tenants[1], to: 'vera@example.org', subject: 'A new sign-in to CloudFit', link: '/idp/account' },
    ]);
    expect(second.mails[0]?.text).toMatch(
      /^Vera, somebody .*\n\nWhen: \d{4}-\d\d-\d\d \d\d:\d\d UTC\nFrom: 192\.0\.2\.1\nWith: Firefox on Windows\n\n/,
    );
    expect((await signIn(id)).mails[0]?.text).toContain('From: an unknown address\nWith: an unknown browser');
  });

  it('leads to none where browser and network are known, and to one where either is new', async () => {
    const { id } = await person();
    const { device: browser } = await signIn(id, { address: '192.0.2.1' });
    const mailsOf = async (address: string, device?: string) => (await signIn(id, { address, ...(device ? { device } : {}) })).mails.length;
    expect([await mailsOf('198.51.100.1', browser), await mailsOf('198.51.100.2', browser), await mailsOf('192.0.2.9', browser)]).toEqual([
      1, 0, 0,
    ]);
    expect([await mailsOf('192.0.2.9'), await mailsOf('203.0.113.1')]).toEqual([1, 1]);
    const [network] = (await signIn(id, { device: browser, address: '233.252.0.1' })).mails;
    expect(network?.text).toContain('from a network that you have not used before');
    const other = await person();
    expect((await signIn(other.id, { device: browser, address: '192.0.2.1' })).mails).toEqual([]);
  });

  it('of a person with all tenants leads to a mail of the installation', async () => {
    const { id } = await person();
    await signIn(id);
    expect((await signIn(id)).mails).toMatchObject([{ tenantId: null }]);
  });

  it('leads to none where the address is not verified or missing', async () => {
    for (const options of [{ verified: false }, { email: null }]) {
      const { id } = await person(options);
      await signIn(id);
      expect((await signIn(id)).mails).toEqual([]);
    }
  });
});
