/** `nagios`: exit code, text and performance data by the guidelines for monitoring plugins. */
import { storable } from '../../storable.ts';
import { NotUnderstood } from './not-understood.ts';
import { addMetric, OutputError, type OutputReading } from './reading.ts';

const states = [
  { word: 'OK', status: 'Success' },
  { word: 'WARNING', status: 'Warning' },
  { word: 'CRITICAL', status: 'Critical' },
  { word: 'UNKNOWN', status: 'Unknown' },
] as const;

/** Splits the output at the bars (`|`) of the first line and of the further lines: text before a bar, data after it. */
function parts(text: string): { lines: string[]; data: string } {
  const [first = '', ...rest] = text.split('\n');
  const [head = '', ...firstData] = first.split('|');
  const long = rest.join('\n');
  const bar = long.indexOf('|');
  const lines = [head, ...(bar < 0 ? long : long.slice(0, bar)).split('\n')].map((line) => line.trim());
  return { lines: lines.filter((line) => line !== ''), data: `${firstData.join('|')}\n${bar < 0 ? '' : long.slice(bar + 1)}` };
}

interface Datum {
  label: string;
  /** NaN: the plugin could not determine the value. */
  value: number;
  unit: string;
}

/** A decimal comma; not one before three digits, which may separate thousands, except after a zero. */
const decimalComma = /^([+-]?\d*),(\d+)$/;
const thousands = /^[+-]?\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?$|^[+-]?\d{1,3},\d{3}\.\d+$/;

/** Returns undefined for a text that is no number, or of which it cannot be said which one it is. */
function numberOf(text: string): number | undefined {
  if (thousands.test(text)) return Number(text.replaceAll(',', ''));
  const [, before, after = ''] = decimalComma.exec(text) ?? [];
  if (before !== undefined) return after.length === 3 && !/^[+-]?0*$/.test(before) ? undefined : Number(`${before}.${after}`);
  const value = Number(text);
  return text.includes(',') || !Number.isFinite(value) ? undefined : value;
}

/** `value[unit];[warn];[crit];[min];[max]`; undefined if it has another form. */
function valueOf(text: string): Omit<Datum, 'label'> | undefined {
  const [measured = '', ...thresholds] = text.split(';');
  if (thresholds.some((threshold) => /[='"]/.test(threshold))) return undefined;
  if (/^U$/i.test(measured)) return { value: Number.NaN, unit: '' };
  // The unit of `0xFF` would be xFF.
  if (/^[+-]?0x/i.test(measured)) return undefined;
  const [, digits, unit = ''] = /^([+-]?[\d.,]*\d[.,]?(?:e[+-]?\d+)?)([^\s\p{Nd}.,;:'"=+-]*)$/iu.exec(measured) ?? [];
  const value = digits === undefined ? undefined : numberOf(digits);
  return value === undefined ? undefined : { value, unit };
}

const quotedLabel = /'((?:[^']|'')*)'(?==)/y;
// A blank of another kind, such as that which separates thousands, does not end a word.
const word = /[^ \t\r|]+/y;
const space = /[ \t\r]+/y;
/** A text that may be the end of the number before it: `1 234`. */
const startsAsNumber = /^[.,]?\p{Nd}/u;

/** Reads the data of one line. A label with blanks needs quotes; without them, it is refused together with its value. */
function readLine(line: string, data: Datum[], strange: NotUnderstood): void {
  let at = 0;
  /** Where a text begins that belongs to nothing so far. */
  let strayFrom: number | undefined;
  /** Where the last datum begins, if its number may go on in the text that follows. */
  let datumFrom: number | undefined;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const refuse = (from: number, to: number): void => {
    const text = line.slice(from, to);
    strange.add(text);
    // Keeps the place of the datum, so that the value of the next one is not taken for that of the first.
    if (text.includes('=')) data.push({ label: '', value: Number.NaN, unit: '' });
    strayFrom = undefined;
  };
  while (at < line.length) {
    if (take(space)) continue;
    if (line[at] === '|') {
      if (strayFrom !== undefined) refuse(strayFrom, at);
      datumFrom = undefined;
      at++;
      continue;
    }
    const start = at;
    const label = line[at] === "'" ? take(quotedLabel)?.[1]?.replaceAll("''", "'") : undefined;
    // Of a quote without its end, nobody can say which label the next value has.
    if (label === undefined && line[at] === "'") return refuse(strayFrom ?? start, line.length);
    const text = take(word)?.[0] ?? '';
    const equals = text.indexOf('=');
    if (equals < 0) {
      if (datumFrom !== undefined && startsAsNumber.test(text)) data.pop();
      strayFrom ??= startsAsNumber.test(text) ? (datumFrom ?? start) : start;
      datumFrom = undefined;
      continue;
    }
    const name = label ?? text.slice(0, equals);
    const value = valueOf(text.slice(equals + 1));
    datumFrom = undefined;
    if (strayFrom !== undefined || name.trim() === '' || !value) refuse(strayFrom ?? start, at);
    else {
      data.push({ label: name, ...value });
      datumFrom = value.unit === '' && !text.includes(';') ? start : undefined;
    }
  }
  if (strayFrom !== undefined) refuse(strayFrom, line.length);
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
  const measured: Datum[] = [];
  const strange = new NotUnderstood();
  for (const line of data.split('\n')) readLine(line, measured, strange);
  const units: Record<string, string> = {};
  for (const { label, value, unit } of measured) {
    addMetric(reading, label, value);
    if (unit !== '' && label in reading.metrics) units[label] = unit;
  }
  if (Object.keys(units).length > 0) reading.diagnostics = { ...reading.diagnostics, Units: units };
  if (lines.length > 1) reading.diagnostics = { ...reading.diagnostics, Details: storable(lines.slice(1).join('\n'), 4_000) };
  strange.addTo(reading, 'part of the performance data', 'parts of the performance data');
  if (reading.value === undefined) reading.value = state.word;
  return reading;
}
