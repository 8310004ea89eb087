/** The figures of a report as texts of tiles and cells, and as records of a CSV file, in the language of their reader. */
import { csvLine } from '../csv.ts';
import type { reportTexts } from '../messages/reports.en.ts';
import type { Texts } from '../messages/texts.ts';
import type { ReportFigures, ReportGroup } from './calls.ts';
import type { ChangeOutcome, ReportDimension } from './dimensions.ts';

export type ReportTexts = Texts<typeof reportTexts>;
export type FigureName = keyof ReportTexts['figures'];

/** How the reader is written to. */
export interface FigureWriter {
  texts: ReportTexts;
  number: (value: number) => string;
  duration: (seconds: number) => string;
  /** The display name of a sign-in name; empty or the sign-in name if it is unknown. */
  personName: (userName: string) => string;
}

const nothing = '—';

const writers: Record<FigureName, (figures: ReportFigures, to: FigureWriter) => string> = {
  opened: ({ opened }, to) => to.number(opened),
  open: ({ open }, to) => to.number(open),
  acknowledgeMedian: ({ acknowledge }, to) => secondsText(acknowledge.medianSeconds, to),
  acknowledgeP90: ({ acknowledge }, to) => secondsText(acknowledge.p90Seconds, to),
  acknowledgeMet: ({ acknowledge: { met, breached } }, to) => shareText(met, met + breached, to),
  resolveMedian: ({ resolve }, to) => secondsText(resolve.medianSeconds, to),
  resolveP90: ({ resolve }, to) => secondsText(resolve.p90Seconds, to),
  resolveMet: ({ resolve: { met, breached } }, to) => shareText(met, met + breached, to),
  unacknowledged: ({ unacknowledged, opened, open }, to) => shareText(unacknowledged, opened - open, to),
};

const secondsText = (seconds: number | null, to: FigureWriter) => (seconds === null ? nothing : to.duration(seconds));
/** Whole percent: 100 only if it is all, and 0 only if it is nothing, because a breach in a thousand is a breach. */
const percentOf = (part: number, all: number): number =>
  part === 0 || part === all ? (100 * part) / all : Math.min(99, Math.max(1, Math.round((100 * part) / all)));
const shareText = (part: number, all: number, to: FigureWriter) =>
  all === 0 ? nothing : to.texts.shareOf(percentOf(part, all), part, all);

export function figureText(name: FigureName, figures: ReportFigures, to: FigureWriter): string {
  return writers[name](figures, to);
}

/** How a group is called. */
export function groupName(
  by: ReportDimension,
  { key, name, tenantName }: ReportGroup,
  { texts: t, personName }: Pick<FigureWriter, 'texts' | 'personName'>,
): string {
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
  { groups, ...days }: { groups: readonly ReportGroup[]; from: string; to: string; beforeFrom: string; beforeTo: string },
  to: Pick<FigureWriter, 'texts' | 'personName'>,
): string {
  const { columns: c, dimensions } = to.texts;
  const header = [
    dimensions[by],
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
    const name = groupName(by, group, to);
    return [
      [name, `${days.from} - ${days.to}`, ...cells(group.now)],
      [name, `${days.beforeFrom} - ${days.beforeTo}`, ...cells(group.before)],
    ];
  });
  return [header, ...lines].map(csvLine).join('');
}
