import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { addPasskey, listPasskeys, registrationOptions, removePasskey, signInOptions, verifyPasskey } from './passkeys.ts';

const party = { publicUrl: 'https://ops.example.org' };
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** Simulates an authenticator and its browser; the test can change everything that both send. */
class Authenticator {
  readonly id = randomBytes(16);
  readonly privateKey: KeyObject;
  readonly #publicKey: { x: Buffer; y: Buffer };
  count = 0;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.privateKey = privateKey;
    this.#publicKey = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') };
  }

  #data(host: string, flags: number): Buffer {
    const head = Buffer.alloc(5);
    head[0] = flags;
    head.writeUInt32BE(this.count, 1);
    return Buffer.concat([sha256(host), head]);
  }

  static client(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  make(challenge: string, { origin = party.publicUrl, host = 'ops.example.org', verified = true } = {}): RegistrationResponseJSON {
    const { x, y } = this.#publicKey;
    // Hand-written CBOR: a map of five: kty 2, alg -7, crv 1, x and y of 32 bytes each.
    const cose = Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), x, Buffer.from('225820', 'hex'), y]);
    const length = Buffer.from([0, this.id.length]);
    const data = Buffer.concat([this.#data(host, verified ? 0x45 : 0x41), Buffer.alloc(16), length, this.id, cose]);
    const size = Buffer.from([0x58, data.length]);
    const attestation = Buffer.concat([Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'), size, data]);
    return {
      id: this.id.toString('base64url'),
      rawId: this.id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: Authenticator.client('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  answer(
    challenge: string,
    personId: string,
    { origin = party.publicUrl, host = 'ops.example.org', verified = true } = {},
  ): AuthenticationResponseJSON {
    this.count++;
    const data = this.#data(host, verified ? 0x05 : 0x01);
    const client = Authenticator.client('webauthn.get', challenge, origin);
    return {
      id: this.id.toString('base64url'),
      rawId: this.id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), this.privateKey).toString('base64url'),
        userHandle: Buffer.from(personId).toString('base64url'),
      },
    };
  }
}

let test: TestDatabase;
let database: Database;
let db: Db;
let ada = { personId: '', name: 'Ada', userName: 'ada@example.org' };
let ben = { personId: '', name: 'Ben', userName: 'ben@example.org' };

async function person<T extends { name: string; userName: string }>(who: T): Promise<T> {
  const [row] = await db.query<{ person_id: string }>({
    text: 'insert into person (name, user_name) values ($1, $2) returning person_id',
    values: [who.name, who.userName],
  });
  return { ...who, personId: String(row?.person_id) };
}

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  db = database.scoped('all');
  [ada, ben] = [await person(ada), await person(ben)];
});

afterAll(async () => {
  await database.close();
  await test.close();
});

const registered = async (device: Authenticator, who: typeof ada, page = 'page') => {
  const { challenge } = await registrationOptions(db, party, who, page);
  return addPasskey(db, party, who.personId, page, 'Laptop', device.make(challenge));
};

describe('making a passkey', () => {
  it('keeps it for the person who asked, once', async () => {
    const device = new Authenticator();
    expect(await registered(device, ada)).toBeTruthy();
    expect(await listPasskeys(db, ada.personId)).toMatchObject([{ name: 'Laptop', lastUsed: null, backedUp: false }]);
    const { excludeCredentials } = await registrationOptions(db, party, ada, 'page');
    expect(excludeCredentials).toMatchObject([{ id: device.id.toString('base64url') }]);
    // A key is refused when it is registered again, also for another person.
    expect(await registered(device, ada)).toBeUndefined();
    expect(await registered(device, ben)).toBeUndefined();
  });

  it('refuses other origins, other hosts, other pages, what is late, and owners who were not verified', async () => {
    const fresh = async (page = 'page') => (await registrationOptions(db, party, ben, page)).challenge;
    const add = (response: RegistrationResponseJSON) => addPasskey(db, party, ben.personId, 'page', 'x', response);
    const device = new Authenticator();
    expect(await add(device.make(await fresh(), { origin: 'https://evil.example' }))).toBeUndefined();
    expect(await add(device.make(await fresh(), { host: 'example.org' }))).toBeUndefined();
    expect(await add(device.make(await fresh(), { verified: false }))).toBeUndefined();
    expect(await add(device.make(await fresh('another page')))).toBeUndefined();
    expect(await add(device.make('a-challenge-of-nobody'))).toBeUndefined();
    const late = await fresh();
    await db.query({ text: "update passkey_challenge set expires_on = now() - interval '1 second'" });
    expect(await add(device.make(late))).toBeUndefined();
    expect(await add({} as RegistrationResponseJSON)).toBeUndefined();
    expect(await listPasskeys(db, ben.personId)).toEqual([]);
  });

  it('stops at twenty for a person', async () => {
    const many = await person({ personId: '', name: 'Cy', userName: `${crypto.randomUUID()}@example.org` });
    for (let i = 0; i < 20; i++) expect(await registered(new Authenticator(), many)).toBeTruthy();
    expect(await registered(new Authenticator(), many)).toBeUndefined();
  });
});

describe('signing in by a passkey', () => {
  const device = new Authenticator();
  const challengeOf = async (page = 'page') => (await signInOptions(db, party, page)).challenge;
  const verify = (response: AuthenticationResponseJSON, page = 'page') => verifyPasskey(db, party, page, response);

  beforeAll(async () => {
    await registered(device, ben);
  });

  it('knows whose it is, for each challenge once', async () => {
    const response = device.answer(await challengeOf(), ben.personId);
    expect(await verify(response)).toEqual({ personId: ben.personId, userName: 'ben@example.org', enabled: true });
    expect(await verify(response)).toBeUndefined();
    expect((await listPasskeys(db, ben.personId))[0]?.lastUsed).toBeTruthy();
  });

  it('refuses other origins, other hosts, other pages, other people and unverified owners', async () => {
    expect(await verify(device.answer(await challengeOf(), ben.personId, { origin: 'https://evil.example' }))).toBeUndefined();
    expect(await verify(device.answer(await challengeOf(), ben.personId, { host: 'example.org' }))).toBeUndefined();
    expect(await verify(device.answer(await challengeOf(), ben.personId, { verified: false }))).toBeUndefined();
    expect(await verify(device.answer(await challengeOf('another page'), ben.personId))).toBeUndefined();
    expect(await verify(device.answer(await challengeOf(), ada.personId))).toBeUndefined();
    expect(await verify(new Authenticator().answer(await challengeOf(), ben.personId))).toBeUndefined();
    expect(await verify({} as AuthenticationResponseJSON)).toBeUndefined();
    expect(await verify(device.answer(await challengeOf(), ben.personId))).toBeTruthy();
  });

  it('uses a challenge up even when the answer is wrong', async () => {
    const challenge = await challengeOf();
    const right = device.answer(challenge, ben.personId);
    const wrong = { ...right, response: { ...right.response, signature: 'AAAA' } };
    expect(await verify(wrong)).toBeUndefined();
    expect(await verify(right)).toBeUndefined();
  });

  it('refuses a copy of the authenticator, whose count did not grow', async () => {
    const challenges = [await challengeOf(), await challengeOf()] as const;
    const first = device.answer(challenges[0], ben.personId);
    device.count -= 1;
    const copy = device.answer(challenges[1], ben.personId);
    const outcomes = await Promise.all([verify(first), verify(copy)]);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
  });

  it('says when the person is disabled, and forgets a removed passkey', async () => {
    await db.query({ text: 'update person set enabled = false where person_id = $1', values: [ben.personId] });
    expect(await verify(device.answer(await challengeOf(), ben.personId))).toMatchObject({ enabled: false });
    const [passkey] = await listPasskeys(db, ben.personId);
    expect(await removePasskey(db, ada.personId, String(passkey?.passkeyId))).toBeUndefined();
    expect(await removePasskey(db, ben.personId, String(passkey?.passkeyId))).toBe('Laptop');
    expect(await verify(device.answer(await challengeOf(), ben.personId))).toBeUndefined();
  });
});
