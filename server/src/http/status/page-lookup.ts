/** Caches the public pages by address until a page changes on any server, or a tenant is disabled or enabled. */
import type { Database } from '../../db/connection.ts';
import type { Channel } from '../../db/notify.ts';
import { findPublicPage, type PublishedPage } from '../../features/status-pages/read-status.ts';

/** Milliseconds for which a page is cached: a change that bypassed the servers is noticed after this time at the latest. */
const keptMs = 30_000;
/** Maximum number of cached addresses. Addresses that do not exist are cached too, so that repeating one costs no statement. */
const keptAddresses = 1_000;

export interface PageLookup {
  find(address: string): Promise<PublishedPage | undefined>;
  close(): Promise<void>;
}

export async function openPageLookup(database: Database): Promise<PageLookup> {
  const pages = new Map<string, { until: number; page: Promise<PublishedPage | undefined> }>();
  const close = await database.listen('status-pages' satisfies Channel, () => pages.clear());
  return {
    close,
    find(address) {
      const now = Date.now();
      const recent = pages.get(address);
      if (recent && recent.until > now) return recent.page;
      if (pages.size >= keptAddresses) pages.clear();
      const page = findPublicPage(database.scoped('all'), address);
      const entry = { until: now + keptMs, page };
      pages.set(address, entry);
      page.catch(() => {
        if (pages.get(address) === entry) pages.delete(address);
      });
      return page;
    },
  };
}
