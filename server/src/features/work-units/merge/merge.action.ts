/** Merges work units that are the same, and takes them apart again by what the merge recorded. */
import { mergeWorkUnits, splitWorkUnit } from '@cloudfit/contract/actions/work-units/merge.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Language } from '@cloudfit/contract/messages/language.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { update } from '../../../resources/update.ts';
import { writeHistory } from '../feed/history.ts';
import { wakeFor } from '../snooze/wake.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { servedOf } from '../../../resources/served.ts';

interface RuleLine {
  rule_id: string;
  subject_id: string;
  phase: string;
}

/** What taking apart restores. */
interface BeforeMerge {
  stateId: WorkUnitRow['stateId'];
  holdReason?: WorkUnitRow['holdReason'];
  resolution: string | null;
  matches: string[];
  lines: RuleLine[];
  groups: string[];
  relations: number[];
  watchers: string[];
}

// Groups, then rules and subjects, then units: the order in which matches lock them.
const lockGroups = 'select 1 from match_group where work_unit_id = any($1::bigint[]) order by match_group_id for update';
const lockLines = 'select 1 from rule_unit where work_unit_id = any($1::bigint[]) order by rule_id, subject_id, phase for update';
const mergesOf = 'select work_unit_id, into_id from work_unit_merge where work_unit_id = any($1::bigint[])';
const moveLines = 'update rule_unit set work_unit_id = $2, modified = now() where work_unit_id = $1 returning rule_id, subject_id, phase';
const linesBack = `update rule_unit u set work_unit_id = $1, modified = now()
from jsonb_to_recordset($3::jsonb) as l (rule_id uuid, subject_id uuid, phase text)
where u.rule_id = l.rule_id and u.subject_id = l.subject_id and u.phase = l.phase and u.work_unit_id = $2`;
const moveGroups = 'update match_group set work_unit_id = $2 where work_unit_id = $1 returning match_group_id as id';
const groupsBack = 'update match_group set work_unit_id = $2 where work_unit_id = $1 and match_group_id = any($3::uuid[])';
const moveMatches = (which: string) => `with linked as (
  update rule_match set work_unit_id = $2, modified = now(), version = version + 1 where ${which}
  returning tenant_id, rule_match_id, correlation_id
), told as (
  ${changed(ruleMatches, 'update', 'linked')}
)
select rule_match_id as id from linked`;
const matchesOver = moveMatches('work_unit_id = $1');
const matchesBack = moveMatches('work_unit_id = $1 and rule_match_id = any($3::uuid[])');
const addRelations = `with added as (
  insert into work_unit_relation (work_unit_id, tenant_id, reference_type, reference_id, created_by)
  select $2::bigint, tenant_id, reference_type, reference_id, $3::text from work_unit_relation
  where work_unit_id = $1 and reference_type not in ('WorkUnit', 'WorkUnitCommunication')
  union all select $2::bigint, $4::uuid, 'WorkUnit', $1::bigint::text, $3::text union all select $1::bigint, $4::uuid, 'WorkUnit', $2::bigint::text, $3::text
  on conflict do nothing returning tenant_id, work_unit_relation_id
), told as (
  ${changed(workUnitRelations, 'create', 'added', '$5')}
)
select work_unit_relation_id as id from added`;
const dropRelations = `with gone as (
  delete from work_unit_relation where work_unit_relation_id = any($1::bigint[]) returning tenant_id, work_unit_relation_id
), told as (
  ${changed(workUnitRelations, 'delete', 'gone', '$2')}
)
select 1 from gone`;
const addWatchers = `insert into work_unit_watcher (work_unit_id, person_id, tenant_id)
select $2::bigint, person_id, tenant_id from work_unit_watcher where work_unit_id = $1 on conflict do nothing returning person_id as id`;
const dropWatchers = 'delete from work_unit_watcher where work_unit_id = $1 and person_id = any($2::uuid[])';
const insertMerge = `insert into work_unit_merge (work_unit_id, into_id, tenant_id, before, created_by) values ($1, $2, $3, $4, $5)`;
const deleteMerge = 'delete from work_unit_merge where work_unit_id = $1 returning into_id, before';
const announce = `with moved as (select tenant_id, work_unit_id from work_unit where work_unit_id = any($1::bigint[]))
${changed(workUnits, 'update', 'moved', '$2')}`;

/** Locks the units, and what says which unit a match joins, so that merges and matches of them wait for each other. */
async function lockUnits(ctx: Ctx, ids: readonly number[]): Promise<Map<number, WorkUnitRow>> {
  await ctx.db.query({ text: lockGroups, values: [ids] });
  await ctx.db.query({ text: lockLines, values: [ids] });
  const units = new Map<number, WorkUnitRow>();
  for (const id of ids.toSorted((a, b) => a - b)) {
    const unit = await get(ctx, servedWorkUnits, id, { lock: 'edit' });
    requirePermission(ctx, 'WorkUnits', 'edit', unit.tenantId);
    units.set(id, unit);
  }
  return units;
}

async function record(ctx: Ctx, verb: 'create' | 'delete', duplicate: WorkUnitRow, intoId: number): Promise<void> {
  const merge = { workUnitId: duplicate.workUnitId, intoId };
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'workUnitMerges',
    entityId: String(duplicate.workUnitId),
    tenantId: duplicate.tenantId,
    ...(verb === 'create' ? { after: merge } : { before: merge }),
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
  await ctx.db.query({ text: announce, values: [[duplicate.workUnitId, intoId], ctx.correlationId] });
}

const event = (ctx: Ctx, unit: WorkUnitRow, detail: string) => writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail }]);

/** What the merge writes as the resolution of a duplicate without one, in the language of whoever merges. */
const resolutionTexts: Readonly<Record<Language, (number: number) => string>> = {
  en: (number) => `Duplicate of #${number}.`,
  de: (number) => `Duplikat von #${number}.`,
};

async function mergeOne(ctx: Ctx, duplicate: WorkUnitRow, into: WorkUnitRow): Promise<void> {
  const pair = [duplicate.workUnitId, into.workUnitId];
  const { stateId, tenantId } = duplicate;
  const groups = await ctx.db.query<{ id: string }>({ text: moveGroups, values: pair });
  const lines = await ctx.db.query<RuleLine>({ text: moveLines, values: pair });
  const matches = await ctx.db.query<{ id: string }>({ text: matchesOver, values: pair });
  const added = [...pair, actorName(ctx), tenantId, ctx.correlationId];
  const relations = await ctx.db.query<{ id: number }>({ text: addRelations, values: added });
  const watchers = await ctx.db.query<{ id: string }>({ text: addWatchers, values: pair });
  const before: BeforeMerge = {
    stateId,
    holdReason: duplicate.holdReason,
    resolution: duplicate.resolution ?? null,
    groups: groups.map(({ id }) => id),
    lines,
    matches: matches.map(({ id }) => id),
    relations: relations.map(({ id }) => id),
    watchers: watchers.map(({ id }) => id),
  };
  await ctx.db.query({ text: insertMerge, values: [...pair, tenantId, JSON.stringify(before), actorName(ctx)] });
  if (!isEnded(stateId))
    await update(ctx, servedOf(workUnits), duplicate.workUnitId, {
      stateId: 'Canceled',
      resolution: duplicate.resolution || resolutionTexts[ctx.language ?? 'en'](into.publicWorkUnitId),
    });
  await event(ctx, duplicate, `Merged into #${into.publicWorkUnitId} as a duplicate.`);
  await event(ctx, into, `Merged with #${duplicate.publicWorkUnitId}, a duplicate.`);
  await wakeFor(ctx, servedWorkUnits, into);
  await record(ctx, 'create', duplicate, into.workUnitId);
}

const merge = implement(mergeWorkUnits, (outside, { id, ids }) =>
  inTransaction(outside, async (ctx) => {
    if (ids.includes(id)) throw validationFailed([{ target: 'ids', message: 'A work unit cannot be merged into itself.' }]);
    const units = await lockUnits(ctx, [...new Set([id, ...ids])]);
    const into = units.get(id);
    if (!into) throw new Error('A locked unit is missing.');
    const merges = await ctx.db.query<{ work_unit_id: number; into_id: number }>({ text: mergesOf, values: [[...units.keys()]] });
    const intoOf = new Map(merges.map((row) => [row.work_unit_id, row.into_id]));
    for (const unit of units.values()) {
      const { publicWorkUnitId: number, tenantId, workUnitTypeId } = unit;
      if (tenantId !== into.tenantId)
        throw validationFailed([{ target: 'ids', message: `#${number} is of another tenant. Only work units of one tenant are merged.` }]);
      if (workUnitTypeId === workUnitType.changeRequest)
        throw validationFailed([
          { target: 'ids', message: `#${number} is a change request, which has approvals of its own. Link it instead.` },
        ]);
      if (intoOf.has(unit.workUnitId) && (unit === into || intoOf.get(unit.workUnitId) !== id))
        throw new ApiError('Conflict', `#${number} is merged into another work unit already. Take it apart first.`, { target: 'ids' });
    }
    for (const unit of units.values()) if (unit !== into && !intoOf.has(unit.workUnitId)) await mergeOne(ctx, unit, into);
    const value: WorkUnitRow[] = [];
    for (const key of units.keys()) if (key !== id) value.push(await get(ctx, servedWorkUnits, key));
    return { value };
  }),
);

const split = implement(splitWorkUnit, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const { tenantId } = await get(ctx, servedWorkUnits, id);
    requirePermission(ctx, 'WorkUnits', 'edit', tenantId);
    const [merged] = await ctx.db.query<{ work_unit_id: number; into_id: number }>({ text: mergesOf, values: [[id]] });
    const units = merged && (await lockUnits(ctx, [id, merged.into_id]));
    // Deleted under the lock, so that of two people one takes it apart.
    const [row] = merged ? await ctx.db.query<{ into_id: number; before: BeforeMerge }>({ text: deleteMerge, values: [id] }) : [];
    const [duplicate, into] = [units?.get(id), row && units?.get(row.into_id)];
    if (!row || !duplicate || !into) throw new ApiError('Conflict', 'This work unit is not merged into another one, or no longer.');
    const { before } = row;
    await ctx.db.query({ text: linesBack, values: [id, row.into_id, JSON.stringify(before.lines)] });
    await ctx.db.query({ text: groupsBack, values: [row.into_id, id, before.groups] });
    await ctx.db.query({ text: matchesBack, values: [row.into_id, id, before.matches] });
    await ctx.db.query({ text: dropRelations, values: [before.relations, ctx.correlationId] });
    await ctx.db.query({ text: dropWatchers, values: [row.into_id, before.watchers] });
    // Somebody who has changed the state since meant that.
    if (duplicate.stateId === 'Canceled' && !isEnded(before.stateId)) {
      const texts = before.resolution ? [before.resolution] : Object.values(resolutionTexts).map((text) => text(into.publicWorkUnitId));
      const wasWritten = texts.includes(duplicate.resolution ?? '');
      await update(ctx, servedOf(workUnits), id, {
        stateId: before.stateId,
        holdReason: before.holdReason ?? null,
        ...(wasWritten ? { resolution: before.resolution } : {}),
      });
    }
    await event(ctx, duplicate, `Taken apart from #${into.publicWorkUnitId}.`);
    await event(ctx, into, `#${duplicate.publicWorkUnitId} was taken apart from this work unit.`);
    await record(ctx, 'delete', duplicate, row.into_id);
    return get(ctx, servedWorkUnits, id);
  }),
);

export const mergeActions: readonly ImplementedAction[] = [merge, split];
