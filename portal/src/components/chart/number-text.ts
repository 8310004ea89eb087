/** Formats the numbers of metrics for people, by the unit that follows from the name of the metric. */
import { spanText } from '@cloudfit/contract/reports/duration-text.ts';
import { decimalText } from '../../theme/times.ts';

export type MetricUnit = 'percent' | 'seconds' | 'bytes' | 'bytesPerSecond' | 'milliseconds' | 'none';

const units: readonly (readonly [RegExp, MetricUnit])[] = [
  [/bytespersecond|bytespersec|bps$/i, 'bytesPerSecond'],
  [/bytes/i, 'bytes'],
  [
    /^(metrics\.)?(cpu(user|nice|system|idle|iowait|irq|softirq|steal|guest)?|(committed)?memory|swap|disk(inodes|utilization)?)(\s|$)/i,
    'percent',
  ],
  [/percent|^(metrics\.)?pressure(cpu|memory|io)(some|full)$/i, 'percent'],
  [/milliseconds$|(^|[a-z])Ms(\s|$)|_ms$/, 'milliseconds'],
  [/seconds$|^(metrics\.)?uptime$/i, 'seconds'],
];

/** The unit of a metric, guessed from its name, because packets carry no units. */
export function unitOf(metric: string): MetricUnit {
  return units.find(([name]) => name.test(metric))?.[1] ?? 'none';
}

const steps = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

function plain(value: number): string {
  const size = Math.abs(value);
  return decimalText(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

function bytes(value: number): string {
  const step = Math.min(steps.length - 1, Math.max(0, Math.floor(Math.log(Math.max(1, Math.abs(value))) / Math.log(1_000))));
  return `${plain(value / 1_000 ** step)} ${steps[step] ?? ''}`;
}

/** A duration in at most two units. */
export const durationText = (seconds: number): string => spanText(seconds, plain);

export function numberText(value: number, unit: MetricUnit = 'none'): string {
  if (unit === 'percent') return `${plain(value)} %`;
  if (unit === 'bytes') return bytes(value);
  if (unit === 'bytesPerSecond') return `${bytes(value)}/s`;
  if (unit === 'seconds') return durationText(value);
  if (unit === 'milliseconds') return Math.abs(value) >= 1_000 ? durationText(value / 1_000) : `${plain(value)} ms`;
  return plain(value);
}
