/** Opens a work unit when a source that must report has sent nothing for too long, and ends it when data comes again. */
import type { Logger } from 'pino';
import { workUnitType, type severities } from '@cloudfit/contract/enums.ts';
import { sources } from '@cloudfit/contract/resources/sources.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Database } from '../../db/connection.ts';
import { createWorkUnit } from '../../features/work-units/create.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import { recentGaps } from './pulse.ts';

interface WatchedSource {
  sourceId: string;
  tenantId: string;
  name: string;
  lastData: string | null;
  within: number | null;
  severity: (typeof severities)[number];
  protocolId: string | null;
  /** Why the latest of what it has sent since its last data was refused; null if it sent nothing. */
  refusal: string | null;
  lateWorkUnitId: number | null;
  unitState: string | null;
  hasNewData: boolean;
}

const columns = `s.source_id as "sourceId", s.tenant_id as "tenantId", s.name, s.last_data as "lastData", s.report_within as within, s.late_severity as severity,
  (select p.protocol_id from protocol p where p.protocol_id = s.late_protocol_id and (p.tenant_id is null or p.tenant_id = s.tenant_id)) as "protocolId",
  (select r.message from source_refusal r where r.source_id = s.source_id and r.last > coalesce(s.last_data, s.created) order by r.last desc limit 1) as refusal,
  s.late_work_unit_id as "lateWorkUnitId", w.state_id as "unitState", coalesce(s.last_data > s.late_since, false) as "hasNewData"
from intake_source s join tenant t on t.tenant_id = s.tenant_id left join work_unit w on w.work_unit_id = s.late_work_unit_id and w.tenant_id = s.tenant_id`;
const isWatched = 's.report_within is not null and s.enabled and t.enabled';
const lastSign = 'greatest(s.last_data, s.report_watched_since)';
/** After an outage of this installation a sender has so long, at most, to send again. */
const graceSeconds = 600;
// While no server took data ($1: the outages), a source could not report: that time does not count. It does not begin again either, because then
// a source that must report once a day would never be late where servers restart each night.
const away = `cross join lateral (
  select coalesce(sum(greatest(0, g.until - greatest(g."from", extract(epoch from ${lastSign}) * 1000))), 0)::float8 / 1000 as seconds,
    coalesce(max(g.until), 0) / 1000 as until
  from jsonb_to_recordset($1::jsonb) as g ("from" float8, until float8)
) a`;
const isLate = `${lastSign} < now() - make_interval(secs => s.report_within + a.seconds)
  and to_timestamp(a.until) < now() - make_interval(secs => least(s.report_within, ${graceSeconds}))`;

const late = `select ${columns} ${away} where ${isWatched} and s.late_since is null and ${isLate} and ($2::uuid is null or s.source_id = $2)
order by s.source_id limit 200 for no key update of s skip locked`;
// What was late before an outage is no less late after it.
const over = `select ${columns} where s.late_since is not null and not (${isWatched} and ${lastSign} < now() - make_interval(secs => s.report_within))
  and ($1::uuid is null or s.source_id = $1)
order by s.source_id limit 200 for no key update of s skip locked`;

const begin = `with late as (
  update intake_source set late_since = now(), late_work_unit_id = $2 where source_id = $1 returning tenant_id, source_id
)
${changed(sources, 'update', 'late', '$3')}`;
const end = `with over as (
  update intake_source set late_since = null, late_work_unit_id = null where source_id = $1 returning tenant_id, source_id
)
${changed(sources, 'update', 'over', '$2')}`;

const clock = (seconds: number): string =>
  [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');

async function open(ctx: Ctx, { sourceId, tenantId, name, lastData, within, severity, protocolId, refusal }: WatchedSource): Promise<void> {
  const last = lastData === null ? 'It has never sent any.' : `Its last data came at ${new Date(lastData).toISOString()}.`;
  const why = refusal === null ? '' : ` What it has sent since was refused: ${refusal}`;
  const unit = await createWorkUnit(ctx, {
    title: `The source ${name} sends no data`,
    description: `The source ${name} must report within ${clock(within ?? 0)}, and has not. ${last}${why}\n\nThis work unit ends by itself when data comes again.`,
    severityId: severity,
    workUnitTypeId: workUnitType.incident,
    protocolId,
    tenantId,
  });
  await ctx.db.query({ text: begin, values: [sourceId, unit?.workUnitId ?? null, ctx.correlationId] });
}

const isEnded = (state: string | null): boolean => state === null || state === 'Resolved' || state === 'Closed' || state === 'Canceled';

async function close(ctx: Ctx, { sourceId, name, lateWorkUnitId, unitState, hasNewData }: WatchedSource): Promise<void> {
  await ctx.db.query({ text: end, values: [sourceId, ctx.correlationId] });
  if (lateWorkUnitId === null || isEnded(unitState)) return;
  const resolution = hasNewData ? `The source ${name} sends data again.` : `The source ${name} no longer has to report, or has more time.`;
  await update(ctx, servedOf(workUnits), lateWorkUnitId, { stateId: 'Resolved', resolution });
}

/** Looks at all sources once. Each has a transaction of its own, so that one that fails does not hold up the others. */
export async function watchSources(database: Database, log: Logger): Promise<void> {
  const ctx = systemCtx({ database, log, name: 'Automation' });
  const gaps = JSON.stringify(await recentGaps(ctx.db));
  for (const [text, before, act] of [
    [late, [gaps], open],
    [over, [], close],
  ] as const) {
    const candidates = await ctx.db.query<WatchedSource>({ text, values: [...before, null] });
    for (const { sourceId } of candidates) {
      try {
        await ctx.db.transaction(async (db) => {
          const [source] = await db.query<WatchedSource>({ text, values: [...before, sourceId] });
          if (source) await act({ ...ctx, db }, source);
        });
      } catch (error) {
        log.error({ err: error, sourceId }, 'A source that must report could not be judged; it is tried again.');
      }
    }
  }
}

export const lateSourcesWork = (database: Database, log: Logger): Periodic => ({
  name: 'late-sources',
  everyMs: 10_000,
  run: () => watchSources(database, log),
});
