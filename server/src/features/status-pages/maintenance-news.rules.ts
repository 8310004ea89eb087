/** The next news about a maintenance for subscribers of a status page, from its present state and the last news. */

export type MaintenancePhase = 'Planned' | 'Started' | 'Ended';

/** Times are milliseconds. */
export interface ShownMaintenance {
  from: number;
  to: number;
}

export interface NotifiedMaintenance extends ShownMaintenance {
  phase: MaintenancePhase;
  reportedAt: number;
}

export interface MaintenanceNews {
  phase: MaintenancePhase;
  what: MaintenancePhase | 'Changed' | 'Canceled';
}

/** The milliseconds before its start at which a maintenance is announced. */
export const announcedMs = 30 * 86_400_000;

/** The milliseconds within which several changes of the plan cause one mail. */
const pauseMs = 120_000;

function phaseAt({ from, to }: ShownMaintenance, now: number): MaintenancePhase {
  if (to <= now) return 'Ended';
  return from <= now ? 'Started' : 'Planned';
}

/**
 * Returns the next news about a maintenance for subscribers; undefined if there is none. `shown` is undefined if the page no
 * longer shows the maintenance.
 */
export function maintenanceNews(
  last: NotifiedMaintenance | undefined,
  shown: ShownMaintenance | undefined,
  now: number,
): MaintenanceNews | undefined {
  if (!shown) {
    if (!last || last.phase === 'Ended') return undefined;
    return { phase: 'Ended', what: last.phase === 'Planned' && last.to > now ? 'Canceled' : 'Ended' };
  }
  const phase = phaseAt(shown, now);
  // A maintenance that was over when it was first seen is no news; one that is too far ahead is not announced yet.
  if (!last) return phase === 'Ended' || shown.from > now + announcedMs ? undefined : { phase, what: phase };
  if (last.phase === 'Planned' && phase === 'Ended' && last.from > now) return { phase, what: 'Canceled' };
  if (last.phase !== phase) return { phase, what: last.phase === 'Started' && phase === 'Planned' ? 'Changed' : phase };
  const isMoved = phase === 'Planned' ? last.from !== shown.from || last.to !== shown.to : phase === 'Started' && last.to !== shown.to;
  return isMoved && last.reportedAt + pauseMs <= now ? { phase, what: 'Changed' } : undefined;
}
