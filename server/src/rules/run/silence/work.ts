/** The sweeps of silence as periodic work that is divided among the processes. */
import type { Db } from '../../../db/db.ts';
import type { SharedPeriodic } from '../../../jobs/schedule.ts';
import { currentTime } from '../../../platform/clock.ts';
import { recentGaps } from '../pulse.ts';
import { silenceSweepMs } from '../silence.ts';
import { readOperationsOf, shareOf, takeAnnounced } from './reads.ts';
import { SilenceShare, type SilenceCaches } from './sweep.ts';

/** How many entities each sweep of a share reads although they are not due. */
const checkedAtOnce = 100;

const work = 'silence';
const shareCount = 8;

/** Sweeps of one process. Each share of the tenants has one process at a time, which keeps it as long as it lives. */
export function silenceWork(caches: SilenceCaches, { checked = checkedAtOnce } = {}): SharedPeriodic {
  const shares = new Map<number, SilenceShare>();
  let changed = new Set<string>();
  caches.entities.onChange((ids) => {
    if (ids === 'all') for (const share of shares.values()) share.touch('all');
    else for (const id of ids) changed.add(id);
  });
  /** Tells all shares which entities have changed, because it is not known whose these are. */
  async function touchChanged(db: Db): Promise<void> {
    if (changed.size === 0) return;
    const ids = [...changed];
    changed = new Set();
    ids.push(...(await readOperationsOf(db, ids)));
    for (const share of shares.values()) share.touch(ids);
  }
  return {
    name: work,
    everyMs: silenceSweepMs,
    aligned: true,
    shares: shareCount,
    async run(db, { runner, shares: assigned }) {
      const failures: unknown[] = [];
      try {
        for (const { share, continues } of assigned)
          if (!continues || !shares.has(share))
            shares.set(share, new SilenceShare((tenantId) => shareOf(tenantId, shareCount) === share, checked));
        await touchChanged(db);
        const numbers = assigned.map(({ share }) => share);
        const announced = await takeAnnounced(db, work, shareCount, runner, numbers);
        for (const { share, entity_id: id } of announced) shares.get(share)?.touch([id]);
        const gaps = await recentGaps(db);
        for (const number of numbers)
          await shares
            .get(number)
            ?.run({ db, caches, now: currentTime(), gaps })
            .catch((error: unknown) => {
              // What it had taken from what is due is lost, so it reads everything next time; the tenants of other shares do not wait for it.
              shares.delete(number);
              failures.push(error);
            });
      } catch (error) {
        // What had changed or was announced is taken, and no share may have it.
        shares.clear();
        throw error;
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
