/** The mail with a report: figures, a table of the groups and a CSV file, in the language of its reader. */
import { byteOrderMark } from '@cloudfit/contract/csv.ts';
import { spanText } from '@cloudfit/contract/reports/duration-text.ts';
import { reportTexts as german } from '@cloudfit/contract/messages/reports.de.ts';
import { reportTexts as english } from '@cloudfit/contract/messages/reports.en.ts';
import type { ReportFigures } from '@cloudfit/contract/reports/calls.ts';
import type { ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import {
  figureText,
  groupName,
  reportCsv,
  type FigureName,
  type FigureWriter,
  type ReportTexts,
} from '@cloudfit/contract/reports/figures.ts';
import type { MailedPeriod } from '@cloudfit/contract/reports/schedules.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { namesOfPeople } from '../../../auth/people-names.ts';
import { tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import type { Language, TextReader } from '../../../platform/language.ts';
import { mailTextsFor } from '../../../platform/mail-texts.ts';
import { dayText, numberText } from '../../../platform/times.ts';
import { reportOf } from './report.action.ts';
import { daysOf } from './schedule-times.rules.ts';

const catalogues: Readonly<Record<Language, ReportTexts>> = { en: english, de: german };

/** The figures of each group in the mail; the file has all. */
const shownFigures: readonly FigureName[] = ['opened', 'open', 'acknowledgeMedian', 'acknowledgeMet', 'resolveMedian', 'resolveMet'];
/** The maximum number of groups in the mail. */
const shownGroups = 40;

/** What a report by mail is about. */
export interface MailedReport {
  name: string;
  by: ReportDimension;
  period: MailedPeriod;
  timeZone: string;
  tenantId: string;
  tenantName: string;
  isAllTenants: boolean;
}

/** The parts of a mail that are the payload of the job `send-mail`. */
export interface ReportMail {
  subject: string;
  text: string;
  table: string[][];
  link: string;
  attachments: { fileName: string; contentType: string; content: string }[];
}

const viewUnits = permission('WorkUnits', 'view');

/** Whether the caller may view anything of the report. */
export function mayViewReport(ctx: Pick<Ctx, 'permissions'>, { tenantId, isAllTenants }: Pick<MailedReport, 'tenantId' | 'isAllTenants'>) {
  const sets = isAllTenants ? [...ctx.permissions.values()] : ['*', tenantId].map((key) => ctx.permissions.get(key));
  return sets.some((set) => set?.has(viewUnits));
}

async function personNames(ctx: Ctx, userNames: readonly string[]): Promise<(userName: string) => string> {
  const self = ctx.actor.kind === 'person' ? ctx.actor.id : undefined;
  const reader = { tenants: ctx.tenants, unitTenants: tenantScopeWith(ctx, [viewUnits]), self };
  const names = new Map((await namesOfPeople(ctx.db, reader, userNames)).map(({ userName, name }) => [userName.toLowerCase(), name]));
  return (userName) => names.get(userName.trim().toLowerCase()) ?? userName;
}

interface SentReport {
  /** The name of whoever has it sent. */
  sender: string;
  /** The link that ends the report for its reader. */
  unsubscribe: string;
}

/** Writes the mail with what the caller may view now. Without `sent` it is a test. */
export async function writeReportMail(ctx: Ctx, mailed: MailedReport, reader: TextReader, sent?: SentReport): Promise<ReportMail> {
  const { name, by, isAllTenants, tenantId } = mailed;
  const { isOver, ...days } = daysOf(mailed.period, mailed.timeZone, ctx.now().getTime());
  const report = await reportOf(ctx, { ...days, by, ...(isAllTenants ? {} : { tenantId }) });
  const texts = catalogues[reader.language];
  const mail = mailTextsFor(reader).report;
  const writer: FigureWriter = {
    texts,
    number: (value) => numberText(reader, value),
    duration: (seconds) => spanText(seconds, (value) => numberText(reader, value)),
    personName: by === 'person' ? await personNames(ctx, report.groups.map(({ key }) => key).filter(Boolean)) : String,
  };
  const dayOf = (day: string) => dayText({ ...reader, timeZone: 'UTC' }, day);
  const period = `${dayOf(report.from)} – ${dayOf(report.to)}`;
  const figure = (of: FigureName, figures: ReportFigures) => figureText(of, figures, writer);
  const all = (Object.keys(texts.figures) as FigureName[]).map(
    (of) => `${texts.figures[of]}: ${mail.compared(figure(of, report.now), figure(of, report.before))}`,
  );
  const groups = report.groups.slice(0, shownGroups);
  const isEmpty = groups.length === 0;
  const more = report.groupCount - groups.length;
  const text = [
    mail.begin(sent?.sender ?? '', name, sent === undefined),
    texts.heading(period, `${dayOf(report.beforeFrom)} – ${dayOf(report.beforeTo)}`),
    [`${mail.tenants}: ${isAllTenants ? mail.allTenants : mailed.tenantName}`, ...(isEmpty ? [] : all)].join('\n'),
    ...(isEmpty ? [texts.none] : []),
    ...(report.pendingDays > 0 ? [texts.pending(report.pendingDays)] : []),
    ...(isOver ? [] : [mail.notOver]),
    ...(isEmpty ? [] : [mail.inBrackets(texts.dimensions[by])]),
    ...(more > 0 ? [mail.more(more)] : []),
    ...(sent ? [mail.end(sent.unsubscribe)] : []),
    mail.link,
  ];
  const row = (of: (figureName: FigureName) => string, first: string) => [first, ...shownFigures.map(of)];
  const query = new URLSearchParams({ ...days, by, ...(isAllTenants ? { tenants: 'all' } : {}) });
  return {
    subject: mail.subject(name, period).replaceAll(/[\r\n]+/g, ' '),
    text: text.join('\n\n'),
    table: isEmpty
      ? []
      : [
          row((of) => texts.figures[of], texts.dimensions[by]),
          ...groups.map((group) => row((of) => `${figure(of, group.now)} (${figure(of, group.before)})`, groupName(by, group, writer))),
        ],
    link: `/${tenantId}/reports?${query.toString()}`,
    attachments: [
      {
        fileName: `${name.replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-')} ${report.from} ${report.to}.csv`,
        contentType: 'text/csv; charset=utf-8',
        content: byteOrderMark + reportCsv(by, report, writer),
      },
    ],
  };
}
