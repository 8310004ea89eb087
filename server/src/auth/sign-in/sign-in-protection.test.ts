/**
 * Protection of sign-ins besides the password: delays for all addresses together, notices, a list to end sign-ins, and
 * required passkeys.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, formOf } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { shippedSets } from '../shipped.ts';

let installation: Installation;
let tenantId: string;
let root: string;

const from = (address: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0') =>
  new Browser(installation.publicUrl, { 'x-forwarded-for': address, 'user-agent': userAgent, 'sec-fetch-site': 'same-origin' });

beforeAll(async () => {
  installation = await startInstallation();
  tenantId = await installation.tenant('Northwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  root = (await from('192.0.2.200').signIn('root@example.org', password)).access_token;
});
afterAll(() => installation.close());

/** Simulates that the browser was closed for a day: its session has ended, but it is still a known browser. */
function forgetSession(browser: Browser): void {
  for (const name of browser.cookies.keys()) if (!name.includes('_device')) browser.cookies.delete(name);
}

const attempt = async (browser: Browser, userName: string, secret: string) => {
  const { page } = await browser.openSignIn();
  const answer = await browser.tryPassword(page, userName, secret);
  return { ...answer, alert: /role="alert">([^<]*)</.exec(answer.text)?.[1] };
};

describe('guessing from many addresses', () => {
  const guess = async (userName: string, network: string) => {
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) statuses.push((await attempt(from(`${network}.${i}`), userName, `guess number ${i}`)).status);
    return statuses;
  };
  /** Simulates ten more attempts: the delay is a minute. */
  const guessMore = () =>
    installation.system.db.query({
      text: 'update sign_in_attempt set attempts = attempts + 10, last_attempt = now() where attempts >= 20',
    });

  it('is slowed for the account, and not for its owner by a browser that is known', async () => {
    await installation.person('vera@example.org', { set: shippedSets.reader.id, tenantId });
    const laptop = from('192.0.2.1');
    await laptop.signIn('vera@example.org', password);
    expect(await guess('vera@example.org', '203.0.113')).toEqual(Array.from({ length: 20 }, () => 422));
    await guessMore();
    expect((await attempt(from('203.0.113.98'), 'vera@example.org', 'a guess')).status).toBe(429);
    // The correct password is delayed too, so that an attacker does not learn that it was correct.
    expect((await attempt(from('203.0.113.99'), 'vera@example.org', password)).status).toBe(429);
    forgetSession(laptop);
    expect((await attempt(laptop, 'vera@example.org', password)).status).toBe(303);
    // The cookie of another person's browser has no effect.
    await installation.person('eve@example.org');
    const eves = from('203.0.113.100');
    await eves.signIn('eve@example.org', password);
    forgetSession(eves);
    expect((await attempt(eves, 'vera@example.org', 'one more guess')).status).toBe(429);
    expect((await attempt(from('203.0.113.101'), 'eve@example.org', password)).status).toBe(303);
  });

  it('is slowed in the same way for a name that nobody has', async () => {
    expect(await guess('nobody@example.org', '198.51.100')).toEqual(Array.from({ length: 20 }, () => 422));
    await guessMore();
    expect((await attempt(from('198.51.100.98'), 'nobody@example.org', 'a guess')).status).toBe(429);
  });
});

describe('a sign-in by a new browser', () => {
  const mails = () =>
    installation.system.db.query<{ to: string; text: string }>({
      text: `select payload->>'to' as to, payload->>'text' as text from job where name = 'send-mail' order by job_id`,
    });

  it('is told by mail, but for the first one and those that are known', async () => {
    await installation.person('mara@example.org', { set: shippedSets.reader.id, tenantId });
    const laptop = from('192.0.2.10');
    await laptop.signIn('mara@example.org', password);
    forgetSession(laptop);
    await laptop.signIn('mara@example.org', password);
    const of = async () => (await mails()).filter(({ to }) => to === 'mara@example.org');
    expect(await of()).toEqual([]);
    const cafe = from('192.0.2.77', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36');
    await cafe.signIn('mara@example.org', password);
    forgetSession(cafe);
    await cafe.signIn('mara@example.org', password);
    const [mail, ...more] = await of();
    expect(more).toEqual([]);
    expect(mail?.text).toContain('From: 192.0.2.77\nWith: Chrome on Windows');
    await installation.system.db.query({ text: "update person set email_verified = false where user_name = 'mara@example.org'" });
    await from('192.0.2.78').signIn('mara@example.org', password);
    expect(await of()).toHaveLength(1);
  });
});

describe('a sign-in from a new network', () => {
  it('is told by mail once, whatever address of the network it has, and not beside the mail of a new browser', async () => {
    await installation.person('kira@example.org', { set: shippedSets.reader.id, tenantId });
    const of = async () =>
      (
        await installation.system.db.query<{ text: string }>({
          text: "select payload->>'text' as text from job where name = 'send-mail' and payload->>'to' = 'kira@example.org' order by job_id",
        })
      ).map(({ text }) => text);
    const laptop = from('198.18.7.10');
    const signInFrom = async (address: string) => {
      forgetSession(laptop);
      laptop.headers['x-forwarded-for'] = address;
      await laptop.signIn('kira@example.org', password);
    };
    await signInFrom('198.18.7.10');
    await signInFrom('198.18.7.200');
    expect(await of()).toEqual([]);
    await signInFrom('2001:db8:7:1::5');
    await signInFrom('2001:db8:7:ffff::9');
    await signInFrom('198.18.7.11');
    expect(await of()).toEqual([expect.stringContaining('from a network that you have not used before')]);
    await from('198.18.9.1').signIn('kira@example.org', password);
    expect(await of()).toEqual([expect.any(String), expect.stringContaining('by a browser that you have not used before')]);
    // The sign-in by the new browser has made its network known.
    await signInFrom('198.18.9.77');
    expect(await of()).toHaveLength(2);
  });
});

describe('the list of sign-ins', () => {
  const works = async (token: string) => (await installation.call(token, 'GET', '/v1/currentUser')).status;

  it('ends another one of the own', async () => {
    await installation.person('nora@example.org', { set: shippedSets.reader.id, tenantId });
    const [here, lost] = [from('192.0.2.20'), from('192.0.2.21')];
    const mine = (await here.signIn('nora@example.org', password)).access_token;
    const theirs = (await lost.signIn('nora@example.org', password)).access_token;
    const shown = await (await here.go('/idp/account')).text();
    const [session = '', ...others] = [...shown.matchAll(/name="session" value="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(others).toEqual([]);
    // A session of another person cannot be ended by its id.
    await installation.person('eric@example.org');
    const eric = from('192.0.2.22');
    await eric.signIn('eric@example.org', password);
    await eric.go('/idp/account/sessions/end', formOf({ session }));
    expect(await works(theirs)).toBe(200);
    const answer = await here.go('/idp/account/sessions/end', formOf({ session }));
    expect(here.next(answer)).toContain('done=ended');
    await expect.poll(() => works(theirs)).toBe(401);
    expect(await works(mine)).toBe(200);
    expect(await (await here.go('/idp/account')).text()).not.toContain('name="session"');
  });

  it('ends those of others for who administers people', async () => {
    const personId = await installation.person('lena@example.org', { set: shippedSets.reader.id, tenantId });
    const [first, second] = [from('192.0.2.30'), from('192.0.2.31')];
    const tokens = [await first.signIn('lena@example.org', password), await second.signIn('lena@example.org', password)];
    const listed = await fetch(`${installation.publicUrl}/v1/people/${personId}/sessions`, {
      headers: { authorization: `Bearer ${root}` },
    });
    const sessions = (await listed.json()) as { sessionId: string; signedInOn: string; withPasskey: boolean }[];
    expect(sessions).toHaveLength(2);
    const end = (token: string, body: object, id = personId) => installation.call(token, 'PUT', `/v1/people/${id}/sessions/end`, body);
    expect((await end(root, { sessionId: sessions[0]?.sessionId })).body).toEqual({ ended: 1 });
    await expect.poll(async () => (await Promise.all(tokens.map((token) => works(token.access_token)))).toSorted()).toEqual([200, 401]);
    expect((await end(root, {})).body).toEqual({ ended: 1 });
    for (const { access_token } of tokens) await expect.poll(() => works(access_token)).toBe(401);

    await installation.person('ada@example.org', { set: shippedSets.administrator.id, tenantId });
    const ada = (await from('192.0.2.32').signIn('ada@example.org', password)).access_token;
    expect((await end(ada, {})).status).toBe(403);
    expect((await installation.call(ada, 'GET', `/v1/people/${personId}/sessions`)).status).toBe(403);
    expect((await end(root, {}, crypto.randomUUID())).status).toBe(404);
    expect((await end('nothing', {})).status).toBe(401);
    expect((await end(root, { sessionId: 7 })).body.error?.target).toBe('sessionId');
  });
});

/** An authenticator in memory, as in the tests of passkeys, with enough CBOR for one key. */
class Authenticator {
  readonly #id = randomBytes(32);
  readonly #key: KeyObject;
  readonly #x: Buffer;
  readonly #y: Buffer;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#x = Buffer.from(x, 'base64url');
    this.#y = Buffer.from(y, 'base64url');
  }

  #client(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: installation.publicUrl, crossOrigin: false }));
  }

  #data(flags: number, rest: Buffer = Buffer.alloc(0)): Buffer {
    return Buffer.concat([createHash('sha256').update('localhost').digest(), Buffer.from([flags, 0, 0, 0, 0]), rest]);
  }

  create(challenge: string): string {
    const cose = Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), this.#x, Buffer.from('225820', 'hex'), this.#y]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 32]), this.#id, cose]);
    const data = this.#data(0x45, credential);
    const length = Buffer.from([0x58, data.length]);
    // CBOR of `{fmt: "none", attStmt: {}, authData: bytes}`.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746', 'hex'),
      Buffer.from('61', 'hex'),
      length,
      data,
    ]);
    return this.#answer({
      clientDataJSON: this.#client('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
    });
  }

  get(challenge: string): string {
    const client = this.#client('webauthn.get', challenge);
    const data = this.#data(0x05);
    const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), this.#key);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #answer(response: object): string {
    const id = this.#id.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

describe('a passkey that is required', () => {
  const challengeOf = async (browser: Browser, page: string) =>
    ((await (await browser.go(`${page}/passkey`, { method: 'POST' })).json()) as { challenge: string }).challenge;

  it('is made at the sign-in, and takes the place of the password', async () => {
    const set = await installation.call(root, 'PUT', '/v1/permissionSets', {
      name: 'Careful',
      tenantId,
      permissions: ['CloudFit.CFS.Devices:view'],
      requiresPasskey: false,
    });
    const permissionSetId = String(set.body['permissionSetId']);
    await installation.person('otto@example.org', { set: permissionSetId, tenantId });
    const browser = from('192.0.2.40');
    const before = await browser.signIn('otto@example.org', password, 'openid profile email offline_access');
    expect((await installation.call(root, 'PATCH', `/v1/permissionSets/${permissionSetId}`, { requiresPasskey: true })).status).toBe(200);

    // The earlier sign-in gets no more tokens, neither by its refresh token nor by its cookie.
    expect((await browser.refresh(before.refresh_token ?? '')).status).toBe(400);
    const { page, verifier } = await browser.openSignIn();
    expect(page).toContain('/idp/interaction/');

    const led = await browser.tryPassword(page, 'otto@example.org', password);
    expect([led.status, led.text]).toEqual([200, expect.stringContaining('One more step')]);
    // Leaving the page does not complete the sign-in.
    await expect(browser.finish(page.replace('/interaction/', '/auth/'), verifier)).rejects.toThrow('The sign-in ended');
    const again = await browser.openSignIn();
    await browser.tryPassword(again.page, 'otto@example.org', password);
    const device = new Authenticator();
    const wrong = await browser.go(again.page, formOf({ name: 'blue laptop', passkey: device.create('another challenge') }));
    expect(wrong.status).toBe(422);
    const passkey = device.create(await challengeOf(browser, again.page));
    const done = await browser.go(again.page, formOf({ name: 'blue laptop', passkey }));
    const tokens = await browser.finish(browser.next(done), again.verifier);
    expect((await installation.call(tokens.access_token, 'GET', '/v1/devices')).status).toBe(200);

    const other = from('192.0.2.41');
    const refused = await attempt(other, 'otto@example.org', password);
    expect([refused.status, refused.alert]).toEqual([
      403,
      'Your account is protected by a passkey. Choose "Use a passkey" instead of the password.'.replaceAll('"', '&quot;'),
    ]);
    const second = await other.openSignIn();
    const used = await other.go(second.page, formOf({ passkey: device.get(await challengeOf(other, second.page)) }));
    expect((await other.finish(other.next(used), second.verifier)).access_token).toBeTruthy();

    const [row] = await installation.system.db.query<{ passkey_id: string }>({
      text: "select passkey_id from passkey join person using (person_id) where user_name = 'otto@example.org'",
    });
    const refusal = await other.go('/idp/account/passkeys/remove', formOf({ passkeyId: String(row?.passkey_id), current: password }));
    expect([refusal.status, await refusal.text()]).toEqual([422, expect.stringContaining('Add another one before you remove this.')]);
  });
});
