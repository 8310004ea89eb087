/** What the person or token that started long work may do now: looked up repeatedly. `db` must see all tenants. */
import type { Permission } from '@cloudfit/contract/permissions.ts';
import type { Actor } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { grantIsOpen, grantsOfPerson } from './grants.ts';

async function permissionsOfPerson(db: Db, personId: string | null, tenantId: string | null): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ permissions: string[] }>({
    text: `select s.permissions from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id)
      where p.person_id = $1 and p.enabled and (g.tenant_id is null or g.tenant_id = $2) and ${grantIsOpen}`,
    values: [personId, tenantId],
  });
  return new Set(rows.flatMap(({ permissions }) => permissions));
}

/** A token with an owner has only those permissions that its owner has too. */
async function permissionsOfToken(db: Db, tokenId: string | null, tenantId: string | null): Promise<ReadonlySet<string>> {
  const [token] = await db.query<{ permissions: string[]; owner_id: string | null }>({
    text: `select s.permissions, t.owner_id from token_grant t join permission_set s using (permission_set_id)
      where t.token_grant_id = $1 and t.revoked_on is null and (t.expires_on is null or t.expires_on > now())
        and (t.tenant_id is null or t.tenant_id = $2)
        and not exists (select from tenant n where n.tenant_id = t.tenant_id and not n.enabled)`,
    values: [tokenId, tenantId],
  });
  if (!token?.owner_id) return new Set(token?.permissions);
  const ofOwner = await permissionsOfPerson(db, token.owner_id, tenantId);
  return new Set(token.permissions.filter((permission) => ofOwner.has(permission)));
}

/** Returns the present permissions of a person or token in the tenant (null: in all tenants). */
export function currentPermissions(
  db: Db,
  { kind, id }: Pick<Actor, 'kind' | 'id'>,
  tenantId: string | null,
): Promise<ReadonlySet<string>> {
  return kind === 'person' ? permissionsOfPerson(db, id, tenantId) : permissionsOfToken(db, id, tenantId);
}

export async function isStillPermitted(
  db: Db,
  owner: Pick<Actor, 'kind' | 'id'>,
  permission: Permission,
  tenantId: string | null,
): Promise<boolean> {
  return owner.kind === 'system' || (await currentPermissions(db, owner, tenantId)).has(permission);
}
