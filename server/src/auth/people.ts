/** Finds or creates the person of a verified token, by issuer and subject, never by email; loads the person's permissions. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Actor, DisabledTenants } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { recordAboutPerson, recordChange } from './audit-entry.ts';
import { claimAt, groupValues, textClaim, type Claims } from './claims.ts';
import { isGuid } from './guid.ts';
import { accessOf, grantInScope, grantIsOpen, type GrantRow, type GrantedAccess } from './grants.ts';
import type { TokenIssuer } from './token-issuer.ts';

/** The person of a token, and the groups that its claims contain. */
export interface PersonIdentity {
  personId: string;
  groups: readonly string[];
}

/** Facts of the request that contained the token. */
interface Origin {
  correlationId: string;
  address?: string | undefined;
}

interface SignedInPerson {
  subject: string;
  name: string;
  userName: string;
  email: string | null;
  emailVerified: boolean;
  picture: string | null;
  groups: string[];
  at: number;
  /** When the person signed in at the provider, in seconds since 1970. */
  authenticatedAt: number | undefined;
}

/** Returns the person of an access token's claims. Missing claims are fetched from the provider by `accessToken`. */
export async function identityOf(
  db: Db,
  issuer: TokenIssuer,
  claims: Claims,
  accessToken: string,
  origin: Origin,
): Promise<PersonIdentity> {
  const subject = String(claims['sub']);
  if (issuer.embedded) {
    if (!isGuid(subject))
      throw new ApiError('Unauthorized', 'The access token belongs to no person of this installation. Please sign in again.');
    return { personId: subject, groups: groupValues(claimAt(claims, issuer.groupsClaim)) };
  }
  const profile = [textClaim(claims, 'email'), textClaim(claims, 'name'), claimAt(claims, issuer.groupsClaim)];
  const userinfo = profile.includes(undefined) ? await issuer.userinfo?.(accessToken).catch(() => undefined) : undefined;
  // Userinfo with another subject must not be trusted (OpenID Connect Core 5.3.2).
  const signedIn = signedInOf(userinfo?.['sub'] === subject ? together(userinfo, claims) : claims, subject, issuer);
  return { personId: await keepPerson(db, issuer.issuer, signedIn, origin), groups: signedIn.groups };
}

/**
 * Merges both sets of claims; those of the token win. `email_verified` of userinfo is dropped if the token has another
 * address.
 */
function together(userinfo: Claims, claims: Claims): Claims {
  const { email_verified: _verified, ...rest } = userinfo;
  const isSameEmail = !('email' in claims) || claims['email'] === userinfo['email'];
  return { ...(isSameEmail ? userinfo : rest), ...claims };
}

/**
 * Returns whether the provider has verified the address. If the flag is missing, the setting `trustsEmail` decides.
 * Some providers send the flag as text.
 */
function isVerified(claims: Claims, { trustsEmail }: IssuerOfClaims): boolean {
  const flag = claims['email_verified'] ?? trustsEmail;
  return flag === true || flag === 'true';
}

type IssuerOfClaims = Pick<TokenIssuer, 'groupsClaim' | 'trustsEmail'>;

/** Returns the facts about a person in the claims of a foreign provider. */
export function signedInOf(claims: Claims, subject: string, issuer: IssuerOfClaims): SignedInPerson {
  const email = textClaim(claims, 'email');
  const emailVerified = email !== undefined && isVerified(claims, issuer);
  // At an untrusted provider, anybody may choose an address as the preferred name: it is ignored, so that nobody takes
  // the user name of a colleague who has not signed in yet.
  const preferred = textClaim(claims, 'preferred_username');
  const chosen = preferred?.includes('@') && !issuer.trustsEmail ? undefined : preferred;
  const userName = (emailVerified ? email : undefined) ?? chosen ?? subject.slice(0, 320);
  const at = claims['auth_time'] ?? claims['iat'];
  return {
    subject,
    name: textClaim(claims, 'name') ?? userName,
    userName,
    email: email ?? null,
    emailVerified,
    picture: textClaim(claims, 'picture', 2000) ?? null,
    groups: groupValues(claimAt(claims, issuer.groupsClaim)),
    at: typeof at === 'number' ? at : Date.now() / 1000,
    authenticatedAt: typeof claims['auth_time'] === 'number' ? claims['auth_time'] : undefined,
  };
}

/** Stores the person with the provider's names and addresses, and audits the sign-in. Returns the id of the person. */
async function keepPerson(db: Db, issuer: string, who: SignedInPerson, origin: Origin): Promise<string> {
  const personId = await savePerson(db, issuer, who, origin);
  await noteSignIn(db, personId, who, origin);
  return personId;
}

/**
 * Audits the sign-in at the provider once; later tokens with the same time belong to the same sign-in. Tokens without a
 * time are not audited.
 */
async function noteSignIn(db: Db, personId: string, who: SignedInPerson, origin: Origin): Promise<void> {
  if (who.authenticatedAt === undefined) return;
  const at = who.authenticatedAt;
  await db.transaction(async (tx) => {
    const [first] = await tx.query<{ user_name: string }>({
      text: `update person set signed_in_at_provider = to_timestamp($2) where person_id = $1
        and (signed_in_at_provider is null or signed_in_at_provider < to_timestamp($2)) returning user_name`,
      values: [personId, at],
    });
    if (!first) return;
    await recordAboutPerson(tx, personId, {
      actor: { kind: 'person', id: personId, name: first.user_name },
      verb: 'sign-in',
      entity: 'people',
      entityId: personId,
      after: { method: 'provider', at: new Date(at * 1000).toISOString() },
      ...origin,
    });
  });
}

/** The groups of provisioned people come by SCIM, not with a sign-in. */
const isProvisioned = 'exists (select from provisioned_person u where u.person_id = person.person_id)';

/**
 * Gives a person whom SCIM has made their sign-in at the provider of the installation: by the key that SCIM has named, or by a verified
 * address that is the user name. Only once, and only of a directory whose people sign in there.
 */
const linkProvisioned = `update person set issuer = $1, subject = $2 where subject is null and person_id = (
  select p.person_id from person p join provisioned_person u using (person_id) join directory d on d.directory_id = p.directory_id
  where d.kind = 'None' and d.enabled and p.subject is null and (u.external_id = $2 or lower(u.user_name) = lower($3))
  order by u.external_id = $2 desc nulls last limit 1) returning person_id`;

async function savePerson(db: Db, issuer: string, who: SignedInPerson, { correlationId }: Origin): Promise<string> {
  const values = [issuer, who.subject, who.name, who.email, who.emailVerified, who.picture, who.groups, who.at];
  const [updated] = await db.query<{ person_id: string }>({
    text: `update person set name = $3, email = coalesce($4, email), email_verified = case when $4::text is null then email_verified else $5 end,
        picture = coalesce($6, picture), last_sign_in = greatest(last_sign_in, to_timestamp($8)),
        claims = case when ${isProvisioned} then claims else $7::text[] end,
        modified = case when (name, email) is distinct from ($3, coalesce($4, email)) or claims is distinct from $7::text[] and not ${isProvisioned}
          then now() else modified end
      where issuer = $1 and subject = $2 returning person_id`,
    values,
  });
  if (updated) return updated.person_id;
  const linked = await db.query({ text: linkProvisioned, values: [issuer, who.subject, who.emailVerified ? who.email : null] });
  if (linked.length > 0) return savePerson(db, issuer, who, { correlationId });
  return db.transaction(async (tx) => {
    const [sameName] = await tx.query({ text: 'select 1 from person where lower(user_name) = lower($1)', values: [who.userName] });
    // A person of another provider has this user name. A name alone never identifies a person, so the new name includes
    // the subject.
    const userName = sameName ? `${who.userName} (${who.subject})`.slice(0, 320) : who.userName;
    const [newPerson] = await tx.query<{ person_id: string }>({
      text: `insert into person (issuer, subject, name, user_name, email, email_verified, picture, claims, last_sign_in)
        values ($1, $2, $3, $9, $4, $5, $6, $7, to_timestamp($8)) on conflict do nothing returning person_id`,
      values: [...values, userName],
    });
    if (newPerson) {
      await recordChange(tx, {
        actor: { kind: 'person', id: newPerson.person_id, name: userName },
        verb: 'create',
        entity: 'people',
        entityId: newPerson.person_id,
        after: { name: who.name, userName, email: who.email, issuer, subject: who.subject },
        correlationId,
      });
      return newPerson.person_id;
    }
    const [other] = await tx.query<{ person_id: string }>({
      text: 'select person_id from person where issuer = $1 and subject = $2',
      values: [issuer, who.subject],
    });
    if (!other) throw new ApiError('Unavailable', 'The sign-in could not be completed. Please try again.');
    return other.person_id;
  });
}

export interface PersonAccess extends GrantedAccess {
  actor: Actor & { kind: 'person' };
  enabled: boolean;
  /** The token or its session was revoked. */
  revoked: boolean;
  /** The disabled tenants in which the person has grants: their names and the suspended permissions. */
  inDisabled: Pick<DisabledTenants, 'names' | 'permissions'>;
}

interface PersonRow {
  name: string;
  user_name: string;
  enabled: boolean;
  revoked: boolean;
  grants: GrantRow[];
  disabled_grants: [...GrantRow, name: string][];
}

/** The groups of people of a directory are those that are stored, which SCIM may have changed since the token was made. */
const ofPerson = `(g.person_id = p.person_id or g.claim = any(case when p.directory_id is null then $2 else p.claims end)) and ${grantInScope}`;

/** Returns the present permissions of a person: those of their own grants, and those of the groups of `identity`. */
export async function personAccess(db: Db, identity: PersonIdentity, tokenIds: readonly string[]): Promise<PersonAccess | undefined> {
  const [row] = await db.query<PersonRow>({
    name: 'auth-person-access',
    text: `select p.name, p.user_name, p.enabled,
        exists (select from revoked_token r where r.revoked_id = any($3)) as revoked,
        coalesce((select jsonb_agg(jsonb_build_array(g.tenant_id, s.permissions)) from access_grant g join permission_set s using (permission_set_id)
          where ${ofPerson} and ${grantIsOpen}), '[]') as grants,
        coalesce((select jsonb_agg(jsonb_build_array(g.tenant_id, s.permissions, t.name) order by t.name)
          from access_grant g join permission_set s using (permission_set_id) join tenant t on t.tenant_id = g.tenant_id
          where ${ofPerson} and not t.enabled), '[]') as disabled_grants
      from person p where p.person_id = $1`,
    values: [identity.personId, identity.groups, tokenIds],
  });
  if (!row) return undefined;
  return {
    actor: { kind: 'person', id: identity.personId, name: row.name, userName: row.user_name },
    enabled: row.enabled,
    revoked: row.revoked,
    inDisabled: {
      names: new Map(row.disabled_grants.map(([tenantId, , name]) => [String(tenantId), name])),
      permissions: accessOf(row.disabled_grants.map(([tenantId, permissions]) => [tenantId, permissions])).permissions,
    },
    ...accessOf(row.grants),
  };
}

/** Returns the present permissions of a person with the groups of their last sign-in; undefined if there is no such person. `db` must see all tenants. */
export async function presentAccess(db: Db, personId: string): Promise<PersonAccess | undefined> {
  const [person] = await db.query<{ claims: string[] | null }>({
    text: 'select claims from person where person_id = $1',
    values: [personId],
  });
  return person && personAccess(db, { personId, groups: person.claims ?? [] }, []);
}
