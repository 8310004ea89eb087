/** Which contacts of a tenant an update of a communication is for, and why it is not for the others. */
import type { NotMailedReason } from '@cloudfit/contract/actions/work-units/communication-updates.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import type { Language } from '@cloudfit/contract/messages/language.ts';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { grantIsOpen, grantsOfPerson } from '../../../auth/grants.ts';
import type { Db } from '../../../db/db.ts';

/** SQL condition: the contact (`c`) is no person, or one who may still see requests in the tenant. */
export const maySubscribe = `(c.person_id is null or exists (select from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id)
    where p.person_id = c.person_id and p.enabled and (g.tenant_id is null or g.tenant_id = c.tenant_id) and ${grantIsOpen}
      and (s.permissions ? '${viewMine}' or s.permissions ? '${permission('WorkUnits', 'view')}')))`;

const about = `select coalesce(bool_and(w.work_unit_type_id = ${workUnitType.changeRequest}), false) as is_maintenance, min(w.severity_id) as severity
from work_unit_relation r join work_unit w on w.work_unit_id = r.work_unit_id where r.communication_id = $1`;

// A subscriber of a status page has got the update if the page's last mail about the communication was about its step.
const contacts = `select c.communication_contact_id as id, c.name, c.email, c.language,
  coalesce(c.time_zone, (select p.locale ->> 'timeZone' from person p where p.person_id = c.person_id), 'UTC') as "timeZone", case
  when c.unsubscribed is not null then 'Unsubscribed'
  when not c.active then 'Inactive'
  when not ${maySubscribe} then 'NoAccess'
  when c.kinds not in ('All', $4) then 'OtherKind'
  when $5::text > c.minimum_severity then 'LessSevere'
  when exists (select from communication_mail m where m.communication_update_id = $3 and m.email = c.email) then 'AlreadyMailed'
  when exists (select from communication_update u
    join status_told d on d.work_unit_communication_id = $2 and d.steps[cardinality(d.steps)] = u.work_unit_communication_activity_id and d.status = u.status
    join status_subscriber s on s.status_page_id = d.status_page_id and s.email = c.email and s.created < d.told
    where u.communication_update_id = $3) then 'ToldByStatusPage'
end as reason
from communication_contact c where c.tenant_id = $1 order by c.name, c.communication_contact_id`;

interface ContactRow {
  id: string;
  name: string;
  email: string;
  language: Language;
  /** In which the contact reads times. */
  timeZone: string;
  /** Null for a recipient. */
  reason: NotMailedReason | null;
}

export interface Audience {
  kind: 'Incidents' | 'Maintenance';
  severity: string | null;
  contacts: readonly ContactRow[];
}

/** `updateId` is null for an update that is not published yet. */
export async function audienceOf(db: Db, tenantId: string, workUnitCommunicationId: number, updateId: string | null): Promise<Audience> {
  const [units] = await db.query<{ is_maintenance: boolean; severity: string | null }>({ text: about, values: [workUnitCommunicationId] });
  const kind = units?.is_maintenance ? 'Maintenance' : 'Incidents';
  const severity = units?.severity ?? null;
  const values = [tenantId, workUnitCommunicationId, updateId, kind, severity];
  return { kind, severity, contacts: await db.query<ContactRow>({ text: contacts, values }) };
}
