/** Reports that people have sent by mail: made, changed, deleted and tried by their owner. */
import { randomUUID } from 'node:crypto';
import { ApiError, forbidden, notFound } from '@cloudfit/contract/errors.ts';
import {
  changeReportSchedule,
  createReportSchedule,
  removeReportSchedule,
  reportSchedules,
  testReportSchedule,
} from '@cloudfit/contract/reports/schedule-calls.ts';
import { scheduleLimits } from '@cloudfit/contract/reports/schedules.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { isVisibleTo } from '../../../auth/people-names.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { localeOf } from '../../../context/locale.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { readerOf } from '../../../platform/language.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { mayViewReport, writeReportMail } from './report-mail.ts';
import { scheduleColumns, type ReportScheduleRow } from './schedule-row.ts';
import { nextRun } from './schedule-times.rules.ts';
import { mailJob } from './send-reports.ts';

type ScheduleChoices = Pick<
  ReportScheduleRow,
  'name' | 'by' | 'period' | 'tenantId' | 'isAllTenants' | 'rhythm' | 'day' | 'hour' | 'timeZone' | 'receivers' | 'isEnabled'
>;

function personOf({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have reports sent by mail; sign in as a person.');
  return actor.id;
}

const mine = `from report_schedule r join tenant t on t.tenant_id = r.tenant_id where r.person_id = $1`;
const listed = `select ${scheduleColumns} ${mine} order by r.name collate natural_order, r.report_schedule_id`;
const one = `select ${scheduleColumns} ${mine} and r.report_schedule_id = $2`;
const locked = `${one} for update of r`;

/** Names of people whom the owner has chosen. */
const names = 'select person_id as id, name from person where person_id = any($1::uuid[])';

const read = implement(reportSchedules, async (ctx) => {
  const rows = await ctx.db.query<ReportScheduleRow>({ name: 'report-schedules', text: listed, values: [personOf(ctx)] });
  const ids = rows.flatMap(({ receivers, lastResult }) => [...receivers, ...lastResult.map(({ personId }) => personId)]);
  const people = await ctx.db.query<{ id: string; name: string }>({ name: 'report-people', text: names, values: [[...new Set(ids)]] });
  const nameOf = (personId: string) => people.find(({ id }) => id === personId)?.name ?? null;
  return {
    value: rows.map(({ personId: _owner, ...row }) => ({
      ...row,
      nextRun: row.isEnabled ? row.nextRun : null,
      people: row.receivers.map((personId) => ({ personId, name: nameOf(personId) })),
      lastResult: row.lastResult.map((result) => ({ ...result, name: nameOf(result.personId) })),
    })),
  };
});

function requireDay({ rhythm, day }: ScheduleChoices): void {
  const refuse = (message: string) => {
    throw new ApiError('ValidationFailed', message, { target: 'day' });
  };
  if (rhythm === 'Daily' && day !== 0) refuse('A daily report has no day; send 0.');
  if (rhythm === 'Weekly' && day > 6) refuse('The day of the week is from 0 (Sunday) to 6 (Saturday).');
  if (rhythm === 'Monthly' && day === 0) refuse(`Choose a day of the month from 1 to ${scheduleLimits.lastDayOfMonth}.`);
}

const visiblePeople = `select p.person_id as id from person p where p.person_id = any($1::uuid[]) and ${isVisibleTo}`;

/** Throws unless the caller may view the report, and shares a tenant with each of the new receivers. */
async function requirePermitted(ctx: Ctx, after: ScheduleChoices, added: readonly string[]): Promise<void> {
  requireDay(after);
  // Each receiver may have ended the mails.
  if (after.receivers.length === 0) throw new ApiError('ValidationFailed', 'Please name at least one receiver.', { target: 'receivers' });
  if (ctx.tenants !== 'all' && !ctx.tenants.includes(after.tenantId)) throw notFound('Tenant');
  if (!mayViewReport(ctx, after))
    throw forbidden('You do not have the permission to view work units there, so you cannot have them reported.');
  const values = [added, ctx.tenants === 'all' ? null : [...ctx.tenants], personOf(ctx)];
  const visibleIds = new Set((await ctx.db.query<{ id: string }>({ text: visiblePeople, values })).map(({ id }) => id));
  const missing = added.filter((id) => !visibleIds.has(id));
  if (missing.length > 0)
    throw new ApiError(
      'ValidationFailed',
      `${missing.length === 1 ? 'A receiver was' : `${missing.length} receivers were`} not found. Choose people of your tenants.`,
      {
        target: 'receivers',
      },
    );
}

const valuesOf = (c: ScheduleChoices, next: number) => [
  c.name,
  c.by,
  c.period,
  c.isAllTenants,
  c.rhythm,
  c.day,
  c.hour,
  c.timeZone,
  c.receivers,
  c.isEnabled,
  c.tenantId,
  new Date(next).toISOString(),
];

const chosenOf = (c: ScheduleChoices): ScheduleChoices => ({
  name: c.name,
  by: c.by,
  period: c.period,
  tenantId: c.tenantId,
  isAllTenants: c.isAllTenants,
  rhythm: c.rhythm,
  day: c.day,
  hour: c.hour,
  timeZone: c.timeZone,
  receivers: [...new Set(c.receivers)],
  isEnabled: c.isEnabled,
});

async function record(
  ctx: Ctx,
  verb: string,
  id: string,
  before: ScheduleChoices | undefined,
  after: object | undefined,
  tenantId: string,
): Promise<void> {
  await recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'reportSchedules',
    entityId: id,
    tenantId,
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
    correlationId: ctx.correlationId,
    address: ctx.address,
  });
}

const nameTaken = (name: string) =>
  new ApiError('Conflict', `You have a report ${name} by mail already. Choose another name.`, { target: 'name' });

const create = implement(createReportSchedule, (outside, input) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    const after = chosenOf(input);
    await requirePermitted(ctx, after, after.receivers);
    // The lock makes the count below hold for two calls at once.
    await ctx.db.query({ text: 'select 1 from person where person_id = $1 for no key update', values: [personId] });
    const [counted] = await ctx.db.query<{ n: number }>({
      text: 'select count(*)::int as n from report_schedule where person_id = $1',
      values: [personId],
    });
    if ((counted?.n ?? 0) >= scheduleLimits.perPerson)
      throw new ApiError(
        'Conflict',
        `You have ${scheduleLimits.perPerson} reports by mail, the most that one person can have. Delete one first.`,
      );
    const [row] = await ctx.db.query<{ id: string }>({
      text: `insert into report_schedule (person_id, name, dimension, period, is_all_tenants, rhythm, day, hour, time_zone, receivers, is_enabled, tenant_id, next_run)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::uuid[], $11, $12, $13) on conflict (person_id, name) do nothing returning report_schedule_id as id`,
      values: [personId, ...valuesOf(after, nextRun(after, ctx.now().getTime()))],
    });
    if (!row) throw nameTaken(after.name);
    await record(ctx, 'create', row.id, undefined, after, after.tenantId);
    return { reportScheduleId: row.id };
  }),
);

async function scheduleOf(ctx: Ctx, id: string): Promise<ReportScheduleRow> {
  const [row] = await ctx.db.query<ReportScheduleRow>({ text: locked, values: [personOf(ctx), id] });
  if (!row) throw notFound('Report by mail');
  return row;
}

const change = implement(changeReportSchedule, (outside, { id, ...changes }) =>
  inTransaction(outside, async (ctx) => {
    const row = await scheduleOf(ctx, id);
    const before = chosenOf(row);
    const input = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after = chosenOf({ ...before, ...input });
    const isSwitchedOff = !after.isEnabled && Object.keys(input).every((name) => name === 'isEnabled');
    if (!isSwitchedOff)
      await requirePermitted(
        ctx,
        after,
        after.receivers.filter((personId) => !before.receivers.includes(personId)),
      );
    const [sameName] = await ctx.db.query({
      text: 'select 1 from report_schedule where person_id = $1 and name = $2 and report_schedule_id <> $3',
      values: [personOf(ctx), after.name, id],
    });
    if (sameName) throw nameTaken(after.name);
    const isSameTime = (['rhythm', 'day', 'hour', 'timeZone', 'isEnabled'] as const).every((name) => after[name] === before[name]);
    // One that is switched on again begins with its next time, not with those that it has missed.
    const next = isSameTime ? Date.parse(row.nextRun) : nextRun(after, ctx.now().getTime());
    await ctx.db.query({
      text: `update report_schedule set name = $2, dimension = $3, period = $4, is_all_tenants = $5, rhythm = $6, day = $7, hour = $8, time_zone = $9,
        receivers = $10::uuid[], is_enabled = $11, tenant_id = $12, next_run = $13 where report_schedule_id = $1`,
      values: [id, ...valuesOf(after, next)],
    });
    await record(ctx, 'update', id, before, after, after.tenantId);
    return { reportScheduleId: id };
  }),
);

const remove = implement(removeReportSchedule, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const before = await scheduleOf(ctx, id);
    await ctx.db.query({ text: 'delete from report_schedule where report_schedule_id = $1', values: [id] });
    await record(ctx, 'delete', id, chosenOf(before), undefined, before.tenantId);
  }),
);

const tryOut = implement(testReportSchedule, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    const schedule = await scheduleOf(ctx, id);
    if (!mayViewReport(ctx, schedule)) throw forbidden('You do not have the permission to view work units there.');
    const [me] = await ctx.db.query<{ email: string | null; isVerified: boolean }>({
      text: 'select email, email_verified as "isVerified" from person where person_id = $1',
      values: [personId],
    });
    if (!me?.email || !me.isVerified)
      throw new ApiError('Conflict', 'You have no verified email address. Ask an administrator to verify yours.');
    const mail = await writeReportMail(ctx, schedule, readerOf(await localeOf(ctx.db, personId)));
    await enqueue(ctx.db, mailJob(schedule, me.email, mail, randomUUID(), ctx.correlationId));
    await record(ctx, 'test', id, undefined, { name: schedule.name, to: me.email }, schedule.tenantId);
    return { email: me.email };
  }),
);

export const reportScheduleActions: readonly ImplementedAction[] = [read, create, change, remove, tryOut];
