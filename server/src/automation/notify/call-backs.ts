/** Tells those on call that a customer wants to be called, and again, with the next on call, when the promised time is over. */
import type { Logger } from 'pino';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { finalShifts, layerShifts } from '@cloudfit/contract/on-call/shifts.ts';
import { callBacks } from '@cloudfit/contract/resources/call-backs.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { promiseMs } from '../../features/work-units/call-backs/request.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { tellInbox } from '../../features/work-units/inbox/tell.ts';
import { queueInternalMail } from '../../features/work-units/internal-mail.ts';
import { asOnCall } from '../../features/protocols/on-call/handover-facts.ts';
import { loadSchedules, type StoredSchedule } from '../../features/protocols/on-call/schedules.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import type { TextReader } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { clockText } from '../../platform/times.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { applyChange, changedFields } from '../../resources/update.ts';
import { mayNotify } from './may-notify.ts';
import { peopleById, peopleByUserName, type Recipient } from './recipients.ts';
import { writeMessages } from './write-messages.ts';

const atOnce = 200;
/** How many times somebody is told, counted with the first. */
const maxTold = 4;
/** How far ahead the next on call are looked for. */
const aheadMs = 31 * dayMs;

type CallBackRow = Row<typeof callBacks>;

/** The people of a schedule in the order in which they are told: who is on call, who is on call in its other layers, who comes next. */
function orderOfSchedule(schedule: StoredSchedule, at: number): string[] {
  const [now, ...later] = finalShifts(schedule, schedule.overrides, at, at + aheadMs);
  const others = schedule.layers.flatMap((layer) => layerShifts(layer, schedule, at, at + 1));
  const isNow = now !== undefined && now.from <= at;
  const order = [...(isNow ? [now] : []), ...others, ...(now && !isNow ? [now] : []), ...later];
  return [...new Set(order.map(({ personId }) => personId))];
}

const takingSchedules =
  'select on_call_schedule_id as id from on_call_schedule where tenant_id = $1 and takes_call_backs order by name, on_call_schedule_id';

/**
 * Whom this message is for: who has taken the call back, otherwise one more of each schedule than the last time. Somebody who has left since
 * will not call, so those on call are told again.
 */
async function recipientsOf(ctx: Ctx, { tenantId, takenBy, toldTimes }: CallBackRow): Promise<Recipient[]> {
  const takers = takenBy === null ? [] : await peopleByUserName(ctx.db, tenantId, takenBy, 'Has taken the call back');
  if (takers.length > 0) return takers;
  const at = ctx.now().getTime();
  const ids = await ctx.db.query<{ id: string }>({ name: 'call-back-schedules', text: takingSchedules, values: [tenantId] });
  const schedules = await loadSchedules(
    ctx.db,
    ids.map(({ id }) => id),
    at,
    at + aheadMs,
  );
  const recipients = new Map<string, Recipient>();
  for (const schedule of schedules)
    for (const personId of orderOfSchedule(schedule, at).slice(0, toldTimes + 1))
      for (const recipient of await peopleById(ctx.db, tenantId, personId, asOnCall(schedule.name))) recipients.set(personId, recipient);
  return [...recipients.values()];
}

/** Sends the messages, and returns the names of those who get them. */
async function sendMessages(
  ctx: Ctx,
  callBack: CallBackRow,
  stateId: Row<typeof workUnits>['stateId'],
  pauseMs: number,
): Promise<string[]> {
  const { callBackId, tenantId, workUnitId, toldTimes, phone, due } = callBack;
  const isOver = Date.parse(due) <= ctx.now().getTime();
  const messageId = uuidV5(callBackId, `told:${toldTimes}`);
  const recipients = await recipientsOf(ctx, callBack);
  const ids = recipients.flatMap(({ personId }) => personId ?? []);
  // As urgent as Sev1, whatever the unit is: minutes were promised.
  const decisions = await mayNotify(ctx.db, { tenantId, severityId: 'Sev1', at: ctx.now(), messageId, pauseMs }, ids);
  const cause = {
    messageId,
    tenantId,
    correlationId: ctx.correlationId,
    workUnitId,
    stateId,
    hops: 0,
    ...(callBack.takenBy === null ? { ends: { stopWhen: 'Never' as const, eventState: stateId, callBackId } } : { ends: undefined }),
    // The number is a placeholder, so that nothing in it is filled.
    parameters: (reader: TextReader) => {
      const { message, messageText } = mailTextsFor(reader).callBack;
      return { Subject: message(isOver), Body: messageText(phone !== null, clockText(reader, due)) };
    },
  };
  const notifiedRecipients = await writeMessages(
    ctx.db,
    cause,
    recipients.map((recipient) => ({
      recipient,
      permitted: decisions.get(recipient.personId ?? '') ?? { when: 'never', problem: '' },
    })),
  );
  return notifiedRecipients.map(({ name }) => name);
}

// Claims the round: another worker waits for this row, and then sees that nothing is due. The row itself is changed, and recorded, below.
const claim = `update call_back set look_at = case when told_times + 1 >= ${maxTold} then null
  when due <= $2::timestamptz then $2::timestamptz + interval '${promiseMs} milliseconds' else due end
where call_back_id = $1 and closed_at is null and look_at <= $2::timestamptz returning call_back_id as id`;

/** Tells those who are to be told now. The caller's transaction counts it, so that a lost worker or a second one tells nobody twice. */
async function tell(ctx: Ctx, id: string, pauseMs: number): Promise<void> {
  const now = ctx.now();
  const [claimed] = await ctx.db.query<{ id: string }>({ name: 'call-back-claim', text: claim, values: [id, now.toISOString()] });
  if (!claimed) return;
  const served = servedOf(callBacks);
  const before = await get(ctx, served, id, { lock: 'edit' });
  const unit = await get(ctx, servedOf(workUnits), before.workUnitId);
  const isOver = Date.parse(before.due) <= now.getTime();
  const names = await sendMessages(ctx, before, unit.stateId, pauseMs);
  const whom =
    names.length > 0 ? `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} told.` : 'Nobody who is on call for it could be told.';
  if (isOver) {
    const words = before.takenBy === null ? 'nobody has taken it' : `${before.takenBy} has taken it and not closed it`;
    await tellInbox(ctx, unit.workUnitId, {
      cause: `call back ${id} ${before.toldTimes}`,
      detail: `The time of the call back is over: ${words}.`,
      followers: 'CallMe',
    });
    await queueInternalMail(ctx, unit.tenantId, {
      write: ({ callBack: { overdue, overdueText } }, reader) => ({
        subject: overdue(unit.publicWorkUnitId),
        text: overdueText(clockText(reader, before.due), before.takenBy, names, unit.publicWorkUnitId, unit.title),
      }),
      linked: unit.workUnitId,
      messageId: uuidV5(id, `mail:${before.toldTimes}`),
    });
    await writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail: `The time of the call back is over: ${words}. ${whom}` }]);
  } else if (names.length > 0) await writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail: `Call back: ${whom}` }]);
  const after = { ...before, toldTimes: before.toldTimes + 1 };
  await applyChange(ctx, served, { verb: 'update', before, after, changed: changedFields(callBacks, before, after) });
}

const toTell = `select c.call_back_id as id from call_back c join tenant t on t.tenant_id = c.tenant_id and t.enabled
where c.closed_at is null and c.look_at <= $1 order by c.look_at limit ${atOnce}`;

/** Looks at the call backs whose time has come. Each has a transaction, so that one that fails does not hold up the others. */
export async function followCallBacks(database: Database, log: Logger, pauseMs: number, now?: () => Date): Promise<void> {
  const ctx = systemCtx({ database, log, name: 'Automation' });
  const system = now ? { ...ctx, now } : ctx;
  const due = await system.db.query<{ id: string }>({ name: 'call-backs-due', text: toTell, values: [system.now().toISOString()] });
  for (const { id } of due) {
    try {
      await system.db.transaction((db) => tell({ ...system, db }, id, pauseMs));
    } catch (error) {
      log.error({ err: error, callBackId: id }, 'Cannot tell of the call back; it is tried again.');
    }
  }
}

export const callBackWork = (database: Database, log: Logger, pauseMs: number): Periodic => ({
  name: 'call-backs',
  everyMs: 2_000,
  run: () => followCallBacks(database, log, pauseMs),
});
