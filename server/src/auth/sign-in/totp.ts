/** One-time codes of an authenticator app (TOTP, RFC 6238) and recovery codes. Each code is accepted once. */
import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import type { MasterKey, SealedKey } from '../master-key.ts';

// Most people sign in without one-time codes, so the library is loaded at the first use.
const library = () => import('otpauth');

const periodSeconds = 30;
const recoveryCodes = 10;

export const totpPurpose = (personId: string): string => `totp ${personId}`;

export interface TotpState {
  /** When a first code confirmed the app; undefined before that. */
  confirmedOn: string | undefined;
  recoveryCodesLeft: number;
}

/** Returns the state of a person's authenticator app; undefined when the person has not begun to set one up. */
export async function totpState(db: Db, personId: string): Promise<TotpState | undefined> {
  const [row] = await db.query<{ confirmed_on: string | null; codes_left: number }>({
    text: `select confirmed_on, (select count(*)::int from recovery_code r where r.person_id = t.person_id and r.used_on is null) as codes_left
      from totp t where person_id = $1`,
    values: [personId],
  });
  return row && { confirmedOn: row.confirmed_on ?? undefined, recoveryCodesLeft: row.codes_left };
}

interface StoredTotp {
  envelope: SealedKey;
}

async function open(masterKey: MasterKey, personId: string, { envelope }: StoredTotp, userName = '') {
  const { Secret, TOTP } = await library();
  const secret = Secret.fromBase32(masterKey.open(envelope, totpPurpose(personId)));
  return new TOTP({ issuer: 'CloudFit', label: userName, secret, period: periodSeconds });
}

/** Stores a new secret, which a first code must confirm. A confirmed secret is not replaced. */
export async function beginTotp(db: Db, masterKey: MasterKey, personId: string): Promise<void> {
  const { Secret } = await library();
  const envelope = masterKey.seal(new Secret({ size: 20 }).base32, totpPurpose(personId));
  await db.query({
    text: `insert into totp as t (person_id, envelope) values ($1, $2)
      on conflict (person_id) do update set envelope = excluded.envelope, created = now() where t.confirmed_on is null`,
    values: [personId, JSON.stringify(envelope)],
  });
}

/** Returns the image that the app scans, and the secret for typing it in; undefined when there is no unconfirmed secret. */
export async function totpToScan(
  db: Db,
  masterKey: MasterKey,
  person: { personId: string; userName: string },
): Promise<{ image: string; secret: string } | undefined> {
  const [row] = await db.query<StoredTotp>({
    text: 'select envelope from totp where person_id = $1 and confirmed_on is null',
    values: [person.personId],
  });
  if (!row) return undefined;
  const totp = await open(masterKey, person.personId, row, person.userName);
  const { renderSVG } = await import('uqr');
  return { image: renderSVG(totp.toString(), { border: 2 }), secret: totp.secret.base32 };
}

/** Returns the time step of a valid code; the clock of the phone may be half a minute off. Undefined for a wrong code. */
async function stepOf(masterKey: MasterKey, personId: string, row: StoredTotp, code: string): Promise<number | undefined> {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return undefined;
  const nowMs = Date.now();
  const delta = (await open(masterKey, personId, row)).validate({ token: digits, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / 1000 / periodSeconds) + delta;
}

/** Confirms the new secret by its first code; returns the recovery codes, which are shown once. Undefined for a wrong code. */
export async function confirmTotp(db: Db, masterKey: MasterKey, personId: string, code: string): Promise<string[] | undefined> {
  const [row] = await db.query<StoredTotp>({
    text: 'select envelope from totp where person_id = $1 and confirmed_on is null',
    values: [personId],
  });
  const step = row && (await stepOf(masterKey, personId, row, code));
  if (step === undefined) return undefined;
  const confirmed = await db.query({
    text: `update totp set confirmed_on = now(), last_step = $2 where person_id = $1 and confirmed_on is null and envelope = $3 returning 1`,
    values: [personId, step, JSON.stringify(row?.envelope)],
  });
  return confirmed.length === 1 ? renewRecoveryCodes(db, personId) : undefined;
}

const hashOf = (code: string) => hash('sha256', code.toLowerCase().replaceAll(/[^0-9a-z]/g, ''), 'buffer');

/** Creates recovery codes, which replace the earlier ones. Each has 80 random bits. */
export async function renewRecoveryCodes(db: Db, personId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => (randomBytes(10).toString('hex').match(/.{5}/g) ?? []).join('-'));
  await db.query({ text: 'delete from recovery_code where person_id = $1', values: [personId] });
  await db.query({
    text: 'insert into recovery_code (person_id, code_hash) select $1, unnest($2::bytea[])',
    values: [personId, codes.map(hashOf)],
  });
  return codes;
}

/** Uses up a code of the app or a recovery code; undefined when the code is wrong or was used before. */
export async function spendCode(
  db: Db,
  masterKey: MasterKey,
  personId: string,
  code: string,
): Promise<'code' | 'recovery code' | undefined> {
  const [row] = await db.query<StoredTotp>({
    text: 'select envelope from totp where person_id = $1 and confirmed_on is not null',
    values: [personId],
  });
  if (!row) return undefined;
  const step = await stepOf(masterKey, personId, row, code);
  if (step !== undefined) {
    const used = await db.query({
      text: 'update totp set last_step = $2 where person_id = $1 and last_step < $2 returning 1',
      values: [personId, step],
    });
    return used.length === 1 ? 'code' : undefined;
  }
  const used = await db.query({
    text: 'update recovery_code set used_on = now() where person_id = $1 and code_hash = $2 and used_on is null returning 1',
    values: [personId, hashOf(code)],
  });
  return used.length === 1 ? 'recovery code' : undefined;
}

/** Removes the secret and the recovery codes; false when the person had no confirmed app. */
export async function removeTotp(db: Db, personId: string): Promise<boolean> {
  await db.query({ text: 'delete from recovery_code where person_id = $1', values: [personId] });
  const removed = await db.query<{ confirmed: boolean }>({
    text: 'delete from totp where person_id = $1 returning confirmed_on is not null as confirmed',
    values: [personId],
  });
  return removed[0]?.confirmed ?? false;
}
