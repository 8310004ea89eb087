/** Keeps who has opened a work unit, beside the path that reads it: a failure is logged and changes nothing for the reader. */
import type { Ctx } from '../../../context/ctx.ts';

export interface ReportedVisit {
  workUnitId: number;
  tenantId: string;
  way: 'page' | 'link';
  /** The person who looked, or to whom alone the link was sent. */
  personId: string | null;
  address?: string;
}

// A repeated report within the hour only reads. Two servers that report at once meet at the row, where the second changes nothing.
const keep = `insert into work_unit_seen as s (work_unit_id, way, person_id, address, tenant_id)
select w.work_unit_id, $2, p.person_id, $4, w.tenant_id from work_unit w left join person p on p.person_id = $3::uuid
where w.work_unit_id = $1 and w.tenant_id = $5 and ($3::uuid is null or p.person_id is not null)
  and not exists (select from work_unit_seen e where e.work_unit_id = $1 and e.way = $2 and e.person_id is not distinct from $3::uuid and e.address = $4
    and e.last_at > now() - interval '1 hour')
on conflict (work_unit_id, way, person_id, address) do update set last_at = now() where s.last_at <= now() - interval '1 hour'`;

export async function keepVisit(ctx: Ctx, { workUnitId, tenantId, way, personId, address = '' }: ReportedVisit): Promise<void> {
  try {
    await ctx.db.query({
      name: 'keep-seen',
      text: keep,
      values: [workUnitId, way, personId, personId === null ? address : '', tenantId],
    });
  } catch (error) {
    ctx.log.warn({ err: error, workUnitId }, 'Who has seen a work unit could not be stored.');
  }
}
