/**
 * Imports and exports control sets as files. A set is identified by its name, a control by its name in the set, so the second
 * import of a file changes nothing.
 */
import type { ControlSetChanges } from '@cloudfit/contract/actions/compliance.ts';
import type { ControlSetDocument } from '@cloudfit/contract/compliance/control-set.ts';
import { sql } from '../../db/sql.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedControls, servedControlSets } from './compliance.served.ts';
import { readControlSet } from './read-document.ts';

interface PositionedControl {
  name: string;
  title: string;
  description: string | null;
  position: number;
}

interface ExistingControl extends PositionedControl {
  id: string;
  used: boolean;
}

interface Set {
  id: string;
  name: string;
  description: string | null;
}

async function setNamed(ctx: Ctx, name: string): Promise<Set | undefined> {
  const [set] = await ctx.db.query<Set>({
    text: 'select id, name, description from control_set where lower(name) = lower($1) for update',
    values: [name],
  });
  return set;
}

function controlsOf(ctx: Ctx, setId: string): Promise<ExistingControl[]> {
  return ctx.db.query<ExistingControl>({
    text: `select id, name, title, description, position, exists (select from control_status s where s.control_id = c.id) as used
from control c where control_set_id = $1 order by position, id for update of c`,
    values: [setId],
  });
}

function differs(a: PositionedControl, b: PositionedControl): boolean {
  return a.title !== b.title || a.description !== b.description || a.position !== b.position;
}

interface ImportPlan {
  changes: ControlSetChanges;
  create: PositionedControl[];
  update: { before: ExistingControl; after: PositionedControl }[];
  remove: ExistingControl[];
}

function planOf(document: ControlSetDocument, set: Set | undefined, existing: readonly ExistingControl[]): ImportPlan {
  const requested = document.controls.map((control, position): PositionedControl => ({
    ...control,
    description: control.description ?? null,
    position,
  }));
  const byName = new Map(existing.map((control) => [control.name, control]));
  const names = new Set(requested.map((control) => control.name));
  const removed = existing.filter((control) => !names.has(control.name));
  const update = requested.flatMap((after) => {
    const before = byName.get(after.name);
    return before && differs(before, after) ? [{ before, after }] : [];
  });
  const create = requested.filter((control) => !byName.has(control.name));
  const remove = removed.filter((item) => !item.used);
  return {
    create,
    update,
    remove,
    changes: {
      name: set?.name ?? document.name,
      isNew: set === undefined,
      described: set !== undefined && set.description !== (document.description ?? null),
      created: create.map((control) => control.name),
      updated: update.map(({ after }) => after.name),
      removed: remove.map((control) => control.name),
      kept: removed.filter((item) => item.used).map((control) => control.name),
      unchanged: requested.length - create.length - update.length,
    },
  };
}

async function makeSet(ctx: Ctx, document: ControlSetDocument): Promise<string> {
  const values = sql`values (${document.name}, ${document.description ?? null})`;
  const row = await writeRecorded(
    ctx,
    servedControlSets,
    'create',
    sql`insert into control_set (name, description) ${values} on conflict do nothing returning *`,
    null,
  );
  if (!row) throw new ApiError('Conflict', `The control set ${document.name} is being imported by somebody else. Please try again.`);
  return row.id;
}

async function write(ctx: Ctx, document: ControlSetDocument, set: Set | undefined, plan: ImportPlan): Promise<void> {
  const setId = set?.id ?? (await makeSet(ctx, document));
  if (set && plan.changes.described) {
    const change = sql`update control_set set description = ${document.description ?? null}, modified = now(), version = version + 1 where id = ${setId} returning *`;
    await writeRecorded(ctx, servedControlSets, 'update', change, { ...set });
  }
  if (plan.create.length > 0) {
    const rows = sql`jsonb_to_recordset(${JSON.stringify(plan.create)}::jsonb) as c (name text, title text, description text, position int)`;
    const insert = sql`insert into control (control_set_id, name, title, description, position) select ${setId}::uuid, name, title, description, position from ${rows} returning *`;
    await writeRecorded(ctx, servedControls, 'create', insert, null);
  }
  const was = ({ used: _used, ...before }: ExistingControl) => ({ ...before, controlSetId: setId });
  for (const { before, after } of plan.update) {
    const change = sql`update control set title = ${after.title}, description = ${after.description}, position = ${after.position}, modified = now(), version = version + 1 where id = ${before.id} returning *`;
    await writeRecorded(ctx, servedControls, 'update', change, was(before));
  }
  for (const removed of plan.remove)
    await writeRecorded(ctx, servedControls, 'delete', sql`delete from control where id = ${removed.id} returning *`, was(removed));
}

/**
 * Imports a parsed file and returns the changes; with `dryRun`, only returns them. Requires the permission to edit Compliance
 * in all tenants.
 */
export async function importControlSet(ctx: Ctx, document: unknown, options: { dryRun?: boolean } = {}): Promise<ControlSetChanges> {
  requirePermission(ctx, 'Compliance', 'edit', null);
  const requested = readControlSet(document);
  return inTransaction(ctx, async (inside) => {
    const set = await setNamed(inside, requested.name);
    const plan = planOf(requested, set, set ? await controlsOf(inside, set.id) : []);
    if (!options.dryRun) await write(inside, requested, set, plan);
    return plan.changes;
  });
}

/** Returns every control set in the form that `importControlSet` reads. */
export async function exportControlSets(ctx: Ctx): Promise<ControlSetDocument[]> {
  requirePermission(ctx, 'Compliance', 'view');
  return ctx.db.query<ControlSetDocument>({
    text: `select s.name, s.description, (select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'title', c.title, 'description', c.description) order by c.position, c.id), '[]')
  from control c where c.control_set_id = s.id) as controls
from control_set s order by s.name collate natural_order`,
  });
}
