/** Keeps the clocks of a unit's service level in the transaction of each change that they follow. */
import { workUnitClocks } from '@cloudfit/contract/resources/service-levels.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import {
  followClocks,
  lastClocks,
  nextTimes,
  timesOf,
  type ClockEvent,
  type FollowedClocks,
  type UnitClock,
} from '@cloudfit/contract/service-levels/clocks.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import type { Db } from '../../../db/db.ts';
import { sql, type RawBuilder } from '../../../db/sql.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedOf, type RowChange } from '../../../resources/served.ts';
import { changedFields } from '../../../resources/update.ts';
import { levelFields, writeHistory, type HistoryEntry } from '../feed/history.ts';
import { isEnded, type WorkUnitRow } from '../state.rules.ts';
import { queueWorkUnitEvent } from '../work-unit-event.ts';
import { levelOf } from './level-in-force.ts';

/** Fields by which the level of a unit is chosen. */
const choosing: readonly string[] = ['tenantId', 'workUnitTypeId', 'workUnitCategoryId', 'severityId'];

const ms = (column: string, name: string): string => `(extract(epoch from ${column}) * 1000)::float8 as ${name}`;

const lastOfKinds = `select distinct on (kind) kind, state, service_level_id as "serviceLevelId", level_name as "levelName", target_minutes as "targetMinutes",
  warn_percent as "warnPercent", pauses_on_hold as "pausesOnHold", calendar, ${ms('started', 'started')}, ${ms('ended', 'ended')}, ${ms('warned', 'warned')},
  ${ms('breached', 'breached')}, carried_ms::float8 as "carriedMs", periods
from work_unit_clock where work_unit_id = $1 order by kind, work_unit_clock_id desc`;

/** Returns the last clock of each kind. The caller has locked the unit. */
export function readClocks(db: Db, workUnitId: number): Promise<UnitClock[]> {
  return db.query<UnitClock>({ name: 'work-unit-clocks', text: lastOfKinds, values: [workUnitId] });
}

const columns = `kind text, state text, service_level_id uuid, level_name text, target_minutes int, warn_percent int, pauses_on_hold boolean, calendar jsonb,
  started timestamptz, ended timestamptz, due_at timestamptz, warn_at timestamptz, warned timestamptz, breached timestamptz, carried_ms bigint, periods jsonb, look_at timestamptz`;
const names = `kind, state, service_level_id, level_name, target_minutes, warn_percent, pauses_on_hold, calendar, started, ended,
  due_at, warn_at, warned, breached, carried_ms, periods, look_at`;

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

function storedClock(clock: UnitClock) {
  const { warnAt, dueAt } = timesOf(clock);
  const next = clock.warned === null ? (warnAt ?? dueAt) : clock.breached === null ? dueAt : null;
  return {
    kind: clock.kind,
    state: clock.state,
    service_level_id: clock.serviceLevelId,
    level_name: clock.levelName,
    target_minutes: clock.targetMinutes,
    warn_percent: clock.warnPercent,
    pauses_on_hold: clock.pausesOnHold,
    calendar: clock.calendar,
    started: iso(clock.started),
    ended: iso(clock.ended),
    due_at: iso(dueAt),
    warn_at: iso(warnAt),
    warned: iso(clock.warned),
    breached: iso(clock.breached),
    carried_ms: clock.carriedMs,
    periods: clock.periods,
    look_at: clock.ended === null ? iso(next) : null,
  };
}

const stored = (clocks: readonly UnitClock[]): string => JSON.stringify(clocks.map(storedClock));

/** The fields of a unit that follow from its clocks. */
export function clockFields(clocks: readonly UnitClock[]): Pick<WorkUnitRow, 'clockDue' | 'clockWarn'> {
  const { dueAt, warnAt } = nextTimes(clocks);
  return { clockDue: iso(dueAt), clockWarn: iso(warnAt) };
}

const setOpen = `with written as (
  update work_unit_clock c set state = e.state, ended = e.ended, due_at = e.due_at, warn_at = e.warn_at, warned = e.warned, breached = e.breached,
    periods = e.periods, look_at = e.look_at
  from jsonb_to_recordset($2::jsonb) as e (${columns}) where c.work_unit_id = $1 and c.kind = e.kind and c.ended is null
  returning c.tenant_id, c.work_unit_clock_id, $3::uuid as correlation_id
) ${changed(workUnitClocks, 'update', 'written')}`;

const addNew = `with written as (
  insert into work_unit_clock (work_unit_id, tenant_id, ${names})
  select $1, $2, ${names} from jsonb_to_recordset($3::jsonb) as e (${columns})
  returning tenant_id, work_unit_clock_id, $4::uuid as correlation_id
) ${changed(workUnitClocks, 'create', 'written')}`;

const promise: Readonly<Record<UnitClock['kind'], string>> = {
  Acknowledge: 'to acknowledge',
  FirstAnswer: 'to the first answer',
  Resolve: 'to resolve',
  NextUpdate: 'to the next update',
};

/** Returns what the feed says about clocks that have warned or were breached, which they had not before. */
function levelEntries(before: readonly UnitClock[], result: FollowedClocks): HistoryEntry[] {
  const previous = (clock: UnitClock) => (result.changed.includes(clock) ? before.find(({ kind }) => kind === clock.kind) : undefined);
  return [...result.changed, ...result.begun].flatMap((clock) => {
    const was = previous(clock);
    const { levelName, warnPercent, targetMinutes, kind } = clock;
    const text =
      clock.breached !== null && (was?.breached ?? null) === null
        ? `Service level ${levelName} breached: the ${targetMinutes} min ${promise[kind]} are over.`
        : clock.warned !== null && (was?.warned ?? null) === null
          ? `Service level ${levelName}: ${warnPercent} % of the ${targetMinutes} min ${promise[kind]} have passed.`
          : undefined;
    return text === undefined ? [] : [{ historyType: 'WorkUnitEvent', detail: text }];
  });
}

/** The times of the latest warning and breach that are new; without new ones no fields. */
export function levelTimes(before: readonly UnitClock[], result: FollowedClocks): Partial<WorkUnitRow> {
  const latest = (name: 'warned' | 'breached'): string | undefined => {
    const isNew = (clock: UnitClock) => result.begun.includes(clock) || before.find(({ kind }) => kind === clock.kind)?.[name] === null;
    const times = [...result.changed, ...result.begun].filter(isNew).flatMap((clock) => clock[name] ?? []);
    return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString();
  };
  const levelWarned = latest('warned');
  const levelBreached = latest('breached');
  return { ...(levelWarned ? { levelWarned } : {}), ...(levelBreached ? { levelBreached } : {}) };
}

/** Writes what an event has done to the clocks of a unit, and says in its feed what they have warned of. */
export async function writeClocks(
  ctx: Ctx,
  unit: { workUnitId: number; tenantId: string },
  before: readonly UnitClock[],
  result: FollowedClocks,
): Promise<void> {
  const { workUnitId, tenantId } = unit;
  if (result.changed.length > 0)
    await ctx.db.defer({ name: 'work-unit-clocks-set', text: setOpen, values: [workUnitId, stored(result.changed), ctx.correlationId] });
  // After the others have ended, because a unit has one open clock of each kind.
  if (result.begun.length > 0)
    await ctx.db.defer({
      name: 'work-unit-clocks-add',
      text: addNew,
      values: [workUnitId, tenantId, stored(result.begun), ctx.correlationId],
    });
  await writeHistory(ctx, unit, levelEntries(before, result), 'Automation');
}

// An external note by somebody else than the customer, or a public communication, is an answer.
const answers = `select exists (select from work_unit_note n where n.work_unit_id = $1 and n.is_external_note and not n.is_from_customer and n.history_type is null
    and lower(n.created_by) is distinct from lower($2))
  or exists (select from work_unit_relation r join work_unit_communication c on c.work_unit_communication_id = r.communication_id
    where r.work_unit_id = $1 and c.is_public) as answered`;

async function wasAnswered(ctx: Ctx, { workUnitId, stakeHolderEmailAddress }: WorkUnitRow): Promise<boolean> {
  const [row] = await ctx.db.query<{ answered: boolean }>({
    name: 'work-unit-answered',
    text: answers,
    values: [workUnitId, stakeHolderEmailAddress ?? null],
  });
  return row?.answered ?? false;
}

/** What `followUnit` has computed for a change of a unit, until the change is written: by the row before. */
const pending = new WeakMap<object, { before: readonly UnitClock[]; result: FollowedClocks }>();

const opening = (ctx: Ctx, stateId: WorkUnitRow['stateId']): ClockEvent => ({
  at: ctx.now().getTime(),
  before: null,
  after: stateId,
  isAnswer: false,
  wasAnswered: false,
  choosesLevel: true,
});

/** A hook of a unit: lets its clocks follow a change, and returns the fields that this changes. `keepClocks` writes the clocks. */
export async function followUnit(ctx: Ctx, change: RowChange<WorkUnitRow>): Promise<Partial<WorkUnitRow>> {
  const { before, after } = change;
  if (!before) {
    const level = isEnded(after.stateId) ? null : await levelOf(ctx, after);
    return level ? clockFields(followClocks([], opening(ctx, after.stateId ?? 'New'), level).begun) : {};
  }
  const choosesLevel = choosing.some((name) => (change.changed as readonly string[]).includes(name));
  if (!choosesLevel && !change.changed.includes('stateId')) return {};
  const clocks = await readClocks(ctx.db, before.workUnitId);
  const level = await levelOf(ctx, after);
  if (clocks.length === 0 && !level) return {};
  const isReopened = isEnded(before.stateId) && !isEnded(after.stateId);
  const result = followClocks(
    clocks,
    {
      at: ctx.now().getTime(),
      before: before.stateId,
      after: after.stateId,
      isAnswer: false,
      wasAnswered: (choosesLevel || isReopened) && (await wasAnswered(ctx, before)),
      choosesLevel,
    },
    level,
  );
  pending.set(before, { before: clocks, result });
  return { ...clockFields(lastClocks(clocks, result)), ...levelTimes(clocks, result) };
}

/** Returns the statement part that adds the clocks of a new unit together with it, see `along` of `Served`. */
export async function newClocksAlong(ctx: Ctx, { after }: RowChange<WorkUnitRow>): Promise<RawBuilder<unknown>[]> {
  const level = isEnded(after.stateId) ? null : await levelOf(ctx, after);
  if (!level) return [];
  const { begun } = followClocks([], opening(ctx, after.stateId ?? 'New'), level);
  return [
    sql`insert into work_unit_clock (work_unit_id, tenant_id, ${sql.raw(names)})
      select entity_id::bigint, tenant_id, ${sql.raw(names)} from wire, jsonb_to_recordset(${stored(begun)}::jsonb) as e (${sql.raw(columns)})`,
  ];
}

/** A hook of a unit: writes the clocks that `followUnit` has changed. */
export async function keepClocks(ctx: Ctx, { before, after }: RowChange<WorkUnitRow>): Promise<void> {
  const followed = before && pending.get(before);
  if (followed) await writeClocks(ctx, after, followed.before, followed.result);
}

const waiting = `select distinct work_unit_id as id from work_unit_clock
where work_unit_id = any($1) and ended is null and kind in ('FirstAnswer', 'NextUpdate') order by 1`;

type LockedUnit = Pick<
  WorkUnitRow,
  | 'workUnitId'
  | 'tenantId'
  | 'stateId'
  | 'severityId'
  | 'workUnitTypeId'
  | 'workUnitCategoryId'
  | 'stakeHolderEmailAddress'
  | (typeof levelFields)[number]
>;

const lockUnit = `select work_unit_id::float8 as "workUnitId", tenant_id as "tenantId", state_id as "stateId", severity_id as "severityId",
  work_unit_type_id::float8 as "workUnitTypeId", work_unit_category_id as "workUnitCategoryId", stake_holder_email_address as "stakeHolderEmailAddress",
  clock_due as "clockDue", clock_warn as "clockWarn", level_warned as "levelWarned", level_breached as "levelBreached"
from work_unit where work_unit_id = $1 for no key update`;

const setTimes = `with written as (
  update work_unit set clock_due = $2, clock_warn = $3, version = version + 1
  where work_unit_id = $1 returning tenant_id, work_unit_id, $4::uuid as correlation_id
) ${changed(workUnits, 'update', 'written')}`;

/** Records what nobody has noticed before the answer: a change of the unit, whose event runs the steps of its protocol. */
async function recordLevel(ctx: Ctx, unit: LockedUnit, times: Partial<WorkUnitRow>): Promise<void> {
  const after = { ...unit, ...times };
  const write = sql`update work_unit set clock_due = ${after.clockDue}, clock_warn = ${after.clockWarn}, level_warned = ${after.levelWarned}, level_breached = ${after.levelBreached},
    version = version + 1 where work_unit_id = ${unit.workUnitId} returning *`;
  const before = Object.fromEntries(['tenantId' as const, ...levelFields].map((name) => [name, unit[name]]));
  const row = await writeRecorded(ctx, servedOf(workUnits), 'update', write, before);
  if (!row) return;
  const was = { ...row, ...before };
  await queueWorkUnitEvent(ctx, { verb: 'update', before: was, after: row, changed: changedFields(workUnits, was, row) });
}

/**
 * Call it in the transaction in which a customer is told something about these units. `by`: the sign-in name of the person who does, who may
 * be the customer.
 */
export async function followAnswer(ctx: Ctx, workUnitIds: readonly number[], by?: string): Promise<void> {
  const open = await ctx.db.query<{ id: number }>({ name: 'work-unit-clocks-of-answer', text: waiting, values: [workUnitIds] });
  for (const { id } of open) {
    const [unit] = await ctx.db.query<LockedUnit>({ name: 'work-unit-clocks-lock', text: lockUnit, values: [id] });
    if (!unit || (by !== undefined && by.toLowerCase() === unit.stakeHolderEmailAddress?.toLowerCase())) continue;
    const clocks = await readClocks(ctx.db, id);
    const { stateId } = unit;
    const event = { at: ctx.now().getTime(), before: stateId, after: stateId, isAnswer: true, wasAnswered: false, choosesLevel: false };
    const result = followClocks(clocks, event, await levelOf(ctx, unit));
    const { clockDue, clockWarn } = clockFields(lastClocks(clocks, result));
    const level = levelTimes(clocks, result);
    await writeClocks(ctx, unit, clocks, result);
    if (Object.keys(level).length > 0) await recordLevel(ctx, unit, { clockDue, clockWarn, ...level });
    else await ctx.db.defer({ name: 'work-unit-clock-times', text: setTimes, values: [id, clockDue, clockWarn, ctx.correlationId] });
  }
}
