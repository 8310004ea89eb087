/** Asks before a queued mail is sent whether its receiver has ended mails of its kind since, whose link the mail has. */
import type { Db } from '../../db/db.ts';
import { openSubscriptionLinks } from '../../features/status-pages/subscription-links.ts';
import { openDigestLinks } from '../../platform/digest-links.ts';
import { openReportLinks } from '../../platform/report-links.ts';
import type { Signer } from '../../platform/signed-text.ts';

const subscribed = 'select 1 from status_subscriber where status_subscriber_id = $1';
const reported = 'select 1 from report_schedule where report_schedule_id = $1 and $2 = any(receivers) and is_enabled';
const digested = 'select 1 from notification_preference where person_id = $1 and digest is not null';

/**
 * Whether the receiver of the link `unsubscribe` gets such mails no more. Mails to contacts are asked for by their row, which records the
 * outcome (`mayMailContact`).
 */
export type HasEnded = (db: Db, unsubscribe: string) => Promise<boolean>;

export function openEndedMails(masterKey: Signer): HasEnded {
  const [subscriptions, reports, digests] = [
    openSubscriptionLinks(masterKey, ''),
    openReportLinks(masterKey, ''),
    openDigestLinks(masterKey, ''),
  ];
  return async (db, unsubscribe) => {
    // A link is signed for one purpose, so at most one of these reads it.
    const token = unsubscribe.slice(unsubscribe.lastIndexOf('/') + 1);
    const subscriber = subscriptions.readUnsubscribe(token);
    if (subscriber)
      return (await db.query({ name: 'still-subscribed', text: subscribed, values: [subscriber.statusSubscriberId] })).length === 0;
    const report = reports.read(token);
    if (report)
      return (await db.query({ name: 'still-reported', text: reported, values: [report.reportScheduleId, report.personId] })).length === 0;
    const personId = digests.read(token);
    return personId !== undefined && (await db.query({ name: 'still-digested', text: digested, values: [personId] })).length === 0;
  };
}
