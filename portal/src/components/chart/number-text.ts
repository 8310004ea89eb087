/** Formats the numbers of metrics for people, by the unit that follows from the name of the metric. */
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

const spans: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `300 d`, `2 d 4 h`, `12 min`: a duration in at most two units, in one unit from 10 of the larger unit on. */
export function durationText(seconds: number): string {
  const size = Math.abs(seconds);
  const at = spans.findIndex(([length]) => size >= length);
  const [length, name] = spans[at] ?? [1, 's'];
  if (at === -1) return `${plain(seconds)} s`;
  const whole = size / length < 10 ? Math.floor(size / length) : Math.round(size / length);
  const [smaller, smallerName] = spans[at + 1] ?? [1, 's'];
  const rest = whole < 10 ? Math.floor((size - whole * length) / smaller) : 0;
  return `${seconds < 0 ? '-' : ''}${decimalText(whole, 0)} ${name}${rest > 0 ? ` ${rest} ${smallerName}` : ''}`;
}

export function numberText(value: number, unit: MetricUnit = 'none'): string {
  if (unit === 'percent') return `${plain(value)} %`;
  if (unit === 'bytes') return bytes(value);
  if (unit === 'bytesPerSecond') return `${bytes(value)}/s`;
  if (unit === 'seconds') return durationText(value);
  if (unit === 'milliseconds') return Math.abs(value) >= 1_000 ? durationText(value / 1_000) : `${plain(value)} ms`;
  return plain(value);
}
