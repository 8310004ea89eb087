/** Sends the reports whose time has come: to each receiver what they may view themselves at that moment. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { presentAccess } from '../../../auth/people.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { readOnly } from '../../../db/read-only.ts';
import { readerForWork } from '../../../db/standby/reader.ts';
import { enqueueAll, type NewJob } from '../../../jobs/queue.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import { readerOf } from '../../../platform/language.ts';
import type { ReportLinks } from '../../../platform/report-links.ts';
import { uuidV5 } from '../../../platform/uuid-v5.ts';
import { mayViewReport, writeReportMail, type ReportMail } from './report-mail.ts';
import { scheduleColumns, type ReceiverResult, type ReportScheduleRow } from './schedule-row.ts';
import { nextRun } from './schedule-times.rules.ts';

const atOnce = 100;

const dueSchedules = `select ${scheduleColumns}, r.xmin::text as version from report_schedule r join tenant t on t.tenant_id = r.tenant_id and t.enabled
where r.is_enabled and r.next_run <= $1 and ($2::timestamptz is null or (r.next_run, r.report_schedule_id) > ($2, $3::uuid))
order by r.next_run, r.report_schedule_id limit ${atOnce}`;

// Who comes second finds another time, and so does who has read the schedule before it was changed.
const claim = `update report_schedule set next_run = $3, last_run = $4, last_result = $5::jsonb, is_enabled = $6
where report_schedule_id = $1 and is_enabled and next_run = $2 and xmin::text = $7 returning 1 as done`;

interface DueSchedule extends ReportScheduleRow {
  /** The version (`xmin`) of the row when it was read. */
  version: string;
}

interface ReceiverRow {
  personId: string;
  email: string | null;
  isVerified: boolean;
  locale: Locale | null;
}

const receiversOf = `select person_id as "personId", email, email_verified as "isVerified", locale from person where person_id = any($1::uuid[])`;

/** The job that sends the mail. The outbox shows mails to administrators of their tenant, so one about several tenants has none. */
export function mailJob(
  schedule: ReportScheduleRow,
  to: string,
  mail: ReportMail & { unsubscribe?: string },
  messageId: string,
  correlationId: string,
): NewJob {
  const { tenantId, isAllTenants } = schedule;
  const payload = { messageId, tenantId: isAllTenants ? null : tenantId, to, ...mail };
  return { name: 'send-mail', payload, tenantId, correlationId, onceKey: messageId };
}

/** The context of a person who is not there, which only reads. */
function ctxOf(system: Ctx, database: Database, access: NonNullable<Awaited<ReturnType<typeof presentAccess>>>): Ctx {
  const { actor, tenants, permissions } = access;
  return { ...system, actor, tenants, permissions, db: readerForWork(database, readOnly(database.scoped(tenants)), tenants) };
}

interface WrittenReport {
  results: ReceiverResult[];
  jobs: NewJob[];
  /** Whether its owner may still have it sent. */
  isPermitted: boolean;
}

async function write(system: Ctx, database: Database, schedule: ReportScheduleRow, links: ReportLinks): Promise<WrittenReport> {
  const owner = await presentAccess(system.db, schedule.personId);
  if (!owner?.enabled || !mayViewReport(owner, schedule))
    return { results: [{ personId: schedule.personId, outcome: 'OwnerMayNot' }], jobs: [], isPermitted: false };
  const rows = await system.db.query<ReceiverRow>({ name: 'report-receivers', text: receiversOf, values: [schedule.receivers] });
  const people = new Map(rows.map((row) => [row.personId, row]));
  const written: WrittenReport = { results: [], jobs: [], isPermitted: true };
  for (const personId of schedule.receivers) {
    const person = people.get(personId);
    const access = person && (await presentAccess(system.db, personId));
    const refused = !access
      ? 'Removed'
      : !access.enabled
        ? 'Disabled'
        : !mayViewReport(access, schedule)
          ? 'NoRight'
          : person.email === null || !person.isVerified
            ? 'NoAddress'
            : undefined;
    written.results.push({ personId, outcome: refused ?? 'Sent' });
    if (refused || !access || !person?.email) continue;
    const unsubscribe = links.url({ reportScheduleId: schedule.reportScheduleId, personId });
    const sent = { sender: owner.actor.name, unsubscribe };
    const mail = await writeReportMail(ctxOf(system, database, access), schedule, readerOf(person.locale), sent);
    const messageId = uuidV5(schedule.reportScheduleId, `${schedule.nextRun}:${personId}`);
    written.jobs.push(mailJob(schedule, person.email, { ...mail, unsubscribe }, messageId, system.correlationId));
  }
  return written;
}

/** Sends one report. The mails, its next time and its result are written together, so a process that is lost has sent none of them. */
async function send(system: Ctx, database: Database, schedule: DueSchedule, links: ReportLinks): Promise<void> {
  const { results, jobs, isPermitted } = await write(system, database, schedule, links);
  const now = system.now();
  const next = new Date(nextRun(schedule, now.getTime())).toISOString();
  await system.db.transaction(async (db) => {
    const [claimed] = await db.query({
      name: 'report-claim',
      text: claim,
      values: [
        schedule.reportScheduleId,
        schedule.nextRun,
        next,
        now.toISOString(),
        JSON.stringify(results),
        isPermitted,
        schedule.version,
      ],
    });
    if (!claimed) return;
    await enqueueAll(db, jobs);
    await recordAudit(db, {
      actor: { kind: 'system', id: null, name: 'Automation' },
      verb: 'send',
      entity: 'reportSchedules',
      entityId: schedule.reportScheduleId,
      tenantId: schedule.tenantId,
      before: { isEnabled: true },
      after: { name: schedule.name, isEnabled: isPermitted, results },
      correlationId: system.correlationId,
    });
  });
}

/** Sends the reports that are due, each once although several processes look. After a pause one report stands for those missed. */
export async function sendReports(database: Database, log: Logger, links: ReportLinks, now?: () => Date): Promise<void> {
  let last: DueSchedule | undefined;
  do {
    const outer = systemCtx({ database, log, name: 'Automation', ...(now ? { now } : {}) });
    const values: unknown[] = [outer.now().toISOString(), last?.nextRun ?? null, last?.reportScheduleId ?? null];
    const due: DueSchedule[] = await outer.db.query({ name: 'reports-due', text: dueSchedules, values });
    for (const schedule of due) {
      const system = systemCtx({ database, log, name: 'Automation', correlationId: randomUUID(), ...(now ? { now } : {}) });
      try {
        await send(system, database, schedule, links);
      } catch (error) {
        log.error({ err: error, reportScheduleId: schedule.reportScheduleId }, 'A report could not be sent; it is tried again.');
      }
    }
    last = due.length === atOnce ? due.at(-1) : undefined;
  } while (last);
}

export const reportWork = (database: Database, log: Logger, links: ReportLinks): Periodic => ({
  name: 'send-reports',
  everyMs: 30_000,
  run: () => sendReports(database, log, links),
});
