import type { OperationOutput } from '@cloudfit/contract/enums.ts';
import { storable } from '../../storable.ts';
import { readInflux } from './influx.ts';
import { readJson } from './json.ts';
import { readNagios } from './nagios.ts';
import { readPrometheus } from './prometheus.ts';
import { OutputError, type OutputReading } from './reading.ts';

const textMax = 1_000;

function readText(text: string, isNumeric: boolean): OutputReading {
  const last = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (!isNumeric) return { value: storable(last, textMax) };
  if (last === '' || !Number.isFinite(Number(last)))
    throw new OutputError(`The output is not a number: ${last.slice(0, 200) || 'it is empty'}.`);
  return { value: Number(last) };
}

/** Reads the output of a program that has ended. `isNumeric`: the manifest declares a number as the result. */
export function readOutput(output: OperationOutput, printed: string, exitCode: number, isNumeric: boolean): OutputReading {
  // PowerShell may begin its output with the mark of UTF-8.
  const text = printed.replace(/^\ufeff/, '');
  if (output === 'nagios') return readNagios(text, exitCode);
  const read = { json: readJson, influx: readInflux, prometheus: readPrometheus, text: (t: string) => readText(t, isNumeric) }[output];
  if (exitCode === 0) return read(text);
  // Readings of a failed program are still useful; unreadable output is not reported as a second error.
  try {
    return text.trim() === '' ? {} : read(text);
  } catch (error) {
    if (error instanceof OutputError) return {};
    throw error;
  }
}
