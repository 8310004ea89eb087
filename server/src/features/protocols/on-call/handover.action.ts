/** Handovers of shifts: who writes and who reads them, and what is recorded about the shift. */
import { ApiError, forbidden, notFound } from '@cloudfit/contract/errors.ts';
import {
  noteHours,
  onCallHandoverFacts,
  onCallHandovers,
  readHandover,
  writeHandover,
  type Handover,
  type HandoverFacts,
} from '@cloudfit/contract/on-call/handover.calls.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, may, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { factsOf } from './handover-facts.ts';
import { notifyPages } from './handover-change.ts';
import { servedOnCallSchedules } from './on-call.served.ts';

const maxListed = 50;

interface HandoverRow {
  id: string;
  schedule_id: string;
  schedule_name: string;
  tenant_id: string;
  from_person_id: string;
  to_person_id: string | null;
  from_name: string;
  to_name: string | null;
  shift_from: string;
  shift_to: string;
  handed_at: string;
  note: string | null;
  completed: string | null;
  read: string | null;
  facts: HandoverFacts | null;
}

const rowsText = (
  where: string,
): string => `select h.on_call_handover_id as id, h.on_call_schedule_id as schedule_id, s.name as schedule_name, h.tenant_id,
  h.from_person_id, h.to_person_id, f.name as from_name, t.name as to_name, h.shift_from, h.shift_to, h.handed_at, h.note, h.completed, h.read, h.facts
from on_call_handover h join on_call_schedule s using (on_call_schedule_id) join person f on f.person_id = h.from_person_id
left join person t on t.person_id = h.to_person_id where ${where}`;

const ofSchedule = rowsText('h.on_call_schedule_id = $1') + ` order by h.handed_at desc limit ${maxListed}`;
// A note that was not written within a day of its handover is no longer requested; a note that was not read within two weeks
// is no longer shown.
const ofPerson =
  rowsText(`h.from_person_id = $1 and h.note is null and (h.completed is null or h.completed > now() - make_interval(hours => ${noteHours}))
  or h.to_person_id = $1 and h.read is null and h.completed > now() - interval '14 days'`) +
  ` order by h.handed_at desc limit ${maxListed}`;
const byId = rowsText('h.on_call_handover_id = $1');

const personOf = ({ actor }: Ctx): string | null => (actor.kind === 'person' ? actor.id : null);
const iso = (at: string): string => new Date(at).toISOString();

function mayWrite(ctx: Ctx, row: HandoverRow): boolean {
  return personOf(ctx) === row.from_person_id || may(ctx, 'CloudFit.CFS.OnCall:edit', row.tenant_id);
}

const isLate = (ctx: Ctx, { completed }: HandoverRow): boolean =>
  completed !== null && Date.parse(completed) < ctx.now().getTime() - noteHours * 3_600_000;

function shown(ctx: Ctx, row: HandoverRow): Handover {
  return {
    onCallHandoverId: row.id,
    onCallScheduleId: row.schedule_id,
    scheduleName: row.schedule_name,
    tenantId: row.tenant_id,
    fromName: row.from_name,
    toName: row.to_name,
    shiftFrom: iso(row.shift_from),
    shiftTo: iso(row.shift_to),
    handedAt: iso(row.handed_at),
    note: row.note,
    completed: row.completed && iso(row.completed),
    read: row.read && iso(row.read),
    mayWrite: mayWrite(ctx, row) && !isLate(ctx, row),
    isMine: row.to_person_id !== null && row.to_person_id === personOf(ctx),
  };
}

const list = implement(onCallHandovers, async (ctx, { onCallScheduleId }) => {
  if (onCallScheduleId !== undefined) {
    await get(ctx, servedOnCallSchedules, onCallScheduleId);
    const rows = await ctx.db.query<HandoverRow>({ name: 'handovers-of-schedule', text: ofSchedule, values: [onCallScheduleId] });
    return { value: rows.map((row) => shown(ctx, row)) };
  }
  const personId = personOf(ctx);
  if (personId === null) return { value: [] };
  const rows = await ctx.db.query<HandoverRow>({ name: 'handovers-of-person', text: ofPerson, values: [personId] });
  return { value: rows.filter((row) => may(ctx, 'CloudFit.CFS.OnCall:view', row.tenant_id)).map((row) => shown(ctx, row)) };
});

/** Returns the handover; throws 404 also if the caller may not view it. */
async function load(ctx: Ctx, id: string): Promise<HandoverRow> {
  const [row] = await ctx.db.query<HandoverRow>({ name: 'handover', text: byId, values: [id] });
  if (!row || !may(ctx, 'CloudFit.CFS.OnCall:view', row.tenant_id)) throw notFound('Handover');
  return row;
}

const facts = implement(onCallHandoverFacts, async (ctx, { id }) => {
  const row = await load(ctx, id);
  const ofShift =
    row.facts ??
    (await factsOf(ctx.db, {
      tenantId: row.tenant_id,
      scheduleName: row.schedule_name,
      personId: row.from_person_id,
      from: new Date(row.shift_from),
      to: ctx.now(),
    }));
  const [units, windows] = (['WorkUnits', 'Maintenance'] as const).map((area) => may(ctx, `CloudFit.CFS.${area}:view`, row.tenant_id));
  return {
    units: units ? ofShift.units : [],
    moreUnits: units ? ofShift.moreUnits : 0,
    messages: units ? ofShift.messages : [],
    maintenance: windows ? ofShift.maintenance : [],
  };
});

async function audited(ctx: Ctx, row: HandoverRow, verb: string, change: { before?: object; after?: object }): Promise<void> {
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'onCallHandovers',
    entityId: row.id,
    tenantId: row.tenant_id,
    ...change,
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
  await notifyPages(ctx.db, { tenantId: row.tenant_id, scheduleId: row.schedule_id, correlationId: ctx.correlationId });
}

const write = implement(writeHandover, (outside, { id, note }) =>
  inTransaction(outside, async (ctx) => {
    const row = await load(ctx, id);
    if (!mayWrite(ctx, row))
      throw forbidden('Only the person who goes off call, or a person who may edit schedules, can write the note of a handover.');
    if (isLate(ctx, row)) throw new ApiError('Conflict', `This handover was more than ${noteHours} hours ago; its note stays as it is.`);
    const text = note.trim() === '' ? null : note.trim();
    // A note that was changed after it was read counts as unread again.
    await ctx.db.query({
      name: 'handover-note',
      text: `update on_call_handover set note = $2, noted = now(), read = case when completed is null or note is not distinct from $2 then read end where on_call_handover_id = $1`,
      values: [id, text],
    });
    await audited(ctx, row, 'update', { before: { note: row.note }, after: { note: text } });
    return { onCallHandoverId: id };
  }),
);

const read = implement(readHandover, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const row = await load(ctx, id);
    if (row.to_person_id === null || row.to_person_id !== personOf(ctx))
      throw forbidden('Only the person who comes on call can say that a handover was read.');
    const [first] = await ctx.db.query({
      name: 'handover-read',
      text: 'update on_call_handover set read = now() where on_call_handover_id = $1 and read is null returning 1 as done',
      values: [id],
    });
    if (first) await audited(ctx, row, 'read', {});
    return { onCallHandoverId: id };
  }),
);

export const handoverActions: readonly ImplementedAction[] = [list, facts, write, read];
