/** The rows of reports that are sent by mail. */
import type { ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import type { MailedPeriod, ScheduleOutcome, ScheduleRhythm } from '@cloudfit/contract/reports/schedules.ts';

/** Whether a receiver got the last report. */
export interface ReceiverResult {
  personId: string;
  outcome: ScheduleOutcome;
}

export interface ReportScheduleRow {
  reportScheduleId: string;
  tenantId: string;
  tenantName: string;
  personId: string;
  name: string;
  by: ReportDimension;
  period: MailedPeriod;
  isAllTenants: boolean;
  rhythm: ScheduleRhythm;
  day: number;
  hour: number;
  timeZone: string;
  receivers: string[];
  isEnabled: boolean;
  nextRun: string;
  lastRun: string | null;
  lastResult: ReceiverResult[];
}

export const scheduleColumns = `r.report_schedule_id as "reportScheduleId", r.tenant_id as "tenantId", t.name as "tenantName", r.person_id as "personId", r.name,
  r.dimension as by, r.period, r.is_all_tenants as "isAllTenants", r.rhythm, r.day, r.hour, r.time_zone as "timeZone", r.receivers,
  r.is_enabled as "isEnabled", r.next_run as "nextRun", r.last_run as "lastRun", r.last_result as "lastResult"`;
