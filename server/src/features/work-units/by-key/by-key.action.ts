/** Opens, finds and closes work units by the keys of other systems. */
import { closeByKey, findByKey, openByKey } from '@cloudfit/contract/actions/work-units/by-key.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { forbidden, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { createFromBody } from '../../../resources/create.ts';
import { loadRows } from '../../../resources/get.ts';
import { list } from '../../../resources/list.ts';
import { isTenantInScope, mayWrite } from '../../../resources/references.ts';
import { update } from '../../../resources/update.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { servedToReporters, servedWorkUnitNotes, servedWorkUnits } from '../work-units.served.ts';

/** A key, with the tenant that it belongs to. */
interface UnitKey {
  tenantId: string;
  source: string;
  key: string;
}

/** Throws 400 when the call names no tenant of the caller, and the caller has several. */
function keyIn(ctx: Ctx, { tenantId, source, key }: Omit<UnitKey, 'tenantId'> & { tenantId?: string | undefined }): UnitKey {
  const [only, ...others] = ctx.tenants === 'all' ? [] : ctx.tenants;
  const tenant = tenantId ?? (others.length === 0 ? only : undefined);
  if (tenant === undefined) throw validationFailed([{ target: 'tenantId', message: 'Please name the tenant: you have several.' }]);
  if (!isTenantInScope(ctx, tenant)) throw validationFailed([{ target: 'tenantId', message: 'Tenant was not found.' }]);
  return { tenantId: tenant, source, key };
}

function requireVerb(ctx: Ctx, verb: 'create' | 'edit', { tenantId }: UnitKey): void {
  if (!mayWrite(ctx, servedWorkUnits, verb, { tenantId }))
    throw forbidden(`You do not have the permission ${permission(workUnits.area, verb)} there.`);
}

const valuesOf = ({ tenantId, source, key }: UnitKey) => [tenantId, source, key];

/** Adds the key, or locks the row that it has, until the end of the transaction. */
const claim = `insert into work_unit_key (tenant_id, source, key) values ($1, $2, $3)
  on conflict (tenant_id, source, key) do update set key = excluded.key returning work_unit_id as "workUnitId"`;
const lock = `select work_unit_id as "workUnitId" from work_unit_key where tenant_id = $1 and source = $2 and key = $3 for update`;
const link = 'update work_unit_key set work_unit_id = $4 where tenant_id = $1 and source = $2 and key = $3';

/** Returns the open unit of the key, locked; undefined if there is none, or the one there was has moved to another tenant. */
async function openUnit(ctx: Ctx, statement: string, unitKey: UnitKey): Promise<WorkUnitRow | undefined> {
  const [row] = await ctx.db.query<{ workUnitId: string | number | null }>({ text: statement, values: valuesOf(unitKey) });
  if (!row?.workUnitId) return undefined;
  const unit = (await loadRows(ctx, servedWorkUnits, [row.workUnitId])).get(String(row.workUnitId)) as WorkUnitRow | undefined;
  return unit && unit.tenantId === unitKey.tenantId && !isEnded(unit.stateId) ? unit : undefined;
}

async function addNote(ctx: Ctx, { workUnitId }: WorkUnitRow, note: string | undefined): Promise<void> {
  if (note !== undefined) await createFromBody(ctx, servedWorkUnitNotes, { workUnitId, detail: note });
}

const open = implement(openByKey, async (ctx, { workUnit, note, ...named }) => {
  const unitKey = keyIn(ctx, named);
  requireVerb(ctx, 'create', unitKey);
  return inTransaction(ctx, async (ctx) => {
    const already = await openUnit(ctx, claim, unitKey);
    if (already) {
      await addNote(ctx, already, note);
      return { opened: false, workUnit: already };
    }
    const body = { workUnitTypeId: workUnitType.incident, referenceId: unitKey.key, ...workUnit, tenantId: unitKey.tenantId };
    const unit = await createFromBody(ctx, servedWorkUnits, body);
    await ctx.db.query({ text: link, values: [...valuesOf(unitKey), unit.workUnitId] });
    await addNote(ctx, unit, note);
    return { opened: true, workUnit: unit };
  });
});

const find = implement(findByKey, async (ctx, named) => {
  const unitKey = keyIn(ctx, named);
  const [row] = await ctx.db.query<{ workUnitId: string | number }>({
    text: 'select work_unit_id as "workUnitId" from work_unit_key where tenant_id = $1 and source = $2 and key = $3 and work_unit_id is not null',
    values: valuesOf(unitKey),
  });
  const query = `$filter=workUnitId eq ${row?.workUnitId} and tenantId eq ${unitKey.tenantId}`;
  const [unit] = row ? (await list(ctx, servedWorkUnits, query)).value : [];
  if (!unit) throw notFound('A work unit of this key');
  return unit;
});

const close = implement(closeByKey, async (ctx, { note, resolution, ...named }) => {
  const unitKey = keyIn(ctx, named);
  requireVerb(ctx, 'edit', unitKey);
  return inTransaction(ctx, async (ctx) => {
    const unit = await openUnit(ctx, lock, unitKey);
    if (!unit) return { closed: false, workUnit: null };
    await addNote(ctx, unit, note);
    const fields = { stateId: 'Resolved', ...(resolution === undefined ? {} : { resolution }) } as const;
    const row = await update(ctx, servedToReporters, unit.workUnitId, fields);
    return { closed: true, workUnit: row };
  });
});

export const byKeyActions: readonly ImplementedAction[] = [open, find, close];
