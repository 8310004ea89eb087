/** Mails to the subscribers of status pages about public communications and about maintenance of the page's components. */
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { mailSubscribers } from './mail-subscribers.ts';
import type { SubscriptionLinks } from './subscription-links.ts';
import { notifyOfMaintenance } from './notify-of-maintenance.ts';
import { publicStatusTextsIn, statusText } from './texts.ts';

/** The minutes within which several changes cause one mail. */
const pauseMinutes = 2;
interface StatusUpdate {
  statusPageId: string;
  id: number;
  tenantId: string;
  status: string;
  isNew: boolean;
}

// Compares what an enabled page shows with what its subscribers were told, and records the difference as told. Of several
// workers, only the first writes the record and so gets the news.
const findNews = `with shown as (
  select p.status_page_id, p.tenant_id, c.work_unit_communication_id, c.status, coalesce((
    select array_agg(a.work_unit_communication_activity_id order by a.work_unit_communication_activity_id) from work_unit_communication_activity a
    where a.work_unit_communication_id = c.work_unit_communication_id and a.is_customer_facing and a.is_complete), '{}') as steps
  from status_page p join tenant t on t.tenant_id = p.tenant_id and t.enabled
  join work_unit_communication c on c.tenant_id = p.tenant_id and c.is_public
    and (c.status not in ('Resolved', 'Cancelled') or c.user_changed > now() - interval '1 day')
  where p.enabled
)
insert into status_told as s (status_page_id, work_unit_communication_id, tenant_id, status, steps)
select status_page_id, work_unit_communication_id, tenant_id, status, steps from shown
on conflict (status_page_id, work_unit_communication_id) do update set status = excluded.status, steps = excluded.steps, told = now()
  where (s.status <> excluded.status or not s.steps @> excluded.steps) and s.told < now() - make_interval(mins => ${pauseMinutes})
returning s.status_page_id as "statusPageId", s.work_unit_communication_id as id, s.tenant_id as "tenantId", s.status, xmax = 0 as "isNew"`;

interface Incident {
  pageTitle: string;
  address: string;
  title: string;
  details: string | null;
  update: string | null;
  step: number | null;
}

const readNews = `select p.title as "pageTitle", p.address, c.title, c.details, s.details as update, s.work_unit_communication_activity_id as step
  from status_page p join work_unit_communication c on c.work_unit_communication_id = $2
  left join lateral (
    select a.details, a.work_unit_communication_activity_id from work_unit_communication_activity a
    where a.work_unit_communication_id = c.work_unit_communication_id and a.is_customer_facing and a.is_complete
    order by coalesce(a.completed, a.modified) desc, a.work_unit_communication_activity_id desc limit 1) s on true
  where p.status_page_id = $1`;

// Contacts of the tenant who were mailed the update that is the news.
const mailedAlready = `select m.email from communication_update u join communication_mail m using (communication_update_id)
  where u.work_unit_communication_activity_id = $1 and u.status = $2 and m.state <> 'Failed'`;

const isOver = (status: string) => status === 'Resolved' || status === 'Cancelled';

async function mailOf(db: Db, news: StatusUpdate, links: SubscriptionLinks, publicUrl: string): Promise<number> {
  const [incident] = await db.query<Incident>({ text: readNews, values: [news.statusPageId, news.id] });
  if (!incident) return 0;
  const detail = incident.update ?? incident.details;
  const { title, pageTitle, address } = incident;
  const page = { statusPageId: news.statusPageId, tenantId: news.tenantId, title: pageTitle, address };
  const mailed = await db.query<{ email: string }>({ text: mailedAlready, values: [incident.step, news.status] });
  return mailSubscribers(
    db,
    page,
    ({ incident: text, incidentSubject }, { language }) => {
      const status = statusText(publicStatusTextsIn(language), news.status);
      return { subject: incidentSubject(pageTitle, title, status), texts: [text(title, status), ...(detail ? [detail] : [])] };
    },
    links,
    publicUrl,
    new Set(mailed.map(({ email }) => email)),
  );
}

/** Queues the mails; returns their number. `db` reads all tenants. */
export function notifySubscribers(db: Db, links: SubscriptionLinks, publicUrl: string): Promise<number> {
  return db.transaction(async (tx) => {
    const changes = await tx.query<StatusUpdate>({ name: 'status-news', text: findNews });
    let mails = 0;
    // An incident that was over when it was first seen is no news.
    for (const news of changes) if (!(news.isNew && isOver(news.status))) mails += await mailOf(tx, news, links, publicUrl);
    return mails;
  });
}

export function notifySubscribersWork(links: SubscriptionLinks, publicUrl: string): Periodic {
  return {
    name: 'status-subscribers',
    everyMs: 30_000,
    run: async (db) => {
      await notifySubscribers(db, links, publicUrl);
      await notifyOfMaintenance(db, links, publicUrl);
    },
  };
}
