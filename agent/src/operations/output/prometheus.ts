/**
 * `prometheus`: the text exposition format and OpenMetrics. The parsers on npm are unmaintained, and they group samples into
 * families, which is not needed here.
 */
import { NotUnderstood } from './not-understood.ts';
import { addMetric, seriesName, type OutputReading } from './reading.ts';

const plainName = /[a-z_:][\w:]*/iy;
const plainLabel = /[a-z_]\w*/iy;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
const blanks = /[ \t]*/y;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const noNumber = /^(?:nan|[+-]?inf(?:inity)?)$/i;
const timestamp = /^[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?$/i;
const escapes: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

type Labels = readonly (readonly [string, string])[];
interface PrometheusSample {
  name: string;
  labels: Labels;
  value: number;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (pair, char: string) => escapes[char] ?? pair);

/** Reads a line from left to right. Each method returns undefined, and stays where it is, if what it reads is not there. */
class LineReader {
  private at = 0;
  private readonly line: string;

  constructor(line: string) {
    this.line = line;
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.line);
    if (!match) return undefined;
    this.at = pattern.lastIndex;
    return match;
  }
  /** Reads a character with the blanks around it. */
  mark(char: string): boolean {
    const before = this.at;
    this.match(blanks);
    if (this.line[this.at] !== char) {
      this.at = before;
      return false;
    }
    this.at++;
    this.match(blanks);
    return true;
  }
  quoted(): string | undefined {
    const [, text] = this.match(quoted) ?? [];
    return text === undefined ? undefined : unescaped(text);
  }
  name(pattern: RegExp): string | undefined {
    return this.quoted() ?? this.match(pattern)?.[0];
  }
  rest(): string {
    return this.line.slice(this.at);
  }
}

/** Reads what is between braces: labels, and a name in quotes that stands alone. Undefined if it has another form. */
function bracesOf(reader: LineReader): { name: string | undefined; labels: Labels } | undefined {
  const labels = new Map<string, string>();
  let name: string | undefined;
  while (!reader.mark('}')) {
    const isFirst = labels.size === 0 && name === undefined;
    const alone = isFirst ? reader.quoted() : undefined;
    const key = alone ?? reader.name(plainLabel);
    if (key === undefined) return undefined;
    if (reader.mark('=')) {
      const value = reader.quoted();
      if (value === undefined || labels.has(key)) return undefined;
      labels.set(key, value);
    } else if (alone === undefined) return undefined;
    else name = alone;
    if (reader.mark(',')) continue;
    if (!reader.mark('}')) return undefined;
    break;
  }
  return { name, labels: [...labels] };
}

/** Whether the text after a sample is an exemplar: `# {trace_id="a"} 0.5 1620000000.1`. */
function isExemplar(text: string): boolean {
  const reader = new LineReader(text);
  if (!reader.mark('#') || !reader.mark('{') || !bracesOf(reader)) return false;
  const [value = '', time, ...more] = reader
    .rest()
    .trim()
    .split(/[ \t]+/);
  return (number.test(value) || noNumber.test(value)) && (time === undefined || timestamp.test(time)) && more.length === 0;
}

/** Returns undefined for a line that is no sample. */
function sampleOf(line: string): PrometheusSample | undefined {
  const reader = new LineReader(line);
  const before = reader.match(plainName)?.[0];
  const braces = reader.mark('{') ? bracesOf(reader) : { name: undefined, labels: [] };
  if (!braces || (before === undefined) === (braces.name === undefined)) return undefined;
  const rest = reader.rest();
  const [, value = '', time, exemplar] = /^[ \t]*([^\s#]+)(?:[ \t]+([^\s#]+))?(?:[ \t]+(#.*))?$/.exec(rest) ?? [];
  if (!number.test(value) && !noNumber.test(value)) return undefined;
  if (time !== undefined && !timestamp.test(time)) return undefined;
  if (exemplar !== undefined && !isExemplar(exemplar)) return undefined;
  // Number reads neither Inf nor NaN in all their spellings; both have no place in a packet.
  return { name: before ?? braces.name ?? '', labels: braces.labels, value: number.test(value) ? Number(value) : Number.NaN };
}

/** A name in quotes that could be taken for a name with labels stays in quotes. */
const spelled = (name: string): string => (/[{}"\\\n]/.test(name) ? JSON.stringify(name) : name);
const spelledLabel = (key: string): string => (/^\w+$/.test(key) ? key : JSON.stringify(key));

export function readPrometheus(text: string): OutputReading {
  const reading: OutputReading & { metrics: Record<string, number> } = { metrics: {} };
  const strange = new NotUnderstood();
  let samples = 0;
  for (const line of text.split('\n').map((line) => line.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const sample = sampleOf(line);
    if (!sample) {
      strange.add(line);
      continue;
    }
    samples++;
    const labels = sample.labels.map(([key, value]) => [spelledLabel(key), value] as const);
    addMetric(reading, seriesName(spelled(sample.name), labels), sample.value);
  }
  strange.requireSome(samples, 'Prometheus sample');
  strange.addTo(reading);
  return reading;
}
