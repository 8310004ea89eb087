/** Exports the statuses of the controls of the chosen sets for one tenant and week as a file. */
import { exportControlSets } from '@cloudfit/contract/actions/compliance.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { csvFile, type CsvColumn } from '../../resources/csv.ts';
import { list } from '../../resources/list.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { servedControlSets } from './compliance.served.ts';

/** The query options that choose control sets. `$expand` and `$select` of the portal's query do not affect the columns. */
const choosing = ['$filter', '$orderby', '$top', '$skip'] as const;

const column = (label: string, name: string): CsvColumn => ({ label, value: (row) => row[name] });
const columns: readonly CsvColumn[] = [
  column('Control Set', 'set'),
  column('Control', 'name'),
  column('Title', 'title'),
  column('Status', 'status'),
  column('Notes', 'notes'),
  column('Modified', 'modified'),
  column('Modified by', 'modifiedBy'),
];

const rowsOf = `select s.name as set, c.name, c.title, coalesce(x.status, 'Notset') as status, x.notes,
  to_char(x.modified at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as modified, x.modified_by as "modifiedBy"
from unnest($1::uuid[]) with ordinality as chosen (id, place)
join control_set s on s.id = chosen.id join control c on c.control_set_id = s.id
left join control_status x on x.control_id = c.id and x.tenant_id = $2 and x.check_date = $3
order by chosen.place, c.position, c.id`;

async function chosenSets(ctx: Ctx, input: Partial<Record<(typeof choosing)[number], string | undefined>>): Promise<string[]> {
  const query = choosing.flatMap((name) => (input[name] === undefined ? [] : [`${name}=${encodeURIComponent(input[name])}`]));
  const page = await list(ctx, servedControlSets, query.join('&'), { select: ['id'] });
  return page.value.map(({ id }) => id);
}

export const exportControlSetsAction = implement(exportControlSets, async (ctx, { startDate, tenantId, ...options }) => {
  requireTenant(ctx, tenantId);
  requirePermission(ctx, 'Compliance', 'view', tenantId);
  const monday = mondayOf(startDate);
  const rows = await ctx.db.query<Record<string, unknown>>({ text: rowsOf, values: [await chosenSets(ctx, options), tenantId, monday] });
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb: 'export',
    entity: 'controlSets',
    entityId: '',
    tenantId,
    after: { week: monday, rows: rows.length },
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
  return csvFile(`manualresults-wk-${monday.slice(0, 10)}.csv`, columns, rows);
});
