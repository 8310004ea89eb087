/** Calls about on-call schedules: who is on call, the shifts of a schedule with their warnings, and the calendar feed. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { onCallCalendar, onCallCalendarLink, onCallNow, onCallShifts, type ShownShift } from '@cloudfit/contract/on-call/calls.ts';
import { finalShifts, gapsOf, layerShifts, neverOnCall, nobody, type FinalShift, type Shift } from '@cloudfit/contract/on-call/shifts.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import type { Db } from '../../../db/db.ts';
import type { CalendarLinks } from '../../../platform/calendar-links.ts';
import { implement, TextAnswer, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { list } from '../../../resources/list.ts';
import { calendarText } from './calendar.ts';
import { servedOnCallSchedules } from './on-call.served.ts';
import { loadSchedules, peopleOf, type OnCallPerson, type StoredSchedule } from './schedules.ts';
const aheadMs = 92 * dayMs;
const maxSchedules = 200;

type PeopleById = ReadonlyMap<string, OnCallPerson>;

const nameOf = (personId: string, names: PeopleById): string => names.get(personId)?.name ?? 'A person who no longer exists';

const shown = <T extends Shift>(shift: T, names: PeopleById): T & ShownShift =>
  ({
    ...shift,
    from: new Date(shift.from).toISOString(),
    to: new Date(shift.to).toISOString(),
    name: nameOf(shift.personId, names),
  }) as T & ShownShift;

/** Joins adjacent shifts of one person to one shift, also if they come from different layers. */
function joined(final: readonly FinalShift[]): Shift[] {
  const shifts: Shift[] = [];
  for (const { from, to, personId } of final) {
    const last = shifts.at(-1);
    if (last && last.to === from && last.personId === personId) last.to = to;
    else shifts.push({ from, to, personId });
  }
  return shifts;
}

/** Returns the shift at an instant, and the next shift. */
function duty(schedule: StoredSchedule, now: number): { now: Shift | null; next: Shift | null } {
  const shifts = joined(finalShifts(schedule, schedule.overrides, now - 35 * dayMs, now + aheadMs));
  const current = shifts.find((shift) => shift.from <= now && now < shift.to) ?? null;
  return { now: current, next: shifts.find((shift) => shift.from > now) ?? null };
}

const everybody = (schedule: StoredSchedule): string[] => [
  ...schedule.layers.flatMap(({ people }) => people),
  ...schedule.overrides.map(({ personId }) => personId),
];

/** Whether the schedule means to have somebody at every time: a layer counts at all hours and on all days. */
const isMeantForAlways = ({ layers }: StoredSchedule): boolean =>
  layers.some(
    ({ restrictions, holidays, people, until }) =>
      restrictions.length === 0 && holidays === 'Same' && until === undefined && !people.includes(nobody),
  );

interface OnCallParts {
  calendarLinks: CalendarLinks;
  database: Database;
  mailServerIsSet: boolean;
}

const now = ({ mailServerIsSet }: OnCallParts) =>
  implement(onCallNow, async (ctx, { tenantId }) => {
    const filter = tenantId ? eq(onCallSchedules, 'tenantId', tenantId) : undefined;
    const page = await list(
      ctx,
      servedOnCallSchedules,
      queryText<typeof onCallSchedules>({ ...(filter ? { filter } : {}), orderBy: 'name asc', top: maxSchedules }),
      {
        select: ['onCallScheduleId'],
      },
    );
    const at = ctx.now().getTime();
    const schedules = await loadSchedules(
      ctx.db,
      page.value.map((row) => row.onCallScheduleId),
      at - 35 * dayMs,
      at + aheadMs,
    );
    const value = [];
    for (const schedule of schedules) {
      const names = await peopleOf(ctx.db, schedule.tenantId, everybody(schedule), mailServerIsSet);
      const { now: current, next } = duty(schedule, at);
      value.push({
        onCallScheduleId: schedule.onCallScheduleId,
        scheduleName: schedule.name,
        tenantId: schedule.tenantId,
        now: current && shown(current, names),
        next: next && shown(next, names),
        isUnplannedGap: current === null && (next === null || isMeantForAlways(schedule)),
        problem: current && (names.get(current.personId)?.problem ?? null),
      });
    }
    return { value };
  });

async function load(db: Db, id: string, from: number, to: number): Promise<StoredSchedule> {
  const [schedule] = await loadSchedules(db, [id], from, to);
  if (!schedule) throw notFound('On-Call Schedule');
  return schedule;
}

const shifts = ({ mailServerIsSet }: OnCallParts) =>
  implement(onCallShifts, async (ctx, { id, from: requestedFrom, days }) => {
    await get(ctx, servedOnCallSchedules, id);
    const at = ctx.now().getTime();
    const from = requestedFrom === undefined ? at : Date.parse(requestedFrom);
    const to = from + days * dayMs;
    const schedule = await load(ctx.db, id, Math.min(from, at - 35 * dayMs), Math.max(to, at + aheadMs));
    const names = await peopleOf(ctx.db, schedule.tenantId, everybody(schedule), mailServerIsSet);
    const final = finalShifts(schedule, schedule.overrides, from, to);
    const current = duty(schedule, at);
    const personIds = new Set(
      [...finalShifts(schedule, schedule.overrides, at, Math.max(to, at + 28 * dayMs)), ...final].map((finalShift) => finalShift.personId),
    );
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      now: current.now && shown(current.now, names),
      next: current.next && shown(current.next, names),
      layers: schedule.layers.map((layer) => ({
        name: layer.name,
        shifts: layerShifts(layer, schedule, from, to).map((shift) => shown(shift, names)),
      })),
      overrides: schedule.overrides
        .filter((override) => override.to > from && override.from < to)
        .map((override) => shown(override, names)),
      final: final.map((shift) => shown(shift, names)),
      gaps: gapsOf(final, from, to).map((gap) => ({ from: new Date(gap.from).toISOString(), to: new Date(gap.to).toISOString() })),
      people: [...names.values()].map(({ personId, name }) => ({ personId, name })),
      withoutTurns: schedule.layers.flatMap((layer) =>
        neverOnCall(layer).map((personId) => ({ personId, name: nameOf(personId, names), layer: layer.name })),
      ),
      unreachable: [...personIds].flatMap((personId) => {
        const person = names.get(personId);
        if (person?.problem === null) return [];
        return [{ personId, name: nameOf(personId, names), reason: person?.problem ?? 'The person no longer exists.' }];
      }),
    };
  });

const link = (links: CalendarLinks) =>
  implement(onCallCalendarLink, (outside, { id, renew }) =>
    inTransaction(outside, async (ctx) => {
      const { tenantId } = await get(ctx, servedOnCallSchedules, id);
      if (renew) requirePermission(ctx, 'OnCall', 'edit', tenantId);
      const [row] = await ctx.db.query<{ calendar_number: number }>({
        name: 'calendar-number',
        text: 'update on_call_schedule set calendar_number = calendar_number + $2::int where on_call_schedule_id = $1 returning calendar_number',
        values: [id, renew ? 1 : 0],
      });
      if (!row) throw notFound('On-Call Schedule');
      await recordAudit(ctx.db, {
        actor: { ...ctx.actor, name: actorName(ctx) },
        verb: renew ? 'renewCalendarLink' : 'readCalendarLink',
        entity: 'onCallSchedules',
        entityId: id,
        tenantId,
        correlationId: ctx.correlationId,
        address: ctx.address,
      });
      return { url: links.url({ onCallScheduleId: id, tenantId, number: row.calendar_number }) };
    }),
  );

/** No shift of the feed begins earlier: the year before last week's. A fixed time, so that a shift without an end keeps its start. */
const earliestOf = (at: number): number => Date.UTC(new Date(at - 7 * dayMs).getUTCFullYear() - 1, 0, 1);

/**
 * Returns the shifts from last week on. The first one has its own start, however long ago, because a start that moves with each
 * call makes another event of it.
 */
function feedLine(schedule: StoredSchedule, at: number): Shift[] {
  const lastWeek = at - 7 * dayMs;
  const until = Math.floor(at / dayMs) * dayMs + aheadMs;
  for (let back = 0; ; back = back * 4 + 7 * dayMs) {
    const from = Math.max(earliestOf(at), lastWeek - back);
    const line = joined(finalShifts(schedule, schedule.overrides, from, until)).filter((shift) => shift.to > lastWeek);
    if (line[0]?.from !== from || from === earliestOf(at)) return line;
  }
}

/** The calendar feed. A link that was replaced, or that belongs to a disabled tenant, gets a 404 like an unknown link. */
const feed = (links: CalendarLinks, database: Database) =>
  implement(onCallCalendar, async (ctx: Ctx, { token }) => {
    const target = links.read(token.replace(/\.ics$/, ''));
    if (!target) throw notFound('Calendar');
    const db = database.scoped([target.tenantId]);
    const [valid] = await db.query({
      name: 'calendar-valid',
      text: `select 1 from on_call_schedule s join tenant t using (tenant_id)
where s.on_call_schedule_id = $1 and s.tenant_id = $2 and s.calendar_number = $3 and t.enabled`,
      values: [target.onCallScheduleId, target.tenantId, target.number],
    });
    if (!valid) throw notFound('Calendar');
    const at = ctx.now().getTime();
    const schedule = await load(db, target.onCallScheduleId, earliestOf(at), at + aheadMs);
    const names = await peopleOf(db, target.tenantId, everybody(schedule));
    const line = feedLine(schedule, at);
    const named = line.map((shift) => ({ ...shift, name: names.get(shift.personId)?.name ?? 'Somebody' }));
    return new TextAnswer(
      'text/calendar; charset=utf-8',
      calendarText({ onCallScheduleId: schedule.onCallScheduleId, name: schedule.name, shifts: named, now: at }),
    );
  });

export const onCallActions = (parts: OnCallParts): readonly ImplementedAction[] => [
  now(parts),
  shifts(parts),
  link(parts.calendarLinks),
  feed(parts.calendarLinks, parts.database),
];
