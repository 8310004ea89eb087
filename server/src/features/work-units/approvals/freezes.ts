/** Change freezes: the times in which a change needs an override to be approved or to start. */
import type { Ctx } from '../../../context/ctx.ts';
import type { WorkUnitRow } from '../state.rules.ts';

interface Freeze {
  name: string;
  startsAt: string;
  endsAt: string;
}

// Now counts too: a change that starts late runs in the freeze, whatever its plan says.
const touched = `select name, starts_at as "startsAt", ends_at as "endsAt" from change_freeze
where (tenant_id = $1 or tenant_id is null) and ends_at > $2 and (starts_at < $4 and ends_at > $3 or $5 and starts_at <= $2)
order by starts_at, change_freeze_id limit 1`;

const time = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Returns why the change may not be approved, or (with `starts`) not start, because of a freeze that is not over; undefined if it
 * may, also when its approval has been overridden.
 */
export async function frozenBecause(ctx: Ctx, unit: WorkUnitRow, starts = false): Promise<string | undefined> {
  if (unit.approvalOverriddenBy !== null) return undefined;
  const { tenantId, plannedStartTime, plannedFinishTime } = unit;
  const [freeze] = await ctx.db.query<Freeze>({
    name: 'freeze-of-change',
    text: touched,
    values: [tenantId, ctx.now().toISOString(), plannedStartTime ?? null, plannedFinishTime ?? null, starts],
  });
  if (!freeze) return undefined;
  const { name, startsAt, endsAt } = freeze;
  return `Changes are frozen from ${time(startsAt)} to ${time(endsAt)} (${name}). Plan this one at another time, or let somebody override its approval.`;
}
