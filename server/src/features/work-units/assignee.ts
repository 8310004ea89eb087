/** Who can work on a unit: whom a person, a program or a rule may assign it to. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { grantIsOpen, grantsOfPerson } from '../../auth/grants.ts';
import type { Db } from '../../db/db.ts';
import type { FieldError, RowChange } from '../../resources/served.ts';
import type { WorkUnitRow } from './state.rules.ts';

interface AssigneeRow {
  name: string;
  enabled: boolean;
  has_rights: boolean;
}

const text = `select p.name, p.enabled, exists (
  select from access_grant g join permission_set s using (permission_set_id)
  where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = $1::uuid) and ${grantIsOpen} and s.permissions ? $3) as has_rights
from person p where lower(p.user_name) = lower(trim($2)) or lower(p.email) = lower(trim($2))`;

/**
 * Why the person with this sign-in name or address cannot work on units of the tenant; undefined if they can. A name that is not
 * that of an account is accepted: it may be a team outside, or somebody who has not signed in yet.
 */
export async function assigneeProblem(db: Db, tenantId: string, assignedTo: string): Promise<string | undefined> {
  const people = await db.query<AssigneeRow>({
    name: 'assignee',
    text,
    values: [tenantId, assignedTo, permission('WorkUnits', 'edit')],
  });
  const [person] = people;
  if (!person || people.some(({ enabled, has_rights: hasRights }) => enabled && hasRights)) return undefined;
  return person.enabled ? `${person.name} may not edit work units of this tenant.` : `${person.name} is disabled.`;
}

const signInName = `select user_name from person where lower(user_name) = lower(trim($1))
union all
select min(user_name) from person
where lower(email) = lower(trim($1)) and not exists (select from person where lower(user_name) = lower(trim($1)))
having count(*) = 1`;

/**
 * The assignee by the sign-in name of their account, when the name in other capitals or their address was sent: lists, counts and
 * reports of a person look for that. What is no account, or an address of several, stays as it is.
 */
export async function assigneeByName(db: Db, { after, changed }: RowChange<WorkUnitRow>): Promise<Partial<WorkUnitRow>> {
  if (!after.assignedTo || !changed.includes('assignedTo')) return {};
  const [person] = await db.query<{ user_name: string }>({ name: 'assignee-name', text: signInName, values: [after.assignedTo] });
  return person && person.user_name !== after.assignedTo ? { assignedTo: person.user_name } : {};
}

/** Returns an error if the unit gets an assignee, or a tenant, in which the assignee cannot work on it. */
export async function assigneeFaults(db: Db, { after, changed }: RowChange<WorkUnitRow>): Promise<FieldError[]> {
  if (!after.assignedTo || !(changed.includes('assignedTo') || changed.includes('tenantId'))) return [];
  const problem = await assigneeProblem(db, after.tenantId, after.assignedTo);
  return problem ? [{ target: 'assignedTo', message: `${problem} Assign it to somebody else, or to nobody.` }] : [];
}
