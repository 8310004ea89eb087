/** The entries that a change adds to the feed of a work unit: who, which field, before and after. */
import { sql, type RawBuilder } from '../../../db/sql.ts';
import type { HistoryType } from '@cloudfit/contract/enums.ts';
import { shortened } from '@cloudfit/contract/one-line.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import type { RowChange } from '../../../resources/served.ts';
import type { WorkUnitRow } from '../state.rules.ts';

export interface HistoryEntry {
  historyType: HistoryType;
  detail: string;
  field?: string;
  oldValue?: string | null;
  newValue?: string | null;
}

/** Fields that follow the clocks of a unit's service level. */
export const levelFields = ['clockDue', 'clockWarn', 'levelWarned', 'levelBreached'] as const;

/** Fields that the server sets by itself, so the feed leaves them out. */
const silentFields: ReadonlySet<string> = new Set(['modified', 'modifiedBy', 'resolved', 'unansweredSince', 'snoozedBy', ...levelFields]);

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type HistoryNames = ReadonlyMap<string, string>;

function shown(value: unknown, field: Field, names: HistoryNames): string {
  if (value === null || value === undefined || value === '') return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `${value.length} chosen`;
  const label = names.get(String(value)) ?? field.choices?.find((c) => c.value === value)?.label ?? asText(value) ?? '';
  return shortened(label, 120);
}

const referred = {
  tenantId: 'select tenant_id::text as id, name from tenant where tenant_id = any($1::text[]::uuid[])',
  workUnitTypeId: 'select work_unit_type_id::text as id, name from work_unit_type where work_unit_type_id = any($1::text[]::bigint[])',
  workUnitCategoryId:
    'select work_unit_category_id::text as id, name from work_unit_category where work_unit_category_id = any($1::text[]::uuid[])',
  workUnitSubcategoryId:
    'select work_unit_subcategory_id::text as id, name from work_unit_subcategory where work_unit_subcategory_id = any($1::text[]::uuid[])',
  protocolId: 'select protocol_id::text as id, name from protocol where protocol_id = any($1::text[]::uuid[])',
} as const;

/** Returns the display names of the rows to which the changed fields refer before and after, by id. */
export async function namesOf(ctx: Ctx, { before, after, changed }: RowChange<WorkUnitRow>): Promise<HistoryNames> {
  const names = new Map<string, string>();
  for (const field of Object.keys(referred) as (keyof typeof referred)[]) {
    if (!changed.includes(field)) continue;
    const ids = [before?.[field], after[field]].filter((id) => id !== null && id !== undefined);
    const rows = await ctx.db.query<{ id: string; name: string }>({ text: referred[field], values: [ids] });
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

/** Returns the display names of all rows to which two states of a unit refer. */
export function namesBetween(ctx: Ctx, before: WorkUnitRow, after: WorkUnitRow): Promise<HistoryNames> {
  return namesOf(ctx, { verb: 'update', before, after, changed: Object.keys(referred) as (keyof typeof referred)[] });
}

/**
 * Returns one entry for each changed field that the feed shows. The feed of a unit that moves to another tenant is read by the people there,
 * so a change that moves it says neither where it was nor what it was there.
 */
export function fieldChanges(change: RowChange<WorkUnitRow>, names: HistoryNames): HistoryEntry[] {
  const isMoved = change.before !== null && change.changed.includes('tenantId');
  return change.changed
    .filter((name) => !silentFields.has(name))
    .map((name) => {
      const field: Field = workUnits.fields[name];
      const before = change.before?.[name];
      const after = change.after[name];
      const from = isMoved ? '' : ` from ${shown(before, field, names)}`;
      return {
        historyType: name === 'stateId' ? 'WorkUnitStateChange' : 'FieldChange',
        detail: `${field.label} changed${from} to ${shown(after, field, names)}.`,
        field: name,
        oldValue: isMoved ? null : asText(before),
        newValue: asText(after),
      };
    });
}

/**
 * Returns the statement part that adds an event to the feed together with a row, see `along` of `Served`. `unit` is the id of
 * the event's unit.
 */
export function eventAlong(ctx: Ctx, unit: RawBuilder<unknown>, detail: string): RawBuilder<unknown> {
  return sql`insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
    select ${unit}, tenant_id, ${detail}, ${'WorkUnitEvent' satisfies HistoryType}, ${actorName(ctx)}, ${ctx.correlationId}::uuid from wire`;
}

/** Appends entries to the feed, in their order. */
export async function writeHistory(
  ctx: Ctx,
  unit: { workUnitId: number; tenantId: string },
  entries: readonly HistoryEntry[],
  by = actorName(ctx),
): Promise<void> {
  if (entries.length === 0) return;
  await ctx.db.defer({
    name: 'write-history',
    text: `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, field, old_value, new_value, created_by, correlation_id)
      select $1, $2, e.detail, e.kind, e.field, e.old_value, e.new_value, $3, $4
      from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) with ordinality as e (detail, kind, field, old_value, new_value, n) order by n`,
    values: [
      unit.workUnitId,
      unit.tenantId,
      by,
      ctx.correlationId,
      entries.map((e) => e.detail),
      entries.map((e) => e.historyType),
      entries.map((e) => e.field ?? null),
      entries.map((e) => e.oldValue ?? null),
      entries.map((e) => e.newValue ?? null),
    ],
  });
}
