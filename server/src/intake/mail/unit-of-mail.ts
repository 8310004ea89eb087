/** Which unit a mail answers, and who its sender is to the tenant. */
import type { Ctx } from '../../context/ctx.ts';
import { mayEditUnits } from '../../features/work-units/viewers.ts';
import { numberInSubject } from './mail-text.ts';
import type { ParsedMail } from './parse-mail.ts';

/** A unit that a mail answers, and whether its sender is a customer of it or works on units. */
export interface AnsweredUnit {
  workUnitId: number;
  publicWorkUnitId: number;
  from: 'customer' | 'desk';
  /** Whether it refers to a mail of this server, or names the unit as those do. */
  answersHere: boolean;
}

interface CandidateRow {
  work_unit_id: number;
  public_work_unit_id: number;
  is_stakeholder: boolean;
  is_desk: boolean;
  is_part: boolean;
  was_sent: boolean;
}

/** SQL: people whose verified address is the sender's. Who is disabled is nobody. */
const isSender = `p.enabled and p.email_verified and lower(p.email) = $2`;
const isDesk = `exists (select from person p where ${isSender} and ${mayEditUnits('$1::uuid')})`;

// Ids of mails of this server name the unit for whoever got them, because nobody can guess one; those of others, and numbers, name it for
// its people only. Both are looked for in the tenant of the mailbox alone.
const candidates = `with named as (
  select u.work_unit_id, u.created as at, true as was_sent from unit_mail u where u.tenant_id = $1 and u.message_id = any($3::uuid[])
  union all select m.work_unit_id, m.received, false from mailbox_mail m
    where m.tenant_id = $1 and m.message_id = any($4::text[]) and m.outcome in ('Opened', 'Replied')
  union all select w.work_unit_id, w.created, false from work_unit w where w.tenant_id = $1 and w.public_work_unit_id = $5
)
select w.work_unit_id, w.public_work_unit_id, bool_or(n.was_sent) as was_sent, ${isDesk} as is_desk,
  coalesce(w.stake_holder_email_key = $2, false) as is_stakeholder,
  exists (select from person p where ${isSender} and p.user_name = w.created_by)
    or exists (select from mailbox_mail m where m.work_unit_id = w.work_unit_id and m.tenant_id = $1 and m.sender = $2 and m.outcome in ('Opened', 'Replied'))
    or exists (select from unit_mail u where u.work_unit_id = w.work_unit_id and u.tenant_id = $1
      and $2 = any(regexp_split_to_array(lower(u.recipients), '[,;<>[:space:]]+'))) as is_part
from named n join work_unit w on w.work_unit_id = n.work_unit_id and w.tenant_id = $1
group by w.work_unit_id, w.public_work_unit_id, w.stake_holder_email_key, w.created_by
order by bool_or(n.was_sent) desc, max(n.at) desc limit 50`;

const ownId = /^([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})@/i;

/** The ids among these of mails that this server has sent, as they are stored. */
export const ownIdsOf = (messageIds: readonly string[]): string[] => messageIds.flatMap((id) => ownId.exec(id)?.[1]?.toLowerCase() ?? []);

/** Returns the unit that the mail answers; undefined when it answers none, or none that its sender has to do with. */
export async function unitOfMail(ctx: Ctx, tenantId: string, mail: ParsedMail): Promise<AnsweredUnit | undefined> {
  const number = numberInSubject(mail.subject) ?? null;
  const sent = ownIdsOf(mail.references);
  if (mail.references.length === 0 && number === null) return undefined;
  const rows = await ctx.db.query<CandidateRow>({
    name: 'unit-of-mail',
    text: candidates,
    values: [tenantId, mail.sender ?? '', sent, mail.references, number],
  });
  const row = rows.find((unit) => unit.was_sent || unit.is_stakeholder || unit.is_part || unit.is_desk);
  if (!row) return undefined;
  // Whoever asks for help in a unit is its customer, even a colleague; somebody else who may edit units works on it.
  const from = row.is_stakeholder || !row.is_desk ? 'customer' : 'desk';
  return { workUnitId: row.work_unit_id, publicWorkUnitId: row.public_work_unit_id, from, answersHere: row.was_sent || number !== null };
}

/** What the tenant knows of a sender. */
export interface SenderFacts {
  name: string | null;
  phone: string | null;
}

// Of a person with a grant in the tenant, a caller of earlier units, and a contact, in this order.
const sender = `select p.name, u.phone from person p
  left join lateral (select stake_holder_phone_number as phone from work_unit w
    where w.tenant_id = $1 and w.stake_holder_email_key = $2 and w.stake_holder_phone_number is not null order by w.created desc limit 1) u on true
where ${isSender} and exists (select from access_grant g where g.tenant_id = $1 and g.person_id = p.person_id)
union all (select stake_holder_full_name, stake_holder_phone_number from work_unit w
  where w.tenant_id = $1 and w.stake_holder_email_key = $2 and not w.is_spam_call order by w.created desc limit 1)
union all (select c.name, null from communication_contact c where c.tenant_id = $1 and c.email = $2 and c.active limit 1)`;

/** Returns what the tenant knows of an address; undefined for an unknown one. */
export async function senderFacts(ctx: Ctx, tenantId: string, address: string): Promise<SenderFacts | undefined> {
  const rows = await ctx.db.query<{ name: string | null; phone: string | null }>({
    name: 'sender-of-mail',
    text: sender,
    values: [tenantId, address],
  });
  return rows.length === 0
    ? undefined
    : { name: rows.find(({ name }) => name)?.name ?? null, phone: rows.find(({ phone }) => phone)?.phone ?? null };
}
