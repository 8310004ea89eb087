/** Warns the owner of a token by mail, once, that the token expires soon. */
import { randomUUID } from 'node:crypto';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { dayText } from '../../platform/times.ts';
import { enqueueAll } from '../../jobs/queue.ts';
import type { Periodic } from '../../jobs/schedule.ts';

const noticeDays = 14;
const atOnce = 500;

interface EndingToken {
  name: string;
  expires_on: string | null;
  tenant_id: string;
  tenant: string;
  email: string;
  locale: Locale | null;
}

// Owners get the mail only after their address is verified. A token whose whole lifetime is at most `noticeDays` causes no
// mail.
const take = `with ending as (
  select t.token_grant_id from token_grant t join person p on p.person_id = t.owner_id
  where t.revoked_on is null and t.end_told_on is null and t.tenant_id is not null and t.expires_on > now()
    and t.expires_on < now() + make_interval(days => ${noticeDays}) and t.expires_on > t.created + make_interval(days => ${noticeDays}) and p.enabled and p.email_verified and p.email is not null
  order by t.expires_on limit ${atOnce} for update of t skip locked
)
update token_grant t set end_told_on = now() from ending, person p, tenant n
where t.token_grant_id = ending.token_grant_id and p.person_id = t.owner_id and n.tenant_id = t.tenant_id
returning t.name, t.expires_on, t.tenant_id, n.name as tenant, p.email, p.locale`;

function mailOf(token: EndingToken, publicUrl: string): { subject: string; text: string } {
  const reader = readerOf(token.locale);
  const { subject, text } = mailTextsFor(reader).tokenEnds;
  const day = dayText(reader, String(token.expires_on));
  return {
    subject: subject(token.name, day).replaceAll(/[\r\n]+/g, ' '),
    text: text(token.name, token.tenant, day, `${publicUrl}/${token.tenant_id}/tokens`),
  };
}

/** `publicUrl` is the address at which people open the portal. */
export function tokenEndWork(publicUrl: string): Periodic {
  return {
    name: 'token-end-notices',
    everyMs: 3_600_000,
    // `end_told_on` and the mail are written in one transaction, so that there is one mail for each token.
    run: async (db) => {
      for (let took = atOnce; took === atOnce;) {
        took = await db.transaction(async (tx) => {
          const tokens = await tx.query<EndingToken>({ text: take });
          const jobs = tokens.map((token) => ({
            name: 'send-mail',
            payload: {
              messageId: randomUUID(),
              tenantId: token.tenant_id,
              to: token.email,
              ...mailOf(token, publicUrl),
            },
            tenantId: token.tenant_id,
            correlationId: randomUUID(),
          }));
          await enqueueAll(tx, jobs);
          return tokens.length;
        });
      }
    },
  };
}
