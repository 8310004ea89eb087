/**
 * Handovers of on-call shifts: an hour before the end, a note that the person going off call can write; at the end, a message
 * with the note to the person coming on call.
 */
import type { Logger } from 'pino';
import { hourMs, dayMs } from '@cloudfit/contract/durations.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { finalShifts, stintsOf, type Shift } from '@cloudfit/contract/on-call/shifts.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import type { Db } from '../../db/db.ts';
import { writeExecutions } from '../../executions/executions.ts';
import { actionOf, channelWords, plainParameters } from '../../executions/channel-addresses.ts';
import { notifyPages } from '../../features/protocols/on-call/handover-change.ts';
import { factsOf } from '../../features/protocols/on-call/handover-facts.ts';
import { loadSchedules, type StoredSchedule } from '../../features/protocols/on-call/schedules.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor, type MailTexts } from '../../platform/mail-texts.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { mayNotify } from './may-notify.ts';
import { currentTime } from '../../platform/clock.ts';
/** The note of a handover can be written this long before the end of the shift. */
const draftMs = hourMs;
/** For this long after it happened, a handover that was not planned (because somebody took over) is detected. */
const lookBackMs = hourMs;
const longestShiftMs = 35 * dayMs;
/** Maximum time between two reads of a schedule. */
const longestPauseMs = 10 * 60_000;

interface FollowedScheduleRow {
  id: string;
  created: string;
  /** The version (`xmin`) of the row when it was read. */
  read: string;
}

interface ShiftChange {
  from: Shift;
  to: Shift;
}

/** Returns the handovers around `now`, also those with a gap in which nobody is on call. */
function handoversOf(schedule: StoredSchedule, now: number): ShiftChange[] {
  const stints = stintsOf(finalShifts(schedule, schedule.overrides, now - longestShiftMs, now + 8 * dayMs));
  return stints.flatMap((to, index) => {
    const from = stints[index - 1];
    return from ? [{ from, to }] : [];
  });
}

/** Returns the start of the shift; if it began before the examined period, `longestShiftMs` before the handover. */
const startOf = ({ from, to }: ShiftChange, now: number): number =>
  from.from <= now - longestShiftMs ? to.from - longestShiftMs : from.from;

const iso = (at: number): string => new Date(at).toISOString();

// An override may have moved the end of a shift whose note exists already.
const add = `insert into on_call_handover (tenant_id, on_call_schedule_id, from_person_id, shift_from, shift_to, handed_at)
select $1, $2, p.person_id, $4, $5, $6 from person p where p.person_id = $3
on conflict (on_call_schedule_id, from_person_id, shift_from) do update set shift_to = excluded.shift_to, handed_at = excluded.handed_at
where on_call_handover.completed is null and (on_call_handover.handed_at, on_call_handover.shift_to) is distinct from (excluded.handed_at, excluded.shift_to)
returning 1 as done`;

// Plans the next check of a schedule, unless the schedule has changed since it was read.
const lookLater = 'update on_call_schedule set look_at = $3 where on_call_schedule_id = $1 and xmin::text = $2';

/**
 * When to read the schedule again: for the next draft, but within `longestPauseMs`, because a change such as the removal of a
 * person may be missed.
 */
function nextLook(schedule: StoredSchedule, now: number): number {
  const drafts = handoversOf(schedule, now).map(({ from }) => from.to - draftMs);
  return Math.min(now + longestPauseMs, ...drafts.filter((at) => at > now));
}

async function addDrafts(db: Db, schedule: StoredSchedule, { created, read }: FollowedScheduleRow, now: number): Promise<void> {
  for (const change of handoversOf(schedule, now)) {
    const { from, to } = change;
    if (from.to - draftMs > now || to.from <= Math.max(Date.parse(created), now - lookBackMs)) continue;
    const [tenantId, id] = [schedule.tenantId, schedule.onCallScheduleId];
    const values = [tenantId, id, from.personId, iso(startOf(change, now)), iso(from.to), iso(to.from)];
    const added = await db.query({ name: 'handover-add', text: add, values });
    if (added.length > 0) await notifyPages(db, { tenantId, scheduleId: id, correlationId: uuidV5(id, iso(to.from)) });
  }
  await db.query({ name: 'handover-look-later', text: lookLater, values: [schedule.onCallScheduleId, read, iso(nextLook(schedule, now))] });
}

interface DueRow {
  id: string;
  tenant_id: string;
  schedule_id: string;
  from_person_id: string;
  shift_from: string;
  handed_at: string;
  note: string | null;
}

const due = `select on_call_handover_id as id, tenant_id, on_call_schedule_id as schedule_id, from_person_id, shift_from, handed_at, note
from on_call_handover where on_call_handover_id = $1 and completed is null and handed_at <= $2 for update skip locked`;

const move = 'update on_call_handover set shift_to = $2, handed_at = $3 where on_call_handover_id = $1';

const handed = `update on_call_handover set completed = $2, to_person_id = (select person_id from person where person_id = $3::uuid), facts = $4::jsonb,
  message_at = case when $3::uuid is not null then $2::timestamptz end
where on_call_handover_id = $1 and completed is null`;

/**
 * Completes a handover that is due: freezes the facts of the shift. If the shift was extended, moves the handover with its
 * note to the new end instead. Deletes a handover that the schedule no longer has, unless it has a note.
 */
async function complete(db: Db, schedule: StoredSchedule, id: string, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx.query<DueRow>({ name: 'handover-due', text: due, values: [id, iso(now)] });
    if (!row) return;
    const at = Date.parse(row.handed_at);
    const ofPerson = handoversOf(schedule, now).filter(({ from }) => from.personId === row.from_person_id);
    const next = ofPerson.find(({ to }) => to.from === at);
    const correlationId = uuidV5(id, 'handover');
    const change = { tenantId: row.tenant_id, scheduleId: row.schedule_id, correlationId };
    const later = ofPerson.find((candidate) => candidate.to.from > now && startOf(candidate, now) === Date.parse(row.shift_from));
    if (!next && later) {
      await tx.query({ name: 'handover-move', text: move, values: [id, iso(later.from.to), iso(later.to.from)] });
      return notifyPages(tx, change);
    }
    if (!next && row.note === null) {
      await tx.query({ name: 'handover-drop', text: 'delete from on_call_handover where on_call_handover_id = $1', values: [id] });
      return notifyPages(tx, change);
    }
    const facts = await factsOf(tx, {
      tenantId: row.tenant_id,
      scheduleName: schedule.name,
      personId: row.from_person_id,
      from: new Date(row.shift_from),
      to: new Date(at),
    });
    const toPersonId = next?.to.personId ?? null;
    await tx.query({ name: 'handover-done', text: handed, values: [id, iso(now), toPersonId, JSON.stringify(facts)] });
    await recordAudit(tx, {
      actor: { kind: 'system', id: null, name: 'Automation' },
      verb: 'handover',
      entity: 'onCallHandovers',
      entityId: id,
      tenantId: row.tenant_id,
      after: { onCallScheduleId: row.schedule_id, fromPersonId: row.from_person_id, toPersonId, note: row.note },
      correlationId,
    });
    await notifyPages(tx, change);
  });
}

interface HandoverMessageRow {
  tenant_id: string;
  schedule_id: string;
  schedule_name: string;
  to_person_id: string | null;
  from_name: string;
  to_name: string;
  /** Of the person who comes on call. */
  locale: Locale | null;
  note: string | null;
  facts: { units: { isOpen: boolean }[]; moreUnits: number; messages: unknown[] } | null;
}

const messageOf = `select h.tenant_id, h.on_call_schedule_id as schedule_id, s.name as schedule_name, h.to_person_id, f.name as from_name, t.name as to_name, t.locale, h.note, h.facts
from on_call_handover h join on_call_schedule s using (on_call_schedule_id) join person f on f.person_id = h.from_person_id join person t on t.person_id = h.to_person_id
where h.on_call_handover_id = $1 and h.message_at <= $2 for update of h skip locked`;

const sent = 'update on_call_handover set message_at = $2, problem = $3 where on_call_handover_id = $1';

function textOf(
  { note, facts, tenant_id, schedule_id, from_name }: HandoverMessageRow,
  texts: MailTexts['handover'],
  publicUrl: string,
): string {
  const link = `${publicUrl}/${tenant_id}/oncall?id=${schedule_id}&tab=handovers`;
  const words = note ?? texts.noNote(from_name);
  if (!facts) return [words, link].join('\n\n');
  const open = facts.units.filter((unit) => unit.isOpen).length;
  return [words, texts.facts(facts.units.length + facts.moreUnits, open, facts.messages.length), link].join('\n\n');
}

/** Notifies the person whose shift begins, by their first channel and outside their quiet hours. */
async function tell(db: Db, id: string, { now, publicUrl, pauseMs }: { now: number; publicUrl: string; pauseMs: number }): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx.query<HandoverMessageRow>({ name: 'handover-message', text: messageOf, values: [id, iso(now)] });
    if (!row || row.to_person_id === null) return;
    const { tenant_id: tenantId, to_person_id: personId } = row;
    const message = { tenantId, severityId: 'Sev3', at: new Date(now), messageId: id, pauseMs };
    const permitted = (await mayNotify(tx, message, [personId])).get(personId);
    const turn = permitted?.when === 'now' ? permitted.turns[0] : undefined;
    const later = permitted?.when === 'held' ? permitted.until.toISOString() : null;
    const problem = permitted?.when === 'never' ? `${row.to_name} cannot be reached: ${permitted.problem}.` : null;
    await tx.query({ name: 'handover-sent', text: sent, values: [id, later, problem] });
    if (!turn) return;
    const texts = mailTextsFor(readerOf(row.locale)).handover;
    const content = { title: texts.title(row.schedule_name, row.from_name), text: textOf(row, texts, publicUrl) };
    await writeExecutions(
      tx,
      turn.targets.map((target) => ({
        tenantId,
        actionDefinitionId: actionOf(turn, target),
        messageId: uuidV5(id, `handover:${target.pushSubscriptionId ?? target.address}`),
        correlationId: uuidV5(id, 'handover'),
        referenceId: null,
        parameters: {
          ...plainParameters(turn, target.address, content),
          ...(target.pushSubscriptionId ? { PushSubscriptionId: target.pushSubscriptionId } : {}),
        },
        suppressed: false,
        detail: { label: `${channelWords[turn.channel]} to ${row.to_name} (handover)`, personId },
      })),
    );
  });
}

const schedules = `select s.on_call_schedule_id as id, s.created, s.xmin::text as read from on_call_schedule s join tenant t on t.tenant_id = s.tenant_id and t.enabled
where s.look_at is null or s.look_at <= $1`;

const come = `select h.on_call_handover_id as id, h.on_call_schedule_id as schedule_id from on_call_handover h join tenant t on t.tenant_id = h.tenant_id and t.enabled
where h.completed is null and h.handed_at <= $1 order by h.handed_at`;

const handoversToNotify = `select h.on_call_handover_id as id from on_call_handover h join tenant t on t.tenant_id = h.tenant_id and t.enabled where h.message_at <= $1 order by h.message_at limit 200`;

interface HandoverOptions {
  now: number;
  publicUrl: string;
  pauseMs: number;
  log: Logger;
}

async function schedulesOf(db: Db, ids: readonly string[], now: number): Promise<ReadonlyMap<string, StoredSchedule>> {
  const loaded = await loadSchedules(db, [...new Set(ids)], now - longestShiftMs, now + 8 * dayMs);
  return new Map(loaded.map((schedule) => [schedule.onCallScheduleId, schedule]));
}

export async function followHandovers(db: Db, options: HandoverOptions): Promise<void> {
  const { now, log } = options;
  /** Logs the error of one schedule or handover, so that the others continue; the next round tries it again. */
  const apart = (id: string, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => log.error({ err: error, id }, 'A handover could not be followed.'));
  /** The row versions are read before the schedules, so that a schedule that changes in between is read again. */
  const rows = await db.query<FollowedScheduleRow>({ name: 'handover-schedules', text: schedules, values: [iso(now)] });
  const drafted = await schedulesOf(
    db,
    rows.map(({ id }) => id),
    now,
  );
  for (const row of rows) {
    const schedule = drafted.get(row.id);
    if (schedule) await apart(row.id, addDrafts(db, schedule, row, now));
  }
  const dueHandovers = await db.query<{ id: string; schedule_id: string }>({ name: 'handovers-come', text: come, values: [iso(now)] });
  const completed = await schedulesOf(
    db,
    dueHandovers.map(({ schedule_id }) => schedule_id),
    now,
  );
  for (const { id, schedule_id } of dueHandovers) {
    const schedule = completed.get(schedule_id);
    if (schedule) await apart(id, complete(db, schedule, id, now));
  }
  for (const { id } of await db.query<{ id: string }>({ name: 'handovers-to-tell', text: handoversToNotify, values: [iso(now)] }))
    await apart(id, tell(db, id, options));
}

export const handoverWork = (publicUrl: string, pauseMs: number, log: Logger): Periodic => ({
  name: 'handovers',
  everyMs: 15_000,
  run: (db) => followHandovers(db, { now: currentTime(), publicUrl, pauseMs, log }),
});
