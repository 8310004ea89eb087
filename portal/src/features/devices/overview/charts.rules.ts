/** The charts of a device: CPU, memory, disk and network if it reports them, then everything else that it reports. */
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { unitOf } from '../../../components/chart/number-text.ts';
import type { LabelledSeries } from '../../../entities/series/series-card.tsx';
import type { MetricInfo } from '../../../entities/series/use-series.ts';

const t = deviceTexts.overview.charts;

/** A device, or one of its operations, with what it reports. */
export interface Reporter {
  entityId: string;
  /** Name of the operation; undefined for the device. */
  operation: string | undefined;
  metrics: readonly MetricInfo[];
}

export interface DeviceChart {
  id: string;
  title: string;
  hint: string | undefined;
  series: readonly LabelledSeries[];
}

const mains: readonly (readonly [title: string, metric: RegExp])[] = [
  [t.cpu, /^cpu$/i],
  [t.memory, /^memory$/i],
  [t.disk, /^disk(used)?( .+)?$/i],
  [t.network, /^network.*bytespersecond$|^net(work)?(in|out|received|sent)/i],
];
const maxSeries = 6;
const mainCharts = 4;

/** Removes the prefix: `Metrics.Cpu` becomes `Cpu`. */
const bare = (name: string) => name.replace(/^Metrics\./, '');
/** Returns the label of a metric: `NetworkInBytesPerSecond` becomes `Network in`. */
export function metricLabel(name: string): string {
  const words = bare(name)
    .replace(/(BytesPerSecond|Bytes|Seconds|Percent)(?= |$)/, '')
    .replace(/([a-z])([A-Z])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return words === '' ? bare(name) : words;
}

function hintOf({ operation }: Reporter): string | undefined {
  return operation === undefined ? undefined : deviceTexts.overview.ofOperation(operation);
}

/** Returns the main charts, each from the first reporter that has its metrics: the device, or else an operation. */
function mainChartsOf(reporters: readonly Reporter[]): DeviceChart[] {
  return mains.flatMap(([title, pattern]): DeviceChart[] => {
    for (const reporter of reporters) {
      const metrics = reporter.metrics.filter(({ kind, name }) => kind === 'number' && pattern.test(bare(name))).slice(0, maxSeries);
      if (metrics.length === 0) continue;
      const series = metrics.map(({ name }) => ({ entityId: reporter.entityId, metric: name, label: metricLabel(name) }));
      const [only] = metrics;
      const hint =
        metrics.length === 1 && only && metricLabel(only.name).toLowerCase() !== title.toLowerCase() ? metricLabel(only.name) : undefined;
      return [{ id: title, title, hint: hint ?? hintOf(reporter), series }];
    }
    return [];
  });
}

/** One chart for each metric. A number that only grows, such as the time since the start, comes last. */
function singleChartsOf(reporters: readonly Reporter[], shownMetrics: ReadonlySet<string>): DeviceChart[] {
  const charts = reporters.flatMap((reporter) =>
    reporter.metrics
      .filter(({ name }) => !shownMetrics.has(`${reporter.entityId} ${name}`))
      .map(({ name }): DeviceChart => ({
        id: `${reporter.entityId} ${name}`,
        title: metricLabel(name),
        hint: hintOf(reporter),
        series: [{ entityId: reporter.entityId, metric: name, label: metricLabel(name) }],
      })),
  );
  const rank = (chart: DeviceChart) => (unitOf(chart.series[0]?.metric ?? '') === 'seconds' ? 1 : 0);
  return charts.toSorted((a, b) => rank(a) - rank(b));
}

const isMeasured = ({ name }: MetricInfo) => !name.startsWith('Properties.');

/** `main`: four charts at most; `others`: one for each further metric and state. */
export function chartsOf(reporters: readonly Reporter[]): { main: readonly DeviceChart[]; others: readonly DeviceChart[] } {
  const charted = reporters.map((reporter) => ({ ...reporter, metrics: reporter.metrics.filter(isMeasured) }));
  const main = mainChartsOf(charted);
  const shownMetrics = new Set(main.flatMap(({ series }) => series.map(({ entityId, metric }) => `${entityId} ${metric}`)));
  const rest = singleChartsOf(charted, shownMetrics);
  const numbers = new Set(
    charted.flatMap(({ entityId, metrics }) => metrics.filter(({ kind }) => kind === 'number').map(({ name }) => `${entityId} ${name}`)),
  );
  const fill = rest.filter(({ id }) => numbers.has(id)).slice(0, Math.max(0, mainCharts - main.length));
  return { main: [...main, ...fill], others: rest.filter((chart) => !fill.includes(chart)) };
}
