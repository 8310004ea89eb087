/** Work units that somebody ends while their matches go on: they are watched, and the person is warned. */
import { isEnded, type WorkUnitRow } from './state.rules.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { RowChange } from '../../resources/served.ts';

interface LiveMatch {
  ruleName: string | null;
  secondsAgo: number;
  /** What the rule does while the match goes on; null when the rule was deleted or is disabled. */
  whileMatching: string | null;
  reopenSeconds: number | null;
  count: number;
}

// The latest match of the unit that has not ended.
const latest = `select r.name as "ruleName", extract(epoch from now() - m.last_match)::float8 as "secondsAgo",
  case when r.enabled then r.while_matching end as "whileMatching", r.reopen_after as "reopenSeconds", count(*) over ()::int as count
from unit_match m left join rule r on r.rule_id = m.rule_id
where m.work_unit_id = $1 and m.closed is null and m.expires > now() order by m.last_match desc limit 1`;

const watch = `insert into unit_watch as w (work_unit_id, tenant_id, since, hops) values ($1, $2, now(), $3)
on conflict (work_unit_id) do update set tenant_id = excluded.tenant_id, since = excluded.since, hops = excluded.hops, noted = null`;

/** Returns a span in the largest fitting unit: `12 s`, `5 min`. */
export function spanText(seconds: number): string {
  const [count, unit] = seconds < 90 ? [seconds, 's'] : seconds < 5_400 ? [seconds / 60, 'min'] : [seconds / 3_600, 'h'];
  return `${Math.max(0, Math.round(count))} ${unit}`;
}

function warningOf({ ruleName, secondsAgo, whileMatching, reopenSeconds, count }: LiveMatch): string {
  const others = count > 1 ? `, and ${count - 1} other open ${count === 2 ? 'match' : 'matches'}` : '';
  const still = `The fault still holds: the rule ${ruleName ?? '(deleted)'} matched ${spanText(secondsAgo)} ago${others}.`;
  const after = reopenSeconds ? ` after ${spanText(reopenSeconds)}` : '';
  if (whileMatching === 'Reopen') return `${still} The work unit opens again${after} if it goes on.`;
  if (whileMatching === 'New') return `${still} Another work unit opens${after} if it goes on.`;
  return `${still} Nothing tells of it until the match ends.`;
}

/**
 * Watches a unit that has ended while its match is open, so that it is opened again if the match goes on, and warns the caller.
 * Call it in the transaction of the change.
 */
export async function watchLiveMatches(ctx: Ctx, { before, after, changed }: RowChange<WorkUnitRow>): Promise<void> {
  // Units that people have opened have the matches of those that were merged into them.
  if (!changed.includes('stateId') || !isEnded(after.stateId) || (before && isEnded(before.stateId))) return;
  const { workUnitId, tenantId } = after;
  const [live] = await ctx.db.query<LiveMatch>({ name: 'unit-live-match', text: latest, values: [workUnitId] });
  if (!live) return;
  await ctx.db.defer({ name: 'unit-watch', text: watch, values: [workUnitId, tenantId, ctx.hops ?? 0] });
  ctx.warnings?.push({ key: workUnitId, message: warningOf(live) });
}
