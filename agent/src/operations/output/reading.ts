/** The values that a program reports in its output, whatever the output format. */
import type { OperationRunStatus } from '@cloudfit/contract/enums.ts';

export interface OutputReading {
  value?: string | number | boolean | null | undefined;
  metrics?: Record<string, number>;
  states?: Record<string, string | number | boolean | null>;
  diagnostics?: Record<string, unknown>;
  /** A text for people. */
  message?: string | undefined;
  progress?: number;
  /** Whether the program has written items of a listener to its folder. */
  hasItems?: boolean;
  /** Set when the output itself contains a status; otherwise the exit code decides. */
  status?: Extract<OperationRunStatus, 'Success' | 'Warning' | 'Critical' | 'Unknown'>;
}

/** The output does not have the form that the manifest declares. */
export class OutputError extends Error {
  override name = 'OutputError';
}

/** Returns the name of a metric with labels, such as `cpu_idle{host="a"}`, spelled equally for all output formats. */
export function seriesName(name: string, labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return name;
  return `${name}{${labels.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}}`;
}

/** The maximum number of metrics of a reading, because the number of keys of a packet is limited. */
export const seriesMax = 400;

/** Adds a metric, unless it has no number; beyond `seriesMax` metrics, only counts it in the diagnostic `LeftOut`. */
export function addMetric(reading: OutputReading & { metrics: Record<string, number> }, name: string, value: number): void {
  const isNumber = Number.isFinite(value);
  const isFirst = reading.value === undefined || (reading.value !== null && Object.keys(reading.metrics)[0] === name);
  // The Value is that of the first metric, and no other one's if the first has no number. Of several numbers of a metric, the last counts.
  if (isFirst && (isNumber || reading.value === undefined)) reading.value = isNumber ? value : null;
  if (!isNumber) return;
  if (Object.keys(reading.metrics).length < seriesMax || name in reading.metrics) reading.metrics[name] = value;
  else reading.diagnostics = { ...reading.diagnostics, LeftOut: Number(reading.diagnostics?.['LeftOut'] ?? 0) + 1 };
}
