/** Informs open pages which tenants have new packets, at most every two seconds. The pages then load what they show. */
import type { Logger } from 'pino';
import { notify } from '../db/notify.ts';
import type { Database } from '../db/connection.ts';
import type { TenantScope } from '../db/db.ts';

const quietMs = 2_000;

export interface Announcer {
  packetsStored(tenants: TenantScope): void;
  stop(): void;
}

export function createAnnouncer(database: Database, log: Logger): Announcer {
  const db = database.scoped('all');
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    if (waiting.size === 0) return;
    const tenants = [...waiting];
    waiting.clear();
    timer = setTimeout(tell, quietMs);
    notify(db, 'packets', tenants).catch((error: unknown) => log.warn({ err: error }, 'Stored packets could not be announced.'));
  }

  return {
    packetsStored: (tenants) => {
      if (tenants === 'all') return;
      for (const tenant of tenants) waiting.add(tenant);
      timer ??= setTimeout(tell, 0);
    },
    stop: () => clearTimeout(timer),
  };
}
