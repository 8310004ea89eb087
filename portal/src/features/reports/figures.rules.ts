/** The figures of a report as texts of tiles and cells, and as records of a CSV file. */
import { csvLine } from '@cloudfit/contract/csv.ts';
import { reportTexts as t } from '@cloudfit/contract/messages/reports.en.ts';
import type { ReportFigures, ReportGroup } from '@cloudfit/contract/reports/calls.ts';
import type { ChangeOutcome, ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import { numberText } from '../../components/chart/number-text.ts';

export type FigureName = keyof typeof t.figures;
export const figureNames = Object.keys(t.figures) as FigureName[];

const nothing = '—';
const secondsText = (seconds: number | null) => (seconds === null ? nothing : numberText(seconds, 'seconds'));
const shareText = (part: number, all: number) => (all === 0 ? nothing : t.shareOf(Math.round((100 * part) / all), part, all));

const texts: Record<FigureName, (figures: ReportFigures) => string> = {
  opened: ({ opened }) => numberText(opened),
  open: ({ open }) => numberText(open),
  acknowledgeMedian: ({ acknowledge }) => secondsText(acknowledge.medianSeconds),
  acknowledgeP90: ({ acknowledge }) => secondsText(acknowledge.p90Seconds),
  acknowledgeMet: ({ acknowledge: { met, breached } }) => shareText(met, met + breached),
  resolveMedian: ({ resolve }) => secondsText(resolve.medianSeconds),
  resolveP90: ({ resolve }) => secondsText(resolve.p90Seconds),
  resolveMet: ({ resolve: { met, breached } }) => shareText(met, met + breached),
  unacknowledged: ({ unacknowledged, opened, open }) => shareText(unacknowledged, opened - open),
};

export function figureText(name: FigureName, figures: ReportFigures): string {
  return texts[name](figures);
}

/** How a group is called. `personName`: the display name of a sign-in name. */
export function groupName(by: ReportDimension, { key, name, tenantName }: ReportGroup, personName: (userName: string) => string): string {
  if (key === '') return t.names[by];
  if (by === 'person') return personName(key) || key;
  if (by === 'severity') return key;
  if (by === 'change') return t.outcomes[key as ChangeOutcome];
  if (name === null) return by === 'tenant' ? t.names.tenant : t.unnamed;
  return tenantName === null ? name : t.of(name, tenantName);
}

const cells = (f: ReportFigures) => [
  f.opened,
  f.open,
  f.unacknowledged,
  ...[f.acknowledge, f.resolve].flatMap((times) => [times.units, times.medianSeconds, times.p90Seconds, times.met, times.breached]),
];

/** One record for each group and period. */
export function reportCsv(
  by: ReportDimension,
  groups: readonly ReportGroup[],
  periods: { now: string; before: string },
  personName: (userName: string) => string,
): string {
  const { columns: c } = t;
  const header = [
    t.dimensions[by],
    c.period,
    c.opened,
    c.open,
    c.unacknowledged,
    c.acknowledged,
    c.acknowledgeMedian,
    c.acknowledgeP90,
    c.acknowledgeMet,
    c.acknowledgeBreached,
    c.resolved,
    c.resolveMedian,
    c.resolveP90,
    c.resolveMet,
    c.resolveBreached,
  ];
  const lines = groups.flatMap((group) => {
    const name = groupName(by, group, personName);
    return [
      [name, periods.now, ...cells(group.now)],
      [name, periods.before, ...cells(group.before)],
    ];
  });
  return [header, ...lines].map(csvLine).join('');
}
