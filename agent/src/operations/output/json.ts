/** `json`: a report per line, all of whose fields are optional; lines that do not start with `{` are for people. */
import { z } from 'zod';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { NotUnderstood } from './not-understood.ts';
import { OutputError, type OutputReading } from './reading.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const report = z.object({
  value: scalar.optional(),
  metrics: z.record(z.string(), z.number()).optional(),
  states: z.record(z.string(), scalar).optional(),
  diagnostics: z.record(z.string(), z.json()).optional(),
  progress: z.number().optional(),
  message: z.string().optional(),
  items: z.boolean().optional(),
  /** The only status that the exit code cannot tell: the check could not look. */
  status: z.literal('Unknown').optional(),
});

/** Parses the report of a line; undefined when the line does not start with `{`, throws when the report is invalid. */
export function readJsonLine(line: string): OutputReading | undefined {
  // Also without the mark of UTF-8, which a line may begin with.
  const trimmed = line.trim();
  if (!trimmed.startsWith('{')) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(trimmed);
  } catch (error) {
    throw new OutputError(`A line of the output is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const parsed = report.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new OutputError(`${issue?.path.join('.') || 'A report'} of the output is wrong: ${issue?.message ?? 'not known'}.`);
  }
  const { progress, value, metrics, states, diagnostics, message, status, items } = parsed.data;
  return {
    ...(value === undefined ? {} : { value }),
    ...(metrics && { metrics }),
    ...(states && { states }),
    ...(diagnostics && { diagnostics }),
    ...(message === undefined ? {} : { message }),
    ...(status && { status }),
    ...(items && { hasItems: true }),
    ...(progress === undefined ? {} : { progress: Math.min(100, Math.max(0, Math.round(progress))) }),
  };
}

/** Merges two readings; values that both contain are taken from `other`. */
export function mergeReadings(one: OutputReading, other: OutputReading): OutputReading {
  return {
    ...one,
    ...other,
    ...((one.metrics || other.metrics) && { metrics: { ...one.metrics, ...other.metrics } }),
    ...((one.states || other.states) && { states: { ...one.states, ...other.states } }),
    ...((one.diagnostics || other.diagnostics) && { diagnostics: { ...one.diagnostics, ...other.diagnostics } }),
  };
}

/** Returns the report if the output is a single JSON object, which may go over several lines. */
function wholeReport(text: string): OutputReading | undefined {
  try {
    return readJsonLine(JSON.stringify(JSON.parse(text)));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A line that is wrong costs itself alone if there are others. */
export function readJson(text: string): OutputReading {
  const whole = wholeReport(text);
  if (whole) return whole;
  const strange = new NotUnderstood();
  const readings: OutputReading[] = [];
  let firstError: OutputError | undefined;
  for (const line of text.split('\n')) {
    try {
      const reading = readJsonLine(line);
      if (reading) readings.push(reading);
    } catch (error) {
      if (!(error instanceof OutputError)) throw error;
      firstError ??= error;
      strange.add(`${line.trim().slice(0, 100)} (${error.message})`);
    }
  }
  if (readings.length === 0) throw firstError ?? new OutputError('The output has no report: a line with a JSON object.');
  const reading = readings.reduce(mergeReadings, {});
  strange.addTo(reading);
  return reading;
}
