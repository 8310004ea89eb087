/** The people whom a step notifies at this moment. */
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { finalShifts } from '@cloudfit/contract/on-call/shifts.ts';
import type { NotifyTarget } from '@cloudfit/contract/protocols/notify.ts';
import { grantIsOpen, grantsOfPerson } from '../../auth/grants.ts';
import { readerAtAddress } from '../../context/locale.ts';
import type { Db } from '../../db/db.ts';
import { readerOf, type TextReader } from '../../platform/language.ts';
import { asOnCall } from '../../features/protocols/on-call/handover-facts.ts';
import { loadSchedules } from '../../features/protocols/on-call/schedules.ts';

export interface Recipient {
  /** Null for a customer, who has no account. */
  personId: string | null;
  name: string;
  email: string | null;
  /** Why this person is notified, as the record says it. */
  whom: string;
  /** Whether the person may acknowledge units of the tenant, so that a link that does it is of use. */
  mayAcknowledge: boolean;
  /** How the messages to the person are written. */
  reader: TextReader;
}

interface RecipientRow {
  person_id: string;
  name: string;
  email: string | null;
  may_acknowledge: boolean;
  locale: Locale | null;
}

/** SQL condition: the person (`p`) is enabled and has rights in the tenant. */
export const withRights = (tenant: string): string =>
  `p.enabled and exists (select from access_grant g where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = ${tenant}) and ${grantIsOpen})`;
/** SQL condition: the person (`p`) is enabled and may acknowledge units of the tenant now, as a link that acknowledges requires. */
export const mayAcknowledge = (tenant: string): string =>
  `p.enabled and exists (select from access_grant g join permission_set s using (permission_set_id)
    where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = ${tenant}) and ${grantIsOpen} and s.permissions ? '${permission('WorkUnits', 'edit')}')`;
const ofTenant = withRights('$1');
const columns = `p.person_id, p.name, p.email, p.locale, ${mayAcknowledge('$1')} as may_acknowledge`;

const byId = `select ${columns} from person p where p.person_id = $2::uuid and ${ofTenant}`;
// A unit is assigned by either, as `features/work-units/assignee.ts` accepts it.
const byUserName = `select ${columns} from person p where (lower(p.user_name) = lower(trim($2)) or lower(p.email) = lower(trim($2))) and ${ofTenant}`;
const byClaim = `select ${columns} from person p where $2 = any(p.claims) and ${ofTenant} order by p.name limit 200`;

const named = (rows: readonly RecipientRow[], whom: string): Recipient[] =>
  rows.map(({ person_id: personId, name, email, may_acknowledge, locale }) => ({
    personId,
    name,
    email,
    whom,
    mayAcknowledge: may_acknowledge,
    reader: readerOf(locale),
  }));

/** The person with this id, or with this sign-in name or address, if they have rights in the tenant. */
export const peopleById = async (db: Db, tenantId: string, personId: string, whom: string): Promise<Recipient[]> =>
  named(await db.query<RecipientRow>({ name: 'notify-person', text: byId, values: [tenantId, personId] }), whom);
export const peopleByUserName = async (db: Db, tenantId: string, userName: string, whom: string): Promise<Recipient[]> =>
  named(await db.query<RecipientRow>({ name: 'notify-user', text: byUserName, values: [tenantId, userName] }), whom);

/** The assignee and the customer of the unit, as the values of its placeholders; empty if there is none. */
export interface UnitPeople {
  assignedTo: string;
  customerName: string;
  customerEmail: string;
}

/** Returns the recipients, or a sentence that says why there are none. */
export async function recipientsOf(
  db: Db,
  target: NotifyTarget,
  { tenantId, unit, at }: { tenantId: string; unit: UnitPeople; at: number },
): Promise<Recipient[] | string> {
  if (target.whom === 'Customer') {
    const { customerName, customerEmail: email } = unit;
    if (email === '') return 'The work unit has no email address of its customer.';
    const reader = await readerAtAddress(db, email);
    return [{ personId: null, name: customerName || email, email, whom: 'Customer', mayAcknowledge: false, reader }];
  }
  if (target.whom === 'Assignee') {
    if (unit.assignedTo === '') return 'The work unit is assigned to nobody.';
    const people = await db.query<RecipientRow>({ name: 'notify-user', text: byUserName, values: [tenantId, unit.assignedTo] });
    return people.length > 0 ? named(people, 'Assigned to') : `${unit.assignedTo} is not a person with rights in this tenant.`;
  }
  if (target.whom === 'Group') {
    const people = await db.query<RecipientRow>({ name: 'notify-group', text: byClaim, values: [tenantId, target.group] });
    return people.length > 0 ? named(people, `Group ${target.group}`) : `The group ${target.group} has nobody with rights in this tenant.`;
  }
  if (target.whom === 'Person') {
    const people = await db.query<RecipientRow>({ name: 'notify-person', text: byId, values: [tenantId, target.personId] });
    return people.length > 0 ? named(people, 'Named by the protocol') : 'The person is disabled or has no rights in this tenant any more.';
  }
  const [schedule] = await loadSchedules(db, [target.scheduleId], at, at + 1);
  if (!schedule || schedule.tenantId !== tenantId) return 'The on-call schedule is no longer there.';
  const [shift] = finalShifts(schedule, schedule.overrides, at, at + 1);
  if (!shift) return `Nobody is on call in ${schedule.name} now.`;
  const people = await db.query<RecipientRow>({ name: 'notify-person', text: byId, values: [tenantId, shift.personId] });
  return people.length > 0
    ? named(people, asOnCall(schedule.name))
    : `The person who is on call in ${schedule.name} is disabled or has no rights in this tenant any more.`;
}
