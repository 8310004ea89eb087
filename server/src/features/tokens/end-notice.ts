/**
 * Warns by mail, once, that a token expires soon: the owner of a token of a tenant, and those who are responsible where nobody is; and those
 * who are responsible for the installation, of the token by which a directory provisions people.
 */
import { randomUUID } from 'node:crypto';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { responsibleAddresses } from '../../auth/administrators.ts';
import { readerAtAddress } from '../../context/locale.ts';
import type { Db } from '../../db/db.ts';
import { enqueueAll, type NewJob } from '../../jobs/queue.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { readerOf, type TextReader } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { dayText } from '../../platform/times.ts';

const noticeDays = 14;
const atOnce = 500;

interface EndingToken {
  name: string;
  expires_on: string;
  tenant_id: string;
  tenant: string;
  /** Of the owner; null if there is none, or they have no address that is known to be theirs. */
  email: string | null;
  locale: Locale | null;
}

// A token whose whole lifetime is at most `noticeDays` causes no mail, nor does one whose owner is disabled, which is refused already.
const takeTokens = `with ending as (
  select t.token_grant_id, case when p.email_verified then p.email end as email, p.locale
  from token_grant t left join person p on p.person_id = t.owner_id
  where t.revoked_on is null and t.end_told_on is null and t.tenant_id is not null and t.expires_on > now()
    and t.expires_on < now() + make_interval(days => ${noticeDays}) and t.expires_on > t.created + make_interval(days => ${noticeDays})
    and (t.owner_id is null or p.enabled)
  order by t.expires_on limit ${atOnce} for update of t skip locked
)
update token_grant t set end_told_on = now() from ending e, tenant n
where t.token_grant_id = e.token_grant_id and n.tenant_id = t.tenant_id
returning t.name, coalesce(t.expires_on, now()) as expires_on, t.tenant_id, n.name as tenant, e.email, e.locale`;

interface EndingDirectoryToken {
  name: string;
  expires_on: string;
}

const takeDirectories = `with ending as (
  select s.directory_id from directory d join directory_secret s using (directory_id)
  where s.token_hash is not null and s.end_told_on is null and d.enabled and d.token_expires_on > now()
    and d.token_expires_on < now() + make_interval(days => ${noticeDays}) for update of s skip locked
)
update directory_secret s set end_told_on = now() from ending e, directory d
where s.directory_id = e.directory_id and d.directory_id = s.directory_id returning d.name, coalesce(d.token_expires_on, now()) as expires_on`;

interface NoticeRecipient {
  to: string;
  reader: TextReader;
}

async function responsibleFor(db: Db, tenantId: string | null): Promise<NoticeRecipient[]> {
  const recipients = [];
  for (const to of await responsibleAddresses(db, tenantId)) recipients.push({ to, reader: await readerAtAddress(db, to) });
  return recipients;
}

function mailJob(tenantId: string | null, to: string, { subject, text }: { subject: string; text: string }): NewJob {
  const payload = { messageId: randomUUID(), tenantId, to, subject: subject.replaceAll(/[\r\n]+/g, ' '), text };
  return { name: 'send-mail', payload, tenantId, correlationId: payload.messageId };
}

async function tokenMails(db: Db, token: EndingToken, publicUrl: string): Promise<NewJob[]> {
  const { name, expires_on, tenant_id: tenantId, tenant, email, locale } = token;
  const recipients = email === null ? await responsibleFor(db, tenantId) : [{ to: email, reader: readerOf(locale) }];
  return recipients.map(({ to, reader }) => {
    const { subject, text } = mailTextsFor(reader).tokenEnds;
    const day = dayText(reader, expires_on);
    return mailJob(tenantId, to, { subject: subject(name, day), text: text(name, tenant, day, `${publicUrl}/${tenantId}/tokens`) });
  });
}

async function directoryMails(db: Db, { name, expires_on }: EndingDirectoryToken, publicUrl: string): Promise<NewJob[]> {
  return (await responsibleFor(db, null)).map(({ to, reader }) => {
    const { subject, text } = mailTextsFor(reader).directoryTokenEnds;
    const day = dayText(reader, expires_on);
    return mailJob(null, to, { subject: subject(name, day), text: text(name, day, `${publicUrl}/directories`) });
  });
}

/** `publicUrl` is the address at which people open the portal. */
export function tokenEndWork(publicUrl: string): Periodic {
  return {
    name: 'token-end-notices',
    everyMs: 3_600_000,
    // `end_told_on` and the mails are written in one transaction, so that each is sent once.
    run: async (db) => {
      for (let took = atOnce; took === atOnce;) {
        took = await db.transaction(async (tx) => {
          const tokens = await tx.query<EndingToken>({ text: takeTokens });
          for (const token of tokens) await enqueueAll(tx, await tokenMails(tx, token, publicUrl));
          return tokens.length;
        });
      }
      await db.transaction(async (tx) => {
        for (const token of await tx.query<EndingDirectoryToken>({ text: takeDirectories }))
          await enqueueAll(tx, await directoryMails(tx, token, publicUrl));
      });
    },
  };
}
