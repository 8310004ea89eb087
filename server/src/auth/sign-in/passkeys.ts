/** Passkeys: registered after a check of the password, then sufficient to sign in. A challenge is valid once, for one page. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Db } from '../../db/db.ts';

// The library has megabytes of certificate formats, and most people sign in without a passkey, so it is loaded at the
// first use.
const library = () => import('@simplewebauthn/server');

const challengeLife = '5 minutes';
const maxPasskeys = 20;
/** COSE numbers of EdDSA, ES256 and RS256, in order of preference: every authenticator supports one of these algorithms. */
const algorithms = [-8, -7, -257];

export interface Passkey {
  passkeyId: string;
  name: string;
  /** Synchronised by a password manager or cloud account, rather than bound to one device. */
  backedUp: boolean;
  created: string;
  lastUsed: string | null;
}

/** The address of the installation: browsers must send its origin, and passkeys are bound to its host. */
export interface RelyingParty {
  publicUrl: string;
}

const originOf = ({ publicUrl }: RelyingParty) => new URL(publicUrl).origin;
const hostOf = ({ publicUrl }: RelyingParty) => new URL(publicUrl).hostname;

export async function listPasskeys(db: Db, personId: string): Promise<Passkey[]> {
  const rows = await db.query<{ passkey_id: string; name: string; backed_up: boolean; created: string; last_used: string | null }>({
    text: 'select passkey_id, name, backed_up, created, last_used from passkey where person_id = $1 order by created, passkey_id',
    values: [personId],
  });
  return rows.map((row) => ({
    passkeyId: row.passkey_id,
    name: row.name,
    backedUp: row.backed_up,
    created: row.created,
    lastUsed: row.last_used,
  }));
}

/**
 * Returns the options with which the browser creates a passkey. `page` identifies the sign-in or account page that
 * requests it; only that page can use the challenge.
 */
export async function registrationOptions(
  db: Db,
  party: RelyingParty,
  person: { personId: string; name: string; userName: string },
  page: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  const existing = await db.query<{ credential_id: Buffer; transports: string[] }>({
    text: 'select credential_id, transports from passkey where person_id = $1',
    values: [person.personId],
  });
  const options = await generateRegistrationOptions({
    rpName: 'CloudFit',
    rpID: hostOf(party),
    userID: new TextEncoder().encode(person.personId),
    userName: person.userName,
    userDisplayName: person.name,
    excludeCredentials: existing.map((row) => ({ id: row.credential_id.toString('base64url'), transports: row.transports })),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(db, options.challenge, page);
  return options;
}

/** Stores a passkey of the browser; returns its id. Undefined when it is not valid or known, or the person has too many. */
export async function addPasskey(
  db: Db,
  party: RelyingParty,
  personId: string,
  page: string,
  name: string,
  response: RegistrationResponseJSON,
): Promise<string | undefined> {
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) => takeChallenge(db, challenge, page),
    expectedOrigin: originOf(party),
    expectedRPID: hostOf(party),
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { credential, credentialBackedUp } = verified.registrationInfo;
  const [row] = await db.query<{ passkey_id: string }>({
    text: `insert into passkey (person_id, credential_id, public_key, sign_count, transports, backed_up, name)
      select $1, $2, $3, $4, $5, $6, $7 where (select count(*) from passkey where person_id = $1) < ${maxPasskeys}
      on conflict (credential_id) do nothing returning passkey_id`,
    values: [
      personId,
      Buffer.from(credential.id, 'base64url'),
      Buffer.from(credential.publicKey),
      credential.counter,
      credential.transports ?? [],
      credentialBackedUp,
      name,
    ],
  });
  return row?.passkey_id;
}

/** Removes a passkey and returns its name; undefined when the person has no passkey with this id. */
export async function removePasskey(db: Db, personId: string, passkeyId: string): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>({
    text: 'delete from passkey where person_id = $1 and passkey_id = $2 returning name',
    values: [personId, passkeyId],
  });
  return row?.name;
}

/**
 * Returns the options with which the browser asks for a passkey. Any passkey of this installation is accepted, because
 * the passkey identifies the person.
 */
export async function signInOptions(db: Db, party: RelyingParty, page: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({ rpID: hostOf(party), userVerification: 'required' });
  await keepChallenge(db, options.challenge, page);
  return options;
}

export interface PasskeyOwner {
  personId: string;
  userName: string;
  enabled: boolean;
}

/** Returns the person whose passkey signed the challenge of this page; undefined when the response is not valid. */
export async function verifyPasskey(
  db: Db,
  party: RelyingParty,
  page: string,
  response: AuthenticationResponseJSON,
): Promise<PasskeyOwner | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const credentialId = Buffer.from(String(response.id), 'base64url');
  const [row] = await db.query<{
    passkey_id: string;
    person_id: string;
    public_key: Buffer;
    sign_count: number;
    user_name: string;
    enabled: boolean;
  }>({
    text: `select passkey_id, person_id, public_key, sign_count, user_name, enabled from passkey join person using (person_id)
      where credential_id = $1`,
    values: [credentialId],
  });
  if (!row) return undefined;
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => takeChallenge(db, challenge, page),
    expectedOrigin: originOf(party),
    expectedRPID: hostOf(party),
    credential: { id: String(response.id), publicKey: new Uint8Array(row.public_key), counter: row.sign_count },
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { userHandle } = response.response;
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== row.person_id) return undefined;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  // A counter that did not grow indicates a copied authenticator. Authenticators without a counter always send 0.
  const used = await db.query({
    text: `update passkey set sign_count = $2, backed_up = $3, last_used = now()
      where passkey_id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0)) returning 1`,
    values: [row.passkey_id, newCounter, credentialBackedUp],
  });
  return used.length === 1 ? { personId: row.person_id, userName: row.user_name, enabled: row.enabled } : undefined;
}

async function keepChallenge(db: Db, challenge: string, page: string): Promise<void> {
  await db.query({
    text: `insert into passkey_challenge (challenge, page, expires_on) values ($1, $2, now() + interval '${challengeLife}')`,
    values: [challenge, page],
  });
}

/** Deletes a challenge; returns true for the first call only, and only before the challenge expires. */
async function takeChallenge(db: Db, challenge: string, page: string): Promise<boolean> {
  const sameCredential = await db.query({
    text: 'delete from passkey_challenge where challenge = $1 and page = $2 and expires_on > now() returning 1',
    values: [challenge, page],
  });
  return sameCredential.length === 1;
}

export async function forgetOldChallenges(db: Db): Promise<void> {
  await db.query({ text: 'delete from passkey_challenge where expires_on < now()' });
}
