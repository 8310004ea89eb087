/** `nagios`: exit code, text and performance data by the guidelines for monitoring plugins. */
import { addMetric, OutputError, type OutputReading } from './reading.ts';

const states = [
  { word: 'OK', status: 'Success' },
  { word: 'WARNING', status: 'Warning' },
  { word: 'CRITICAL', status: 'Critical' },
  { word: 'UNKNOWN', status: 'Failed' },
] as const;

// 'label'=value[unit];[warn];[crit];[min];[max] with '' for a quote in a label.
const datum = /(?:'((?:[^']|'')*)'|([^\s='|]+))=(-?[\d.,]+(?:e[+-]?\d+)?|U)([^\s;\d]*)((?:;[^;\s]*)*)/gi;

/** Splits the output at the bars (`|`) of the first line and of the further lines: text before a bar, data after it. */
function parts(text: string): { lines: string[]; data: string } {
  const [first = '', ...rest] = text.split('\n');
  const [head = '', ...firstData] = first.split('|');
  const long = rest.join('\n');
  const bar = long.indexOf('|');
  const lines = [head, ...(bar < 0 ? long : long.slice(0, bar)).split('\n')].map((line) => line.trim());
  return { lines: lines.filter((line) => line !== ''), data: `${firstData.join('|')} ${bar < 0 ? '' : long.slice(bar + 1)}` };
}

export function readNagios(text: string, exitCode: number): OutputReading {
  const state = states[exitCode];
  if (!state)
    throw new OutputError(
      `Exit code ${exitCode} is not that of a monitoring plugin (0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN): ${text.trim()}`,
    );
  const { lines, data } = parts(text);
  const reading: OutputReading & { metrics: Record<string, number> } = {
    metrics: {},
    states: { Status: state.word },
    status: state.status,
    message: lines[0] ?? state.word,
  };
  const units: Record<string, string> = {};
  for (const [, quoted, plain, value = '', unit = ''] of data.matchAll(datum)) {
    const label = quoted?.replaceAll("''", "'") ?? plain ?? '';
    // U: the plugin could not determine the value.
    if (label === '' || value.toUpperCase() === 'U') continue;
    addMetric(reading, label, Number(value.replace(',', '.')));
    if (unit !== '') units[label] = unit;
  }
  if (Object.keys(units).length > 0) reading.diagnostics = { ...reading.diagnostics, Units: units };
  if (lines.length > 1) reading.diagnostics = { ...reading.diagnostics, Details: lines.slice(1).join('\n').slice(0, 4_000) };
  if (reading.value === undefined) reading.value = state.word;
  return reading;
}
