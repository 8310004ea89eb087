/** The content of a program's output, in any of its forms. */
import type { OperationRunStatus } from '@cloudfit/contract/enums.ts';

export interface OutputReading {
  value?: string | number | boolean | null | undefined;
  metrics?: Record<string, number>;
  states?: Record<string, string | number | boolean | null>;
  diagnostics?: Record<string, unknown>;
  /** A text for people. */
  message?: string | undefined;
  progress?: number;
  /** Set when the output itself contains a status; otherwise the exit code decides. */
  status?: Extract<OperationRunStatus, 'Success' | 'Warning' | 'Critical' | 'Failed'>;
}

/** The output does not have the form that the manifest declares. */
export class OutputError extends Error {
  override name = 'OutputError';
}

/** `cpu_idle{host="a"}`: one spelling for series with labels, whatever the program writes. */
export function seriesName(name: string, labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return name;
  return `${name}{${labels.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}}`;
}

/** A packet has a bounded number of keys. */
export const seriesMax = 400;

/** Adds a number unless there are too many already; says how many were left out. */
export function addMetric(reading: OutputReading & { metrics: Record<string, number> }, name: string, value: number): void {
  if (!Number.isFinite(value)) return;
  if (reading.value === undefined) reading.value = value;
  if (Object.keys(reading.metrics).length < seriesMax || name in reading.metrics) reading.metrics[name] = value;
  else reading.diagnostics = { ...reading.diagnostics, LeftOut: Number(reading.diagnostics?.['LeftOut'] ?? 0) + 1 };
}
