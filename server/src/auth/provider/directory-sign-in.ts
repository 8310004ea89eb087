/** Sign-in by a directory on the pages of the embedded provider: at its OpenID provider, or with a password that LDAP checks. */
import type { Logger } from 'pino';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import type { Db } from '../../db/db.ts';
import { LdapFailed, type LdapClient, type LdapVerdict } from '../../outbound/ldap.ts';
import { readDirectorySecret } from '../directories/directory-secret.ts';
import { identityOfClaims, identityOfEntry, personOfDirectory, type DirectoryPerson } from '../directories/directory-person.ts';
import { ldapSettingsOf } from '../directories/ldap-settings.ts';
import { ProviderFailed, type DirectoryProviders, type PendingSignIn } from '../directories/oidc.ts';
import { directoryOfName, signInDirectories, type OpenDirectory } from '../directories/open-directory.ts';
import type { MasterKey } from '../master-key.ts';
import type { PasswordOwner } from '../sign-in/passwords.ts';
import { beginAttempt } from '../sign-in/sign-in-attempts.ts';
import { isKnownDevice, type SignInOrigin } from '../sign-in/sign-in-devices.ts';
import { pauseRefusal, recordRefusal, type Refusal } from './check-sign-in.ts';

export interface DirectoryContext {
  db: Db;
  masterKey: MasterKey;
  log: Logger;
  providers: DirectoryProviders;
  ldap: LdapClient;
}

/** Where a sign-in name belongs: to an account of this installation, to a directory, or to a name that several directories may have. */
type SignInPlace = { local: true } | { directory: OpenDirectory } | { unclear: true };

/** Whether the name is that of an account with a password here; such an account is never asked for elsewhere. */
async function isLocal(db: Db, userName: string): Promise<boolean> {
  const rows = await db.query({
    text: `select 1 from person p join sign_in_password using (person_id) left join directory d using (directory_id)
      where lower(p.user_name) = lower($1) and coalesce(d.kind, 'None') = 'None'`,
    values: [userName],
  });
  return rows.length > 0;
}

/**
 * The directory that signs in a person of this name. A name without a mail domain is asked for in LDAP only if there is one such
 * directory: no password goes to a server that is not meant.
 */
export async function placeOf(db: Db, userName: string, directories: readonly OpenDirectory[]): Promise<SignInPlace> {
  if (directories.length === 0 || (await isLocal(db, userName))) return { local: true };
  const directory = directoryOfName(directories, userName);
  if (directory) return { directory };
  const ldap = directories.filter(({ kind }) => kind === 'Ldap');
  if (ldap.length > 1 && !userName.includes('@')) return { unclear: true };
  return ldap[0] && !userName.includes('@') ? { directory: ldap[0] } : { local: true };
}

const refusals: Readonly<Record<Exclude<LdapVerdict, 'right' | 'wrong'>, Refusal>> = {
  locked: { status: 403, error: 'directoryLocked' },
  expired: { status: 403, error: 'directoryExpired' },
  accountExpired: { status: 403, error: 'directoryAccountExpired' },
  mustChange: { status: 403, error: 'directoryMustChange' },
  notNow: { status: 403, error: 'directoryNotNow' },
  notHere: { status: 403, error: 'directoryNotHere' },
  disabled: { status: 403, error: 'disabled' },
};

const notProvisioned: Refusal = { status: 403, error: 'notProvisioned' };
const disabled: Refusal = { status: 403, error: 'disabled' };

/** Checks a password in LDAP, with the delays of every password. A server that is away is said, and counts as no attempt. */
export async function checkInLdap(
  { db, masterKey, ldap, log }: DirectoryContext,
  directory: OpenDirectory,
  userName: string,
  password: string,
  origin: SignInOrigin,
): Promise<PasswordOwner | Refusal> {
  const { device, address } = origin;
  const attempt = await beginAttempt(
    db,
    userName,
    address,
    device !== undefined && (await isKnownDevice(db, device, userName)) ? device : undefined,
  );
  if (attempt.waitSeconds > 0) return pauseRefusal(attempt);
  try {
    const settings = ldapSettingsOf(directory, (await readDirectorySecret(db, masterKey, directory.directoryId)) ?? '');
    const entry = await ldap.find(settings, userName);
    const verdict = entry ? await ldap.check(settings, entry, password) : 'wrong';
    if (verdict !== 'right' || !entry) {
      await recordRefusal(db, undefined, userName, `${directory.name}: ${verdict}`, address);
      return verdict === 'wrong' || verdict === 'right' ? { status: 422, error: 'wrong' } : refusals[verdict];
    }
    await attempt.succeeded();
    const person = await personOfDirectory(db, directory, identityOfEntry(directory, entry), address);
    return admitted(db, directory, person, userName, address);
  } catch (error) {
    if (!(error instanceof LdapFailed)) throw error;
    log.warn({ err: error, directory: directory.name }, 'A directory cannot be asked.');
    return { status: 503, error: 'directoryAway', directory: directory.name };
  }
}

async function admitted(
  db: Db,
  { name }: OpenDirectory,
  person: DirectoryPerson | undefined,
  userName: string,
  address: string | undefined,
): Promise<PasswordOwner | Refusal> {
  if (person?.enabled) return person;
  await recordRefusal(db, person?.personId, userName, `${name}: ${person ? 'disabled' : 'not provisioned'}`, address);
  return person ? disabled : notProvisioned;
}

const strongMethods: ReadonlySet<string> = new Set(['mfa', 'otp', 'hwk', 'swk', 'pop', 'fido', 'sc']);

/** The person whom the provider of a directory has sent back, and whether it has checked a second factor. */
export async function finishAtProvider(
  { db, masterKey, providers, log }: DirectoryContext,
  pending: PendingSignIn,
  query: URLSearchParams,
  address: string | undefined,
): Promise<{ person: PasswordOwner; directory: OpenDirectory; isStrong: boolean } | Refusal> {
  const directory = (await signInDirectories(db)).find(({ directoryId, kind }) => kind === 'Oidc' && directoryId === pending.directoryId);
  if (!directory) return { status: 403, error: 'directoryGone' };
  const secret = (await readDirectorySecret(db, masterKey, directory.directoryId)) ?? '';
  try {
    const claims = await providers.finish(directory, secret, pending, query);
    const identity = identityOfClaims(directory, claims);
    const person = await admitted(db, directory, await personOfDirectory(db, directory, identity, address), identity.userName, address);
    const { amr } = claims;
    return 'error' in person
      ? person
      : { person, directory, isStrong: Array.isArray(amr) && amr.some((method) => strongMethods.has(String(method))) };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    log.warn({ err: error, directory: directory.name }, 'A sign-in by a directory has failed.');
    await recordRefusal(db, undefined, directory.name, `${directory.name}: ${messageOf(error)}`.slice(0, 500), address);
    const fault = error instanceof ProviderFailed ? error.fault : undefined;
    const reason = messageOf(error).slice(0, 300);
    return { status: 403, error: 'directoryRefused', directory: directory.name, reason, ...(fault ? { fault } : {}) };
  }
}

/** The address at the provider of a directory; a refusal when it cannot be asked. */
export async function beginAtProvider(
  { db, masterKey, providers, log }: DirectoryContext,
  directory: OpenDirectory,
  uid: string,
): Promise<{ url: string; pending: PendingSignIn } | Refusal> {
  try {
    return await providers.begin(directory, (await readDirectorySecret(db, masterKey, directory.directoryId)) ?? '', uid);
  } catch (error) {
    log.warn({ err: error, directory: directory.name }, 'A directory cannot be asked.');
    return { status: 503, error: 'directoryAway', directory: directory.name };
  }
}
