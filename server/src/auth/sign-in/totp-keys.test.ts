/** The secret of an authenticator app is encrypted by the master key, and takes part in its rotation. */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { masterKeysInUse } from '../keys-in-use.ts';
import { masterKeyOf } from '../master-key.ts';
import { rewrapAll } from '../rotate-master-key.ts';
import { beginTotp, confirmTotp, spendCode, totpToScan } from './totp.ts';

let test: TestDatabase;
let database: Database;
let db: Db;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await test.close();
});

it('opens with the new key alone after a rotation, and its codes go on', async () => {
  const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const masterKey = masterKeyOf([before]);
  const [person] = await db.query<{ personId: string }>({
    text: `insert into person (name, user_name) values ('Ada', 'ada@example.org') returning person_id as "personId"`,
  });
  const personId = person?.personId ?? '';
  await beginTotp(db, masterKey, personId);
  const { secret = '' } = (await totpToScan(db, masterKey, { personId, userName: 'ada@example.org' })) ?? {};
  const codeAt = (steps: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
  expect(await confirmTotp(db, masterKey, personId, codeAt(-1))).toHaveLength(10);
  expect(await masterKeysInUse(db)).toEqual(masterKey.ids());

  expect(await db.transaction((tx) => rewrapAll(tx, masterKeyOf([after, before])))).toBe(1);
  const rotated = masterKeyOf([after]);
  expect(await masterKeysInUse(db)).toEqual(rotated.ids());
  expect(await spendCode(db, rotated, personId, codeAt(0))).toBe('code');
  // An envelope that was copied to another person cannot be decrypted.
  const [other] = await db.query<{ personId: string }>({
    text: `insert into person (name, user_name) values ('Eve', 'eve@example.org') returning person_id as "personId"`,
  });
  await db.query({
    text: 'insert into totp (person_id, envelope, confirmed_on) select $2, envelope, now() from totp where person_id = $1',
    values: [personId, other?.personId],
  });
  await expect(spendCode(db, rotated, other?.personId ?? '', codeAt(1))).rejects.toThrow(/authenticate/);
});
