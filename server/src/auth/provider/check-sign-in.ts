/** Decides whether a person may sign in, by password, one-time code or passkey, and audits the attempt. */
import { randomUUID } from 'node:crypto';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db } from '../../db/db.ts';
import { recordAboutPerson } from '../audit-entry.ts';
import { verifyPasskey, type RelyingParty } from '../sign-in/passkeys.ts';
import { verifyPassword, type PasswordOwner } from '../sign-in/passwords.ts';
import { meters } from '../../platform/meters.ts';
import { beginAttempt, type Attempt } from '../sign-in/sign-in-attempts.ts';
import { isKnownDevice, rememberDevice, type SignInOrigin } from '../sign-in/sign-in-devices.ts';
import { tellOfEmergency } from '../sign-in/emergency.ts';
import { secondFactorOf } from '../sign-in/second-factor.ts';
import { spendCode } from '../sign-in/totp.ts';
import type { TokenFault } from '../directories/oidc.ts';
import type { MasterKey } from '../master-key.ts';
import type { SignInTexts } from './texts.ts';

/** Why a sign-in is refused; its text is in the reader's language. */
type RefusalReason =
  | 'directoryLocked'
  | 'directoryExpired'
  | 'directoryAccountExpired'
  | 'directoryMustChange'
  | 'directoryNotNow'
  | 'directoryNotHere'
  | 'directoryGone'
  | 'directoryUnclear'
  | 'notProvisioned'
  | 'disabled'
  | 'wrong'
  | 'missing'
  | 'passkeyOnly'
  | 'unknownPasskey'
  | 'wrongCode'
  | 'busy';

export type Refusal = { status: number; headers?: Record<string, string> } & (
  | { error: RefusalReason }
  | { error: 'pause'; waitSeconds: number }
  | { error: 'directoryAway'; directory: string }
  | { error: 'directoryRefused'; directory: string; reason: string; fault?: TokenFault }
);

export function refusalText({ errors }: SignInTexts, refusal: Refusal): string {
  switch (refusal.error) {
    case 'pause':
      return errors.pause(refusal.waitSeconds);
    case 'directoryAway':
      return errors.directoryAway(refusal.directory);
    case 'directoryRefused':
      return errors.directoryRefused(refusal.directory, refusal.fault ? errors.tokenFaults[refusal.fault] : refusal.reason);
    default:
      return errors[refusal.error];
  }
}

/**
 * The outcome of a sign-in: the person, a refusal, or a correct password that needs one more step: a code of the
 * person's app (`verify`), or the set-up of a second factor (`enrol`).
 */
export type SignInOutcome = { personId: string; device: string } | { enrol: PasswordOwner } | { verify: PasswordOwner } | Refusal;

const disabled: Refusal = { status: 403, error: 'disabled' };

export function pauseRefusal({ waitSeconds }: Pick<Attempt, 'waitSeconds'>): Refusal {
  return { status: 429, error: 'pause', waitSeconds, headers: { 'retry-after': String(waitSeconds) } };
}

/** Checks a password, with delays against guessing. An unknown name costs the same work and gets the same answer. */
export async function checkPassword(
  db: Db,
  userName: string,
  password: string,
  address: string | undefined,
  knownDevice?: string,
): Promise<PasswordOwner | Refusal> {
  const attempt = await beginAttempt(db, userName, address, knownDevice);
  if (attempt.waitSeconds > 0) return pauseRefusal(attempt);
  try {
    const person = await verifyPassword(db, userName, password.slice(0, 1024));
    if (person?.enabled) {
      await attempt.succeeded();
      return person;
    }
    await recordRefusal(db, person?.personId, userName, person ? 'disabled' : 'wrong user name or password', address);
    return person ? disabled : { status: 422, error: 'wrong' };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'Unavailable') return { status: 503, error: 'busy', headers: { 'retry-after': '5' } };
    throw error;
  }
}

export async function signInWithPassword(db: Db, userName: string, password: string, origin: SignInOrigin): Promise<SignInOutcome> {
  if (userName === '' || password === '') return { status: 422, error: 'missing' };
  const { device, address } = origin;
  const knownDevice = device !== undefined && (await isKnownDevice(db, device, userName)) ? device : undefined;
  const person = await checkPassword(db, userName, password, address, knownDevice);
  if ('error' in person) return person;
  const { isDemanded, hasPasskey, hasCodes } = await secondFactorOf(db, person.personId);
  if (hasCodes) return { verify: person };
  if (isDemanded && hasPasskey) return { status: 403, error: 'passkeyOnly' };
  if (isDemanded) return { enrol: person };
  return { personId: person.personId, device: await recordSignIn(db, person, 'password', origin) };
}

/** After a sign-in by a directory: the same, with codes as the only second factor here, unless the directory has checked one. */
export async function signInByDirectory(
  db: Db,
  person: PasswordOwner,
  isStrong: boolean,
  directory: string,
  origin: SignInOrigin,
): Promise<SignInOutcome> {
  const { isDemanded, hasCodes } = await secondFactorOf(db, person.personId);
  if (!isStrong && hasCodes) return { verify: person };
  if (!isStrong && isDemanded) return { enrol: person };
  return { personId: person.personId, device: await recordSignIn(db, person, `directory ${directory}`, origin) };
}

/**
 * Checks a one-time code after the password. Wrong codes are delayed per account; a correct password does not reset
 * this delay.
 */
export async function checkCode(
  db: Db,
  masterKey: MasterKey,
  person: { personId: string; userName: string },
  code: string,
  address: string | undefined,
): Promise<Refusal | { used: 'code' | 'recovery code' }> {
  const attempt = await beginAttempt(db, `second factor of ${person.userName}`, address);
  if (attempt.waitSeconds > 0) return pauseRefusal(attempt);
  const used = await spendCode(db, masterKey, person.personId, code);
  if (used) {
    await attempt.succeeded();
    return { used };
  }
  await recordRefusal(db, person.personId, person.userName, 'wrong code', address);
  return { status: 422, error: 'wrongCode' };
}

/** Signs in with a passkey; `page` identifies the sign-in that requested the passkey. */
export async function signInWithPasskey(
  db: Db,
  party: RelyingParty,
  page: string,
  response: AuthenticationResponseJSON,
  origin: SignInOrigin,
): Promise<SignInOutcome> {
  const { address } = origin;
  const attempt = await beginAttempt(db, undefined, address);
  if (attempt.waitSeconds > 0) return pauseRefusal(attempt);
  const person = await verifyPasskey(db, party, page, response);
  // Whom a directory signs in has no second way past it.
  if (person?.enabled && !(await isOfDirectory(db, person.personId))) {
    await attempt.succeeded();
    return { personId: person.personId, device: await recordSignIn(db, person, 'passkey', origin) };
  }
  await recordRefusal(db, person?.personId, person?.userName ?? '', person ? 'disabled' : 'wrong passkey', address);
  return person ? disabled : { status: 422, error: 'unknownPasskey' };
}

/** Whether a directory with a sign-in of its kind decides whether the person may sign in. */
export async function isOfDirectory(db: Db, personId: string): Promise<boolean> {
  const rows = await db.query({
    text: "select 1 from person join directory d using (directory_id) where person_id = $1 and d.kind <> 'None'",
    values: [personId],
  });
  return rows.length > 0;
}

/** Audits a successful sign-in and remembers the browser; returns the new value of its cookie. */
export async function recordSignIn(
  db: Db,
  person: { personId: string; userName: string },
  method:
    | 'password'
    | 'passkey'
    | 'password and new passkey'
    | 'password and code'
    | 'password and recovery code'
    | 'password and new code'
    | `directory ${string}`,
  origin: SignInOrigin,
): Promise<string> {
  const { address } = origin;
  return db.transaction(async (tx) => {
    await tx.query({ text: 'update person set last_sign_in = now() where person_id = $1', values: [person.personId] });
    await recordAboutPerson(tx, person.personId, {
      actor: { kind: 'person', id: person.personId, name: person.userName },
      verb: 'sign-in',
      entity: 'people',
      entityId: person.personId,
      after: { method },
      correlationId: randomUUID(),
      address,
    });
    await tellOfEmergency(tx, person.personId, origin);
    return rememberDevice(tx, person.personId, origin);
  });
}

const nobody = '00000000-0000-0000-0000-000000000000';

/** Audits a refused sign-in. */
export async function recordRefusal(
  db: Db,
  personId: string | undefined,
  userName: string,
  reason: string,
  address: string | undefined,
): Promise<void> {
  meters.failedSignIns += 1;
  // Without an id, the name identifies the person, so that the person's administrators see a wrong password.
  const [meant] = await db.query<{ person_id: string }>({
    text: 'select person_id from person where person_id = $1 or lower(user_name) = lower($2) limit 1',
    values: [personId ?? null, userName.trim()],
  });
  const entry = {
    actor: { kind: 'person' as const, id: personId ?? null, name: userName },
    verb: 'sign-in-refused',
    entity: 'people',
    entityId: meant?.person_id ?? '',
    after: { reason },
    correlationId: randomUUID(),
    address,
  };
  // An unknown name runs the same statement, so that the response time does not reveal it.
  await recordAboutPerson(db, meant?.person_id ?? nobody, entry);
}
