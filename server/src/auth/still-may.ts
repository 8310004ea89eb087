/** Whether the person who started long work still has the permission: checked repeatedly while it runs. */
import type { Permission } from '@cloudfit/contract/permissions.ts';
import type { Actor } from '../context/ctx.ts';
import type { Db } from '../db/connection.ts';
import { grantIsOpen, grantsOfPerson } from './grants.ts';

/** What a person (`p`) holds in the tenant. */
const permissionsOfPerson = `select distinct h.name from access_grant g join permission_set s using (permission_set_id), jsonb_array_elements_text(s.permissions) h (name)
  where p.enabled and ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = $2) and ${grantIsOpen}`;

const heldByPerson = `select h.name from person p, lateral (${permissionsOfPerson}) h where p.person_id = $1::uuid`;

const heldByToken = `select c.name from token_grant t join permission_set ts using (permission_set_id), jsonb_array_elements_text(ts.permissions) c (name)
  where t.token_grant_id = $1::uuid and t.revoked_on is null and (t.expires_on is null or t.expires_on > now()) and (t.tenant_id is null or t.tenant_id = $2)
  and not exists (select from tenant n where n.tenant_id = t.tenant_id and not n.enabled)
  and (t.owner_id is null or exists (select from person p, lateral (${permissionsOfPerson}) h where p.person_id = t.owner_id and h.name = c.name))`;

/** What the person or token that started long work may do in the tenant now. `db` sees all tenants. */
export async function permissionsNow(db: Db, { kind, id }: Pick<Actor, 'kind' | 'id'>, tenantId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>({ text: kind === 'person' ? heldByPerson : heldByToken, values: [id, tenantId] });
  return new Set(rows.map(({ name }) => name));
}

const holds = `p.enabled and exists (select from access_grant g join permission_set s using (permission_set_id)
  where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = $2) and s.permissions ? $3 and ${grantIsOpen})`;

const person = `select 1 from person p where p.person_id = $1::uuid and ${holds}`;

const token = `select 1 from token_grant t join permission_set s using (permission_set_id) where t.token_grant_id = $1::uuid and t.revoked_on is null
  and (t.expires_on is null or t.expires_on > now()) and (t.tenant_id is null or t.tenant_id = $2) and s.permissions ? $3
  and not exists (select from tenant n where n.tenant_id = t.tenant_id and not n.enabled)
  and (t.owner_id is null or exists (select from person p where p.person_id = t.owner_id and ${holds}))`;

/** `db` sees all tenants. */
export async function stillMay(
  db: Db,
  owner: Pick<Actor, 'kind' | 'id'>,
  permission: Permission,
  tenantId: string | null,
): Promise<boolean> {
  if (owner.kind === 'system') return true;
  const rows = await db.query({ text: owner.kind === 'person' ? person : token, values: [owner.id, tenantId, permission] });
  return rows.length > 0;
}
