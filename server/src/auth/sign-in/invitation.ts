/** Invitations by mail: a link that is valid once and for a week. Accepting it gives a grant, and a new person an account. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Db } from '../../db/db.ts';
import { recordChange } from '../audit-entry.ts';
import { invalidatePeople } from '../invalidate.ts';
import { isStillPermitted } from '../current-permissions.ts';
import { setPassword } from './one-time-link.ts';

export const invitationDays = 7;

const hashOf = (token: string) => hash('sha256', token, 'buffer');

/** Returns the token of a new link and its hash. Only the hash is stored. */
export function createInvitationToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

interface OpenPlace {
  invitationId: string;
  tenantId: string | null;
  tenantName: string | null;
  permissionSetId: string;
  permissionSet: string;
}

export interface OpenInvitation extends OpenPlace {
  email: string;
  name: string;
  invitedBy: string;
  /** Whether the sender passed the link on, instead of a mail to the address. */
  byLink: boolean;
  /** Further places that the same link accepts. */
  others: OpenPlace[];
  /** The person whose user name is `email`, who accepts without choosing a password; null if there is none. */
  personId: string | null;
}

/**
 * Returns the invitation of a link. Undefined when the link is unknown, used, expired or withdrawn, when its tenant or
 * person is disabled, or when its sender may no longer invite people.
 */
export async function findInvitation(db: Db, token: string): Promise<OpenInvitation | undefined> {
  const rows = await db.query<Omit<OpenInvitation, 'others'> & { byKind: 'person' | 'token' | 'system'; byId: string }>({
    text: `select i.invitation_id as "invitationId", i.email, i.name, i.tenant_id as "tenantId", t.name as "tenantName",
        i.permission_set_id as "permissionSetId", s.name as "permissionSet", i.invited_by as "invitedBy", i.by_link as "byLink", p.person_id as "personId",
        i.invited_by_kind as "byKind", i.invited_by_id as "byId"
      from invitation i join permission_set s using (permission_set_id) left join tenant t on t.tenant_id = i.tenant_id
      left join person p on lower(p.user_name) = lower(i.email)
      where (i.token_hash = $1 or i.link_hash = $1) and i.accepted_on is null and i.expires_on > now() and (i.tenant_id is null or t.enabled)
        and coalesce(p.enabled, true) order by i.created, i.invitation_id`,
    values: [hashOf(token)],
  });
  const open: Omit<OpenInvitation, 'others'>[] = [];
  for (const { byKind, byId, ...invitation } of rows)
    if (await isStillPermitted(db, { kind: byKind, id: byId }, permission('People', 'create'), invitation.tenantId)) open.push(invitation);
  const [first, ...others] = open;
  return first && { ...first, others };
}

/**
 * Accepts an invitation; false when it was accepted or withdrawn, or has expired meanwhile. A person who opens the link
 * has received the mail, so a new account's address is verified; not with a link that the sender passed on.
 */
export function acceptInvitation(
  db: Db,
  invitation: OpenInvitation,
  passwordHash: string | undefined,
  address: string | undefined,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const places = [invitation, ...invitation.others];
    const used = await tx.query<{ id: string }>({
      text: 'update invitation set accepted_on = now() where invitation_id = any($1::uuid[]) and accepted_on is null and expires_on > now() returning invitation_id as id',
      values: [places.map(({ invitationId }) => invitationId)],
    });
    if (used.length === 0) return false;
    const correlationId = randomUUID();
    const personId = invitation.personId ?? (await addPerson(tx, invitation, passwordHash, { correlationId, address }));
    const { email, invitedBy } = invitation;
    for (const { invitationId, tenantId, permissionSetId } of places.filter((place) => used.some(({ id }) => id === place.invitationId))) {
      await tx.query({ text: 'update invitation set person_id = $2 where invitation_id = $1', values: [invitationId, personId] });
      const about = { actor: { kind: 'person' as const, id: personId, name: email }, tenantId, correlationId, address };
      await recordChange(tx, { ...about, verb: 'accept', entity: 'invitations', entityId: invitationId, after: { email, personId } });
      const [grant] = await tx.query<{ grant_id: string }>({
        text: `insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)
          on conflict (person_id, claim, permission_set_id, tenant_id) do nothing returning grant_id`,
        values: [personId, permissionSetId, tenantId],
      });
      if (!grant) continue;
      const after = { grantId: grant.grant_id, personId, permissionSetId, tenantId, invitedBy };
      await recordChange(tx, { ...about, verb: 'create', entity: 'grants', entityId: grant.grant_id, after });
    }
    await invalidatePeople(tx);
    return true;
  });
}

async function addPerson(
  tx: Db,
  { email, name, tenantId, byLink }: OpenInvitation,
  passwordHash: string | undefined,
  origin: { correlationId: string; address: string | undefined },
): Promise<string> {
  if (passwordHash === undefined) throw new Error('A new person needs a password.');
  const [row] = await tx.query<{ person_id: string }>({
    text: 'insert into person (name, user_name, email, email_verified) values ($1, $2, $2, $3) returning person_id',
    values: [name, email, !byLink],
  });
  const personId = String(row?.person_id);
  await setPassword(tx, personId, passwordHash);
  await recordChange(tx, {
    actor: { kind: 'person', id: personId, name: email },
    tenantId,
    verb: 'create',
    entity: 'people',
    entityId: personId,
    after: { personId, name, userName: email, email, enabled: true },
    ...origin,
  });
  return personId;
}
