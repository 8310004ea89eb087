/** Mails to the subscribers of status pages when maintenance of a component is planned, changed, canceled, started or ended. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import type { Db } from '../../db/db.ts';
import { momentText } from '../../platform/times.ts';
import { mailSubscribers, type SubscriberMail } from './mail-subscribers.ts';
import { maintenanceNews, type MaintenanceNews, type MaintenancePhase } from './maintenance-news.rules.ts';
import { publicPage, readMaintenance, type PublishedPage, type ShownWindow } from './read-status.ts';
import type { SubscriptionLinks } from './subscription-links.ts';
/**
 * The days ahead for which maintenance is read: longer than for announcements, so that a change of an announced plan is
 * noticed.
 */
const followedDays = 400;
const maxOfPage = 2_000;

// Only pages whose tenant has maintenance, or whose subscribers have not been told of its end.
const pagesText = `${publicPage} and (exists (select from maintenance_window w where w.tenant_id = p.tenant_id and w.ends_at > $1::timestamptz)
  or exists (select from status_maintenance_told m where m.status_page_id = p.status_page_id and m.phase <> 'Ended'))`;

interface NotifiedMaintenanceRow {
  id: string;
  phase: MaintenancePhase;
  from: number;
  to: number;
  reportedAt: number;
  components: string[];
}

const lastNewsText = `select maintenance_window_id as id, phase, components, (extract(epoch from starts_at) * 1000)::float8 as "from",
    (extract(epoch from ends_at) * 1000)::float8 as "to", (extract(epoch from told) * 1000)::float8 as "reportedAt"
  from status_maintenance_told where status_page_id = $1 and (phase <> 'Ended' or maintenance_window_id = any($2::uuid[]))`;

// Of two workers with the same news, only the first writes a row and sends mails.
const first = `insert into status_maintenance_told (status_page_id, maintenance_window_id, tenant_id, phase, starts_at, ends_at, components)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (status_page_id, maintenance_window_id) do nothing returning 1`;
const again = `update status_maintenance_told set phase = $3, starts_at = $4, ends_at = $5, components = $6, told = now()
  where status_page_id = $1 and maintenance_window_id = $2 and phase = $7 and starts_at = $8 and ends_at = $9 returning 1`;

const iso = (ms: number) => new Date(ms).toISOString();

type MaintenanceFacts = Pick<ShownWindow, 'components' | 'from' | 'to'>;

/** Returns the texts of a mail. The reason of a maintenance is for staff only: visitors learn what it affects, and when. */
const mailOf =
  (title: string, what: MaintenanceNews['what'], { components, from, to }: MaintenanceFacts): SubscriberMail =>
  (texts, reader) => {
    const names = components.join(', ');
    const text = texts.maintenance[what](names, momentText(reader, from), momentText(reader, to));
    return { subject: startOf(texts.maintenanceSubject(title, names, texts.what[what]), 250), texts: [text] };
  };

async function notifyPage(
  tx: Db,
  page: PublishedPage,
  id: string,
  last: NotifiedMaintenanceRow | undefined,
  shown: ShownWindow | undefined,
  now: Date,
): Promise<SubscriberMail | undefined> {
  const news = maintenanceNews(last, shown, now.getTime());
  const facts = shown ?? last;
  if (!news || !facts) return undefined;
  const { components, from, to } = facts;
  const key = [page.statusPageId, id];
  const values = [news.phase, iso(from), iso(to), components];
  const written = await tx.query(
    last
      ? { text: again, values: [...key, ...values, last.phase, iso(last.from), iso(last.to)] }
      : { text: first, values: [...key, page.tenantId, ...values] },
  );
  if (written.length === 0) return undefined;
  return mailOf(page.title, news.what, news.what === 'Canceled' && last ? last : facts);
}

/** Queues the mails; returns their number. `db` reads all tenants. */
export async function notifyOfMaintenance(db: Db, links: SubscriptionLinks, publicUrl: string, now = new Date()): Promise<number> {
  const since = new Date(now.getTime() - dayMs);
  const pages = await db.query<PublishedPage>({ name: 'status-pages-maintenance', text: pagesText, values: [since] });
  let mails = 0;
  for (const page of pages) {
    mails += await db.transaction(async (tx) => {
      const windows = await readMaintenance(tx, page, since, new Date(now.getTime() + followedDays * dayMs), maxOfPage);
      const rows = await tx.query<NotifiedMaintenanceRow>({
        name: 'status-maintenance-told',
        text: lastNewsText,
        values: [page.statusPageId, windows.map(({ id }) => id)],
      });
      const lastById = new Map(rows.map((row) => [row.id, row]));
      const shown = new Map(windows.map((window) => [window.id, window]));
      let queued = 0;
      for (const id of new Set([...shown.keys(), ...lastById.keys()])) {
        const mail = await notifyPage(tx, page, id, lastById.get(id), shown.get(id), now);
        if (mail) queued += await mailSubscribers(tx, page, mail, links, publicUrl);
      }
      return queued;
    });
  }
  return mails;
}
